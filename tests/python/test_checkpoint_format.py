"""The format of checkpoints as docs/launch-protocol.md has it, written and read here with hashlib
and json alone, beside the room `checkpoint` (checkpoint_peer.c), both ways."""

import hashlib
import json
import os
import random
import re
import subprocess

import pytest

PEER = os.environ["ONCHIP_TEST_CHECKPOINT_PEER"]
DIGEST = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
VALUE = re.compile(r'[ !#-\[\]-~]{1,128}')


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def text_of(manifest):
    return (json.dumps(manifest, indent=2) + "\n").encode()


def flush(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def write_checkpoint(folder, step, state_hash, identity, files, parent=None):
    """A checkpoint as a job in Python would write it."""
    manifest = {
        "format": "onchip.checkpoint/1", "step": step, "state_hash": state_hash,
        "identity": dict(identity),
        "files": [{"name": name, "size": len(data), "sha256": sha256(data)}
                  for name, data in files.items()],
        "parent_sha256": parent}
    manifest["sha256"] = sha256(text_of(manifest))
    temporary = folder / f"tmp-{os.getpid()}-{step}"
    temporary.mkdir()
    for name, data in {**files, "manifest.json": text_of(manifest)}.items():
        with open(temporary / name, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    flush(temporary)
    os.rename(temporary, folder / f"step-{step:08d}")
    flush(folder)
    return manifest["sha256"]


def read_checkpoint(path):
    """The manifest and the files of a checkpoint that is what the format says."""
    text = (path / "manifest.json").read_bytes()
    manifest = json.loads(text)
    assert text == text_of(manifest)
    assert list(manifest) == ["format", "step", "state_hash", "identity", "files",
                              "parent_sha256", "sha256"]
    assert manifest["format"] == "onchip.checkpoint/1"
    assert path.name == f"step-{manifest['step']:08d}"
    assert DIGEST.fullmatch(manifest["state_hash"])
    assert manifest["parent_sha256"] is None or DIGEST.fullmatch(manifest["parent_sha256"])
    assert 1 <= len(manifest["files"]) <= 8 and len(manifest["identity"]) <= 8
    for name, value in manifest["identity"].items():
        assert NAME.fullmatch(name) and len(name) <= 63 and VALUE.fullmatch(value)
    files = {}
    for entry in manifest["files"]:
        assert list(entry) == ["name", "size", "sha256"]
        assert NAME.fullmatch(entry["name"]) and len(entry["name"]) <= 100
        data = (path / entry["name"]).read_bytes()
        assert (len(data), sha256(data)) == (entry["size"], entry["sha256"])
        files[entry["name"]] = data
    assert {entry.name for entry in path.iterdir()} == {*files, "manifest.json"}
    without = {name: value for name, value in manifest.items() if name != "sha256"}
    assert manifest["sha256"] == sha256(text_of(without))
    return manifest, files


def peer(*args, cwd=None):
    done = subprocess.run([PEER, *map(str, args)], capture_output=True, timeout=100, cwd=cwd)
    return done.returncode, done.stdout, done.stderr.decode()


def pairs(identity):
    return [f"{name}={value}" for name, value in identity.items()]


STATE = sha256(b"state")
CASES = [
    ({"config": sha256(b"c")}, {"state.bin": b"\0" * 32}),
    ({}, {"state.bin": b""}),
    ({"config": "!#$ %&'()*+,-./:;<=>?@[]^_`{|}~", "k" * 63: "v" * 128},
     {"-x": b"x", "_.": b"\xff\0\n", "a" * 100: bytes(range(256))}),
    ({f"key-{i}": str(i) for i in range(8)}, {f"{i}.bin": b"%d" % i for i in range(8)}),
    ({"data": "d"}, {"large": random.Random(1).randbytes((9 << 20) + 1), "small": b"s"}),
]


@pytest.mark.parametrize("identity, files", CASES)
def test_what_python_writes_is_good(tmp_path, identity, files):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    first = write_checkpoint(folder, 4, STATE, identity, files)
    write_checkpoint(folder, 12345678, STATE, identity, files, parent=first)
    code, out, err = peer("scan", folder, *pairs(identity))
    assert (code, err) == (0, "")
    assert out.decode() == f"12345678 good {STATE}\n4 good {STATE}\n"
    for name, data in files.items():
        assert peer("read", folder, name) == (0, data, "")


@pytest.mark.parametrize("identity, files", CASES)
def test_what_onchip_writes_is_what_the_format_says(tmp_path, identity, files):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for step in 3, 7:
        done = peer("write", "checkpoints", step, STATE, *pairs(identity), "--", *files,
                    cwd=tmp_path)
        assert done == (0, b"", "")
    first, _ = read_checkpoint(folder / "step-00000003")
    second, seen = read_checkpoint(folder / "step-00000007")
    assert (second["step"], second["state_hash"]) == (7, STATE)
    assert list(second["identity"].items()) == list(identity.items())
    assert list(seen.items()) == list(files.items())
    assert first["parent_sha256"] is None and second["parent_sha256"] == first["sha256"]
    assert sorted(entry.name for entry in folder.iterdir()) == ["step-00000003", "step-00000007"]


def test_both_write_the_same_bytes(tmp_path):
    for name in "ours", "theirs":
        (tmp_path / name).mkdir()
    (tmp_path / "state.bin").write_bytes(b"abc")
    write_checkpoint(tmp_path / "theirs", 1, STATE, {"config": "c"}, {"state.bin": b"abc"})
    assert peer("write", "ours", 1, STATE, "config=c", "--", "state.bin", cwd=tmp_path)[0] == 0
    ours, theirs = (tmp_path / name / "step-00000001/manifest.json" for name in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_onchip_goes_on_from_what_python_wrote(tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (tmp_path / "state.bin").write_bytes(b"abc")
    first = write_checkpoint(folder, 1, STATE, {"config": "c"}, {"state.bin": b"abc"})
    assert peer("write", "checkpoints", 2, STATE, "config=c", "--", "state.bin",
                cwd=tmp_path)[0] == 0
    assert read_checkpoint(folder / "step-00000002")[0]["parent_sha256"] == first


def test_another_run_is_named(tmp_path):
    write_checkpoint(tmp_path, 5, STATE, {"config": "c", "own": "x"}, {"state.bin": b"abc"})
    assert peer("scan", tmp_path, "config=c")[1].decode() == f"5 good {STATE}\n"
    assert peer("scan", tmp_path, "config=d")[1] == b"5 other config\n"
    assert peer("scan", tmp_path, "config=c", "data=d")[1] == b"5 other data\n"


@pytest.mark.parametrize("layout", [
    {"indent": None}, {"indent": 3}, {"indent": "\t"}, {"indent": 2, "sort_keys": True},
    {"indent": 2, "separators": (", ", ": ")}])
def test_only_one_text_is_the_manifest(tmp_path, layout):
    write_checkpoint(tmp_path, 5, STATE, {"config": "c"}, {"state.bin": b"abc"})
    path = tmp_path / "step-00000005/manifest.json"
    manifest = json.loads(path.read_bytes())
    path.write_text(json.dumps(manifest, **layout) + "\n")
    assert b"5 damaged 'manifest.json': its white space" in peer("scan", tmp_path)[1]
    path.write_text(json.dumps(manifest, indent=2))
    assert b"5 damaged 'manifest.json': its white space" in peer("scan", tmp_path)[1]
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    assert peer("scan", tmp_path)[1].decode() == f"5 good {STATE}\n"
