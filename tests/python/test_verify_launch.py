"""`onchip verify` on the run folder of a launch: whatever byte of it is changed, it does not pass.
"""

import hashlib
import json
import struct
import tempfile

import jsonschema
import pytest

from conftest import CPU_PLUGIN, SOURCE, World, fake
from receipt_changes import (altered, changed, members, receipt_as_written, verdicts_of,
                             with_new_digest)

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((SOURCE / "docs/launch-receipt.schema.json").read_text()))
PARTS = ["receipt.json", "config.json", "program.mlir", "trajectory.bin", "checkpoints"]
RECORD = 32  # bytes: key (2 words), step, parameters (2), velocity (2), loss


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def launch(desk, run, *args, plugin=CPU_PLUGIN):
    return desk.run("launch", "--platform", "cpu", "--plugin", str(plugin), "--run-dir", run, *args)


@pytest.fixture(scope="module")
def kept():
    """A desk with the run folder `kept`: 4 steps, and then on to 8."""
    with tempfile.TemporaryDirectory(prefix="onchip-test-") as folder:
        desk = World(folder)
        for args in (("--steps", "4"), ("--steps", "8", "--resume")):
            done = launch(desk, "kept", *args)
            assert done.returncode == 0, done.stderr
        yield desk
        desk.await_no_process()


@pytest.fixture
def desk(tmp_path):
    made = World(tmp_path)
    yield made
    made.await_no_process()


def receipt_in(desk, run="kept"):
    return json.loads((desk.folder / run / "receipt.json").read_text())


def bytes_in(desk, name, run="kept"):
    return (desk.folder / run / name).read_bytes()


# --- What is right passes ------------------------------------------------------------------------


def test_the_receipt_keeps_its_schema(kept):
    receipt = receipt_in(kept)
    SCHEMA.validate(receipt)
    job = receipt["job"]
    assert (job["attempt"], job["resumed_from"], job["steps"], job["last_step"]) == (2, 4, 8, 8)
    assert (job["updates"], job["examples"], job["checkpoint_step"]) == (4, 32, 8)
    for name, file in (("config", "config.json"), ("program", "program.mlir"),
                       ("trajectory", "trajectory.bin")):
        assert receipt[name] == {"file": file, "sha256": sha256(bytes_in(kept, file))}
    records = bytes_in(kept, "trajectory.bin")
    assert len(records) == 8 * RECORD
    assert job["state_hash"] == sha256(records[7 * RECORD:8 * RECORD - 4])


def test_the_data_are_those_of_the_line(kept):
    numpy = pytest.importorskip("numpy")
    x = (-1 + 2 * numpy.arange(64, dtype=numpy.float64) / 63).astype(numpy.float32)
    y = numpy.float32(2) * x + numpy.float32(1)
    assert receipt_in(kept)["data_sha256"] == sha256(x.tobytes() + y.tobytes())


def test_verify_passes_what_was_not_changed(kept):
    done = kept.run("verify", "kept", "--require", "cpu")
    assert done.returncode == 0 and "all 8 steps follow" in done.stdout, done.stdout
    done = kept.run("verify", "kept/receipt.json", "--require", "cpu")
    assert done.returncode == 0
    for args, words in ((["--require", "tpu"], "required tpu"),
                        (["--require", "cpu", "--nonce", "5eed"], "nonce")):
        done = kept.run("verify", "kept", *args)
        assert done.returncode == 1 and words in done.stdout


@pytest.mark.parametrize("args", [
    ("--steps", "1"), ("--steps", "3", "--batch", "64"), ("--steps", "5", "--batch", "1"),
    ("--steps", "9", "--seed", "4294967295"), ("--steps", "7", "--checkpoint-every", "3"),
    ("--steps", "400", "--checkpoint-every", "100")], ids=" ".join)
def test_other_launches_pass_too(desk, args):
    done = launch(desk, "run", *args)
    verified = desk.run("verify", "run", "--require", "cpu")
    assert (done.returncode, verified.returncode) == (0, 0), (done.stdout, verified.stdout)
    SCHEMA.validate(receipt_in(desk, "run"))


# --- Files, changed ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["config.json", "program.mlir", "trajectory.bin",
                                  "checkpoints/step-00000008/state.bin",
                                  "checkpoints/step-00000006/state.bin"])
def test_no_byte_of_a_file_can_be_changed(kept, name):
    data = bytes_in(kept, name)
    some = range(0, len(data), 1 if len(data) < 2000 else 16)  # of the program, which is long
    changes = [(name, data[:k] + bytes([data[k] ^ 1]) + data[k + 1:]) for k in some]
    changes += [(name, data[:-1]), (name, data + b"\0"), (name, b"")]
    for (_, other), answer in zip(changes, verdicts_of(kept, "kept", changes, PARTS)):
        assert answer["verdict"] == "FAIL", (other, answer)


def test_without_its_files_it_is_unknown(kept):
    for name, verdict in (("config.json", "UNKNOWN"), ("program.mlir", "UNKNOWN"),
                          ("trajectory.bin", "UNKNOWN"), ("events.jsonl", "PASS"),
                          ("checkpoints/step-00000006/state.bin", "PASS")):
        answer, = verdicts_of(kept, "kept", [(name, None)])
        assert answer["verdict"] == verdict, (name, answer)
        assert answer["reason"] == ("holds" if verdict == "PASS" else "files_missing")


# --- The receipt, changed ------------------------------------------------------------------------


def test_no_member_of_the_receipt_can_be_changed(kept):
    receipt = receipt_in(kept)
    paths = list(members(receipt))
    assert len(paths) > 90
    changes = [("receipt.json", altered(receipt, path,
                                        lambda at, key: at.__setitem__(key, changed(at[key]))))
               for path in paths]
    removals = [("receipt.json", altered(receipt, path, lambda at, key: at.pop(key)))
                for path in paths]
    answers = verdicts_of(kept, "kept", [*changes, *removals])
    for path, answer in zip([*paths, *paths], answers):
        assert answer["verdict"] in (None, "FAIL"), (path, answer)
    # Many of them are told by a rule of their own, not by the digest alone.
    told = {answer["member"] for answer in answers if answer["verdict"]}
    assert {"config.sha256", "program.sha256", "trajectory.sha256", "data_sha256", "job.updates",
            "job.examples", "job.last_step", "job.state_hash", "job.checkpoints[1]", "claims",
            "numeric.verdict", "numeric.steps_judged", "controls", "sha256",
            "versions.plugin.sha256"} <= told, told


def test_the_digest_is_that_of_the_members_before_it(kept):
    assert with_new_digest(receipt_as_written(kept.folder / "kept")) \
        == bytes_in(kept, "receipt.json").decode()


@pytest.mark.parametrize("path, value, reason", [
    (("numeric", "verdict"), "FAIL", "verdict_differs"),
    (("numeric", "verdict"), "UNKNOWN", "verdict_differs"),
    (("numeric", "level"), "exact", "verdict_differs"),
    (("numeric", "reason"), "refuted", "verdict_differs"),
    (("numeric", "steps_judged"), 7, "verdict_differs"),
    (("numeric", "first_wrong"), 3, "verdict_differs"),
    (("placement", "verdict"), "FAIL", "verdict_differs"),
    (("placement", "evidence", 0, "value"), "tpu", "evidence_differs"),
    (("placement", "evidence"), [], "evidence_differs"),
    (("boundary",), "compile", "run_failed"),
    (("job", "status"), "preempted", "run_failed"),
    (("job", "status"), "timed_out", "run_failed"),
    (("error",), {"status": "not found", "plugin_code": 0, "text": "t"}, "run_failed"),
    (("job", "steps"), 9, "job_differs"), (("job", "last_step"), 7, "job_differs"),
    (("job", "batch"), 0, "job_differs"), (("job", "batch"), 65, "job_differs"),
    (("job", "batch"), 4, "job_differs"), (("job", "seed"), 4, "config_differs"),
    (("job", "seed"), 2 ** 32, "job_differs"), (("job", "updates"), 8, "job_differs"),
    (("job", "examples"), 64, "job_differs"), (("job", "attempt"), 1, "job_differs"),
    (("job", "attempt"), 0, "job_differs"), (("job", "resumed_from"), 9, "job_differs"),
    (("job", "checkpoint_step"), 9, "job_differs"),
    (("job", "checkpoint_step"), 6, "job_differs"),
    (("job", "checkpoints", 1, "step"), 8, "job_differs"),
    (("job", "checkpoints", 1, "step"), 0, "job_differs"),
    (("job", "checkpoints", 1, "step"), 5, "hash_differs"),
    (("job", "checkpoints", 0, "state_hash"), "0" * 64, "hash_differs"),
    (("job", "state_hash"), "0" * 64, "hash_differs"),
    (("job", "state_hash"), None, "hash_differs"),
    (("config", "sha256"), "0" * 64, "hash_differs"),
    (("program", "sha256"), "0" * 64, "hash_differs"),
    (("trajectory", "sha256"), "0" * 64, "hash_differs"),
    (("trajectory", "file"), "program.mlir", "hash_differs"),
    (("data_sha256",), "0" * 64, "hash_differs"),
    (("controls",), [], "control_missing"), (("controls", 1, "name"), "other", "control_missing"),
    (("controls", 3, "verdict"), "numeric", "control_missing"),
    (("claims", 2, "status"), "unverified", "claims_differ"), (("claims",), [], "claims_differ"),
    (("requested_as",), "gpu", "platform_differs"), (("platform",), None, "platform_differs"),
    (("versions", "plugin", "sha256"), "0" * 64, "evidence_differs")], ids=str)
def test_a_new_digest_does_not_help(kept, path, value, reason):
    """Whoever changes a verdict or a hash can compute the digest anew; the rules stand."""
    receipt = receipt_as_written(kept.folder / "kept")
    at = receipt
    for key in path[:-1]:
        at = at[key]
    assert at[path[-1]] != value
    at[path[-1]] = value
    answer, = verdicts_of(kept, "kept", [("receipt.json", with_new_digest(receipt).encode())])
    assert (answer["verdict"], answer["reason"]) == ("FAIL", reason), answer


def test_a_control_that_was_not_refuted_shows_nothing(kept):
    receipt = receipt_as_written(kept.folder / "kept")
    receipt["controls"][0]["refuted"] = False
    answer, = verdicts_of(kept, "kept", [("receipt.json", with_new_digest(receipt).encode())])
    assert (answer["verdict"], answer["reason"]) == ("UNKNOWN", "control_not_refuted"), answer


# --- Files and receipt, changed together ---------------------------------------------------------


def forged(desk, files):
    """The answer on a folder with other files, all hashes of the receipt computed anew."""
    run = desk.folder / "forged"
    run.mkdir()
    receipt = receipt_as_written(desk.folder / "kept")
    for member in ("config", "program", "trajectory"):
        name = receipt[member]["file"]
        data = files.get(name, bytes_in(desk, name))
        (run / name).write_bytes(data)
        receipt[member]["sha256"] = sha256(data)
    records = (run / "trajectory.bin").read_bytes()
    job = receipt["job"]
    for each in (job, *job["checkpoints"]):
        step = each.get("step", 8)
        each["state_hash"] = sha256(records[(step - 1) * RECORD:step * RECORD - 4])
    (run / "receipt.json").write_text(with_new_digest(receipt))
    answer, = json.loads(desk.run("verify", "forged", "--require", "cpu", "--json").stdout)
    for path in run.iterdir():
        path.unlink()
    run.rmdir()
    return answer


def test_forging_nothing_passes(kept):
    assert forged(kept, {})["verdict"] == "PASS"


@pytest.mark.parametrize("step", range(1, 9))
@pytest.mark.parametrize("word", range(8))
def test_no_word_of_a_state_can_be_forged(kept, step, word):
    """Key and step differ in their last bit, a number by an eighth of its size."""
    data = bytearray(bytes_in(kept, "trajectory.bin"))
    at = (step - 1) * RECORD + 4 * word
    if word < 3:
        data[at] ^= 1
    else:
        number, = struct.unpack_from("<f", data, at)
        struct.pack_into("<f", data, at, number * 1.125)
    answer = forged(kept, {"trajectory.bin": bytes(data)})
    reason = "other_start" if step == 1 and word < 3 else "refuted"
    assert (answer["verdict"], answer["reason"]) == ("FAIL", reason), answer


def test_a_trajectory_of_other_length_is_refused(kept):
    data = bytes_in(kept, "trajectory.bin")
    for other in (data + data[-RECORD:], data[:-RECORD], data[:-1], data + b"\0"):
        answer = forged(kept, {"trajectory.bin": other})
        assert (answer["verdict"], answer["reason"]) == ("FAIL", "trajectory_differs"), answer


def test_a_step_that_was_left_out_is_refused(kept):
    """8 steps of which one is there twice and another not at all."""
    data = bytes_in(kept, "trajectory.bin")
    other = data[:3 * RECORD] + data[2 * RECORD:3 * RECORD] + data[4 * RECORD:]
    assert forged(kept, {"trajectory.bin": other})["reason"] == "refuted"


def test_another_program_is_refused(kept):
    program = bytes_in(kept, "program.mlir")
    config = json.loads(bytes_in(kept, "config.json"))
    config["program_sha256"] = sha256(program + b"\n")
    answer = forged(kept, {"program.mlir": program + b"\n",
                           "config.json": json.dumps(config).encode()})
    assert (answer["verdict"], answer["reason"]) == ("FAIL", "program_differs"), answer


@pytest.mark.parametrize("member", ["platform", "batch", "seed", "program_sha256", "data_sha256"])
def test_a_configuration_that_says_otherwise_is_refused(kept, member):
    config = json.loads(bytes_in(kept, "config.json"))
    for other in (changed(config[member]), None):
        answer = forged(kept, {"config.json": json.dumps(config | {member: other}).encode()})
        assert (answer["verdict"], answer["reason"]) == ("FAIL", "config_differs"), answer
    assert forged(kept, {"config.json": b"{"})["reason"] == "config_differs"


# --- Launches that did not complete --------------------------------------------------------------


def test_a_launch_that_failed_does_not_pass(desk):
    done = launch(desk, "failed", plugin=fake("init_fails"))
    assert done.returncode != 0
    verified = desk.run("verify", "failed", "--require", "cpu", "--json")
    answer, = json.loads(verified.stdout)
    assert verified.returncode == 1
    assert (answer["verdict"], answer["reason"]) == ("FAIL", "run_failed"), answer
    SCHEMA.validate(receipt_in(desk, "failed"))
