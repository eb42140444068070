"""`onchip check` on the real CPU plugins: the lesson's lines, the receipt, and what a user may ask
for. Whatever the receipt says is worked out again here, with NumPy, hashlib and Python's integers.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from conftest import CPU_PLUGIN, OLDER_CPU_PLUGIN, PASS_LINE, fake, powerless, receipt_of

LESSON_X = np.arange(24, dtype="<f4").reshape(8, 3) / np.float32(8)
W = np.array([0.5, -0.25, 1.0], dtype="<f4")
BIAS, CHANGED_BIAS = 0.125, -0.25
NONCES = ["00", "5eed0123", "0123456789abcdef" * 8]

# None is the plugin that onchip finds by itself.
both_plugins = pytest.mark.parametrize(
    "plugin", [None, str(OLDER_CPU_PLUGIN)], ids=["default", "older"])


def with_plugin(plugin):
    return ["--plugin", plugin] if plugin else []


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def affine(x, bias):
    """The lesson's map in exact arithmetic."""
    return [sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, W, strict=True))
            + Fraction(bias) for row in x]


def exact(values):
    return [Fraction(value) for value in values]


def evidence_of(receipt, what):
    return [item["value"] for item in receipt["placement"]["evidence"] if item["what"] == what]


# --- The lesson ---


@both_plugins
def test_lesson_is_printed_verbatim_and_in_order(world, plugin):
    done = world.run("check", "--platform", "cpu", *with_plugin(plugin))
    assert (done.returncode, done.stderr) == (0, "")
    report, end = json.JSONDecoder().raw_decode(done.stdout)
    device = report["output_devices"][0]
    assert list(report.items()) == [
        ("expected", "cpu"), ("output_devices", [device]), ("platform", "cpu"),
        ("onchip", report["onchip"]), ("plugin", Path(plugin or CPU_PLUGIN).name),
        ("shape", [8]), ("dtype", "float32"), ("max_absolute_error", 0.0),
        ("process_index", 0), ("process_count", 1)]
    assert done.stdout[:end] == json.dumps(report, indent=2)

    lines = done.stdout[end:].splitlines()
    assert lines[:5] == [
        "",
        "Completed prediction: [0.34375, 0.8125, 1.28125, 1.75, 2.21875, 2.6875, 3.15625, 3.625]",
        "Mismatched platform report rejected.",
        "Changed bias, first prediction: -0.03125",
        "Row reversal preserved values and requested placement."]
    figure = "\n".join(lines[5:-3])
    assert figure.count("(*)") == 8, "each value stands on the reference's"
    assert f"onchip: cpu ({device})" in figure
    assert "observation row" in figure and "prediction" in figure
    assert [line[:15] for line in lines[-3:-1]] == ["numeric   PASS:", "placement PASS:"]
    assert lines[-1] == PASS_LINE


@both_plugins
def test_receipt_is_right(world, plugin):
    done, receipt = world.check(*with_plugin(plugin))
    assert (done.returncode, done.stderr) == (0, "")
    assert (receipt["requested_as"], receipt["expected"], receipt["platform"]) == ("cpu",) * 3
    assert (receipt["boundary"], receipt["error"], receipt["nonce"]) == ("none", None, None)
    check_values(receipt, LESSON_X)
    check_hashes(receipt)
    assert receipt["numeric"]["level"] == "exact"
    assert [control["refuted"] for control in receipt["controls"]] == [True] * 3
    statuses = {claim["statement"]: claim["status"] for claim in receipt["claims"]}
    assert statuses == {
        "the predictions equal the independent reference bit for bit": "observed",
        "the predictions ran on cpu": "observed",
        "the predictions ran on a TPU": "unverified"}
    assert receipt["collective"] is None
    assert world.verify(done.stdout, "cpu").returncode == 0


def check_values(receipt, x):
    assert receipt["inputs"]["x"] == x.tolist()
    assert (receipt["inputs"]["w"], receipt["inputs"]["bias"]) == (W.tolist(), BIAS)
    assert receipt["changed_bias"]["bias"] == CHANGED_BIAS
    wanted = affine(x, BIAS)
    assert exact(receipt["prediction"]) == wanted
    assert exact(receipt["changed_bias"]["prediction"]) == affine(x, CHANGED_BIAS)
    assert exact(receipt["changed_bias"]["prediction"]) == [v - Fraction(3, 8) for v in wanted]
    assert exact(receipt["row_reversal"]["prediction"]) == wanted[::-1]
    wide = x.astype(np.float64) @ W.astype(np.float64) + BIAS
    assert np.array_equal(np.array(receipt["prediction"]), wide)
    assert receipt["max_absolute_error"] == 0
    for output in receipt, receipt["changed_bias"], receipt["row_reversal"]:
        assert (output["shape"], output["dtype"]) == ([8], "float32")


def check_hashes(receipt):
    hashes = receipt["hashes"]
    x = np.array(receipt["inputs"]["x"], dtype="<f4")
    assert hashes["program"] == sha256(receipt["programs"]["predict"].encode())
    assert hashes["changed_bias_program"] == sha256(receipt["programs"]["changed_bias"].encode())
    inputs = {"x": x, "w": W, "x_reversed": x[::-1]}
    assert {item["name"]: item["sha256"] for item in hashes["inputs"]} == {
        name: sha256(value.tobytes()) for name, value in inputs.items()}
    outputs = {"prediction": receipt["prediction"]} | {
        name: receipt[name]["prediction"] for name in ("changed_bias", "row_reversal")}
    assert {item["name"]: item["sha256"] for item in hashes["outputs"]} == {
        name: sha256(np.array(values, dtype="<f4").tobytes()) for name, values in outputs.items()}


@pytest.mark.parametrize("plugin", [CPU_PLUGIN, OLDER_CPU_PLUGIN], ids=["default", "older"])
def test_plugin_is_identified(world, plugin):
    done, receipt = world.check("--plugin", str(plugin))
    assert done.returncode == 0
    with plugin.open("rb") as file:
        wanted = hashlib.file_digest(file, "sha256").hexdigest()
    assert receipt["versions"]["plugin"]["sha256"] == wanted
    assert receipt["versions"]["plugin"]["name"] == plugin.name
    assert evidence_of(receipt, "plugin_sha256") == [wanted]
    assert evidence_of(receipt, "plugin_mapped") == [str(plugin.resolve())]
    minor = {CPU_PLUGIN: 115, OLDER_CPU_PLUGIN: 81}[plugin]
    assert receipt["versions"]["pjrt_api"] == f"0.{minor}"


# --- The platform ---


@pytest.mark.parametrize("name", ["cpu", None])
def test_cpu_is_expected_or_the_default(world, name):
    done, receipt = world.check(env={"COURSE_EXPECT_PLATFORM": name})
    assert (done.returncode, receipt["requested_as"]) == (0, "cpu")


def test_absent_tpu_is_a_failure_and_never_a_run_on_the_cpu(world):
    done, receipt = world.check(env={"COURSE_EXPECT_PLATFORM": "tpu"})
    assert done.returncode == 3
    assert receipt["boundary"] in ("plugin", "init")
    assert "tpu" in receipt["error"]["text"].lower()
    assert (receipt["requested_as"], receipt["expected"]) == ("tpu", "tpu")
    assert (receipt["platform"], receipt["output_devices"], receipt["prediction"]) == (None, [], [])
    assert receipt["error"]["status"] == "device unavailable"
    verified = world.verify(done.stdout, "tpu")
    assert verified.returncode == 1 and verified.stdout.startswith("FAIL ")
    assert world.verify(done.stdout, "cpu").returncode == 1

    plain = world.run("check", env={"COURSE_EXPECT_PLATFORM": "tpu"})
    assert plain.returncode == 3
    assert "tpu" in plain.stderr and "PASS" not in plain.stdout


@pytest.mark.parametrize("name", ["gpu", "", "TPU", "cpu ", "cuda"])
def test_variable_is_cpu_or_tpu(world, name):
    done = world.run("check", "--run-dir", "run", env={"COURSE_EXPECT_PLATFORM": name})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "onchip: error: [usage] COURSE_EXPECT_PLATFORM must be cpu or tpu\n"
    assert not (world.folder / "run").exists()


@pytest.mark.parametrize("name", ["tpu", "gpu", ""])
def test_option_beats_the_variable(world, name):
    done, receipt = world.check("--platform", "cpu", "--plugin", fake("honest"),
                                env={"COURSE_EXPECT_PLATFORM": name})
    assert (done.returncode, receipt["expected"]) == (0, "cpu")


def test_option_beats_a_variable_that_asks_for_less(world):
    done, receipt = world.check("--platform", "tpu", env={"COURSE_EXPECT_PLATFORM": "cpu"})
    assert (done.returncode, receipt["expected"]) == (3, "tpu")


@pytest.mark.parametrize("name", ["frobnicator", "CPU", "cp u", "../cpu", "x" * 100])
def test_unknown_platform_is_a_usage_error(world, name):
    done = world.run("check", "--platform", name)
    assert done.returncode == 2
    assert "[usage]" in done.stderr and "PASS" not in done.stdout


def test_absent_tpu_with_libtpu_is_its_own_words(world):
    absent(world, "tpu", "libtpu", "No jellyfish device found.", "0x1ae0")


def test_absent_gpu_with_the_cuda_plugin_is_its_own_words(world):
    absent(world, "cuda", "cuda-plugin", "No visible GPU devices.", "0x10de")


def absent(world, platform, need, words, vendor):
    """With the plugin that the user's environment has; a machine with the device is no place."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    variable = f"ONCHIP_PLUGIN_{platform.upper()}"
    env = {"XDG_DATA_HOME": str(data), variable: os.environ.get(variable)}
    if not env[variable] and not (data / "onchip/plugins" / platform).is_dir():
        pytest.skip(f"skip: {need}: no plugin for {platform} is installed")
    if any(path.read_text().strip() == vendor
           for path in Path("/sys/bus/pci/devices").glob("*/vendor")):
        pytest.skip(f"skip: no-{platform}: the device may be here")
    done, receipt = world.check("--platform", platform, env=env)
    assert (done.returncode, receipt["boundary"]) == (3, "init"), receipt["error"]
    assert words in receipt["error"]["text"] and words in done.stderr
    assert receipt["placement"]["verdict"] == "FAIL" and receipt["platform"] is None
    assert world.verify(done.stdout, platform).returncode == 1


# --- The nonce ---


def x_of_nonce(nonce):
    digest = hashlib.sha256(b"onchip.nonce/1\0" + bytes.fromhex(nonce)).digest()
    signed = np.frombuffer(digest, dtype=np.int8)[:24]
    return (signed.astype("<f4") / np.float32(8)).reshape(8, 3)


@pytest.mark.parametrize("nonce", NONCES, ids=["1 byte", "4 bytes", "64 bytes"])
def test_nonce_is_answered(world, nonce):
    done, receipt = world.check("--nonce", nonce)
    assert (done.returncode, receipt["nonce"]) == (0, nonce)
    check_values(receipt, x_of_nonce(nonce))
    check_hashes(receipt)
    assert world.verify(done.stdout, "cpu").returncode == 0
    assert world.verify(done.stdout, "cpu", "--nonce", nonce).returncode == 0
    assert world.verify(done.stdout, "cpu", "--nonce", nonce.upper()).returncode == 0
    for other in nonce + "00", "01" + nonce[2:] if nonce[:2] != "01" else "02" + nonce[2:]:
        if len(other) <= 128:
            refused = world.verify(done.stdout, "cpu", "--nonce", other, "--json")
            assert refused.returncode == 1
            assert json.loads(refused.stdout)[0]["reason"] == "nonce_differs"


def test_nonce_may_be_written_in_capitals(world):
    done, receipt = world.check("--nonce", "5EED0123")
    assert (done.returncode, receipt["nonce"]) == (0, "5eed0123")
    assert receipt["inputs"]["x"] == x_of_nonce("5eed0123").tolist()


def test_receipt_without_a_nonce_or_with_its_inputs_changed_answers_none(world):
    done, receipt = world.check()
    assert world.verify(receipt, "cpu", "--nonce", "5eed0123").returncode == 1
    receipt["nonce"] = "5eed0123"
    refused = world.verify(receipt, "cpu", "--nonce", "5eed0123", "--json")
    assert json.loads(refused.stdout)[0]["reason"] == "inputs_differ"


@pytest.mark.parametrize("nonce", ["", "a", "abc", "0x12", "5eed 123", "zz", "00" * 65, "é1"])
def test_bad_nonce_is_refused_by_both_verbs(world, nonce):
    done = world.run("check", "--nonce", nonce, "--run-dir", "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not hexadecimal of 1 to 64 bytes" in done.stderr
    assert not (world.folder / "run").exists()
    assert world.verify("{}", "cpu", "--nonce", nonce).returncode == 2


# --- Several devices ---


@pytest.mark.parametrize("plugin, count", [
    *((None, count) for count in (1, 2, 3, 4, 8, 32)),
    *((str(OLDER_CPU_PLUGIN), count) for count in (3, 32))])
def test_rows_and_sums_over_devices(world, plugin, count):
    done, receipt = world.check("--devices", str(count), *with_plugin(plugin))
    assert (done.returncode, done.stderr) == (0, "")
    collective = receipt["collective"]
    shards = collective["shards"]
    assert (collective["verdict"], collective["kind"]) == ("PASS", "cpu collective")
    assert len(shards) == count

    rows = [row for shard in shards
            for row in range(shard["first_row"], shard["first_row"] + shard["rows"])]
    assert rows == list(range(8)), "every row has one owner"
    sizes = [shard["rows"] for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    assert all(shard["read_back_equal"] for shard in shards)
    for owner in "device", "output_device":
        numbers = [int(re.search(r"id=(\d+)", shard[owner])[1]) for shard in shards]
        assert sorted(numbers) == list(range(count)), "one device each"

    n = 8 * count
    assert sum(k * k for k in range(n)) == n * (n - 1) * (2 * n - 1) // 6
    assert [shard["sum_of_squares"] for shard in shards] == [
        sum(k * k for k in range(8 * i, 8 * i + 8)) for i in range(count)]
    assert {shard["all_reduced"] for shard in shards} == {n * (n - 1) * (2 * n - 1) // 6}

    statuses = {claim["statement"]: claim["status"] for claim in receipt["claims"]}
    assert statuses[f"an all-reduce over {count} virtual cpu devices is right"] == "observed"
    assert statuses["a collective ran over an accelerator's interconnect"] == "unverified"
    check_values(receipt, LESSON_X)
    assert world.verify(done.stdout, "cpu").returncode == 0


def test_collective_is_told(world):
    done = world.run("check", "--devices", "4")
    assert done.returncode == 0
    assert "\nCollective: PASS: 4 shards and 4 all-reduced sums" in done.stdout


@pytest.mark.parametrize("count", ["0", "33", "x", "-1", "4x", "1.5", ""])
def test_bad_number_of_devices_is_a_usage_error(world, count):
    done = world.run("check", "--devices", count)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--devices '{count}' is not a number from 1 to 32" in done.stderr


# --- The run folder ---


def files_of(folder):
    return {path.name for path in folder.iterdir()}


@both_plugins
def test_run_folder_holds_receipt_and_figures(world, plugin):
    run = world.folder / "runs" / "first"
    done = world.run("check", "--run-dir", str(run), *with_plugin(plugin))
    assert (done.returncode, done.stderr) == (0, "")
    assert files_of(run) - {"plugin.log"} == {"receipt.json", "figure.svg", "figure.png"}
    kept = receipt_of(subprocess.CompletedProcess([], 0, (run / "receipt.json").read_text()))
    _, shown = world.check(*with_plugin(plugin))
    assert shape_of(kept) == shape_of(shown)
    for member in ("created", "timings"):
        del kept[member], shown[member]
    assert kept == shown

    drawing = ElementTree.parse(run / "figure.svg").getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    words = "".join(drawing.itertext())
    assert "cpu" in words and "observation row" in words and "prediction" in words
    picture = (run / "figure.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert picture.endswith(b"IEND\xaeB`\x82")
    assert world.run("verify", str(run), "--require", "cpu").returncode == 0


def shape_of(value):
    """The keys and types of a document, without its values."""
    if isinstance(value, dict):
        return {key: shape_of(member) for key, member in value.items()}
    if isinstance(value, list):
        return [shape_of(item) for item in value]
    return type(value)


def test_json_is_the_receipt_that_is_kept(world):
    done, _ = world.check("--plugin", fake("honest"), "--run-dir", "run")
    assert done.returncode == 0
    assert (world.folder / "run/receipt.json").read_text() == done.stdout


def test_run_folder_is_never_overwritten(world):
    assert world.run("check", "--plugin", fake("honest"), "--run-dir", "run").returncode == 0
    run = world.folder / "run"
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    again = world.run("check", "--run-dir", "run", "--nonce", "00")
    assert (again.returncode, again.stdout) == (2, "")
    assert "'run' exists already and evidence is never overwritten" in again.stderr
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


@pytest.mark.parametrize("kind", ["empty folder", "file", "dangling link", "trailing slash"])
def test_what_is_there_is_never_a_run_folder(world, kind):
    run = world.folder / "run"
    if kind == "file":
        run.write_text("kept")
    elif kind == "dangling link":
        run.symlink_to("nowhere")
    else:
        run.mkdir()
    done = world.run("check", "--run-dir", "run/" if kind == "trailing slash" else "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert run.is_symlink() or run.is_dir() and not files_of(run) or run.read_text() == "kept"
    assert not (world.folder / "nowhere").exists()


@pytest.mark.parametrize("name, status, boundary, figure", [
    ("one_ulp", 1, "numeric", True), ("nan", 1, "numeric", True),
    ("other_device", 1, "placement", True), ("init_fails", 3, "init", False),
    ("aborts_in_execute", 5, "execute", False), ("not_elf.so", 5, "plugin", False)])
def test_failing_run_leaves_its_receipt(world, name, status, boundary, figure):
    done, receipt = world.check("--plugin", fake(name), "--run-dir", "run")
    assert (done.returncode, receipt["boundary"]) == (status, boundary)
    run = world.folder / "run"
    assert (run / "receipt.json").read_text() == done.stdout
    figures = {"figure.svg", "figure.png"} if figure else set()
    assert files_of(run) - {"plugin.log"} == {"receipt.json"} | figures
    assert world.run("verify", "run", "--require", "cpu").returncode == 1


def test_noise_of_a_plugin_is_kept_beside_the_receipt(world):
    done, _ = world.check("--plugin", fake("noisy"), "--run-dir", "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert (world.folder / "run/plugin.log").stat().st_size > 1000


# --- The plugin ---


def named(world, done, receipt, plugin):
    """The run used this file and no other."""
    assert done.returncode == 0, done.stderr
    assert receipt["versions"]["plugin"]["sha256"] == sha256(Path(plugin).read_bytes())
    assert world.verify(done.stdout, "cpu").returncode == 0


@pytest.mark.parametrize("name", ["plug.so", "./plug.so", "folder/../plug.so",
                                  "a folder/it's \"my\" $(plug) é.so"])
@pytest.mark.parametrize("how", ["copy", "link"])
def test_plugin_may_be_named_in_any_way(world, name, how):
    path = world.folder / name
    (world.folder / "folder").mkdir()
    path.parent.mkdir(exist_ok=True)
    if how == "copy":
        shutil.copy(fake("honest"), path)
    else:
        path.symlink_to(fake("honest"))
    done, receipt = world.check("--plugin", name)
    named(world, done, receipt, fake("honest"))
    assert receipt["versions"]["plugin"]["name"] in (path.name, path.resolve().name)


@pytest.mark.parametrize("variables", [
    {"ONCHIP_PLUGIN_CPU": fake("honest")},
    {"PJRT_NAMES_AND_LIBRARY_PATHS": "cpu:" + fake("honest")},
    {"PJRT_NAMES_AND_LIBRARY_PATHS": f"other:/nowhere.so,cpu:{fake('honest')}"},
    {"ONCHIP_PLUGIN_CPU": fake("honest"), "PJRT_NAMES_AND_LIBRARY_PATHS": "cpu:/nowhere.so"},
], ids=["own", "JAX's", "JAX's second", "own before JAX's"])
def test_variable_names_the_plugin(world, variables):
    done, receipt = world.check(env=variables)
    named(world, done, receipt, fake("honest"))


def test_option_beats_the_variables(world):
    done, receipt = world.check("--plugin", fake("honest"),
                                env={"ONCHIP_PLUGIN_CPU": "/nowhere.so"})
    named(world, done, receipt, fake("honest"))


@pytest.mark.parametrize("variable, value", [
    ("ONCHIP_PLUGIN_CPU", "/nowhere.so"), ("PJRT_NAMES_AND_LIBRARY_PATHS", "cpu:/nowhere.so")])
def test_variable_that_names_nothing_is_an_error_and_no_other_is_taken(world, variable, value):
    done, receipt = world.check(env={variable: value})
    assert (done.returncode, receipt["boundary"]) == (2, "input")
    assert variable in done.stderr and "/nowhere.so" in done.stderr


def test_malformed_variable_is_an_error(world):
    done, receipt = world.check(env={"PJRT_NAMES_AND_LIBRARY_PATHS": "/nowhere.so"})
    assert (done.returncode, receipt["boundary"]) == (2, "input")
    assert "is not of the form name:path" in done.stderr


@pytest.mark.parametrize("verb", ["check", "devices"])
@pytest.mark.parametrize("name, words", [
    ("nowhere.so", "No such file or directory"), (".", "is a folder"),
    ("/dev/null", "is not a regular file"), ("plugin.json", "name the library (.so) itself")])
def test_plugin_that_is_none(world, verb, name, words):
    (world.folder / "plugin.json").write_text("{}")
    done = world.run(verb, "--plugin", name)
    assert done.returncode == 2
    assert "[input]" in done.stderr and words in done.stderr and name in done.stderr


def test_plugin_that_cannot_be_read(world):
    path = world.folder / "secret.so"
    shutil.copy(fake("honest"), path)
    path.chmod(0)
    done = world.run("check", "--plugin", path.name, program=powerless())
    assert done.returncode == 2, done.stderr
    assert "cannot read plugin 'secret.so': Permission denied" in done.stderr


@pytest.mark.parametrize("timeout", ["0.001", "86400", "1e2"])
def test_good_timeout(world, timeout):
    done, receipt = world.check("--plugin", fake("hangs_in_create" if timeout == "0.001" else
                                                  "honest"), "--timeout", timeout)
    if timeout == "0.001":
        assert (done.returncode, receipt["error"]["status"]) == (5, "deadline exceeded")
    else:
        assert done.returncode == 0


@pytest.mark.parametrize("verb", ["check", "devices"])
@pytest.mark.parametrize("timeout", ["0", "-1", "x", "1s", "nan", "inf", "86401", ""])
def test_bad_timeout_is_a_usage_error(world, verb, timeout):
    done = world.run(verb, "--timeout", timeout)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--timeout '{timeout}' is not a number of seconds" in done.stderr


# --- The compile options ---


def protobuf(data):
    """The fields of a protobuf message by number; enough of the format for CompileOptionsProto."""
    fields, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        else:
            assert key & 7 == 2, "neither a number nor bytes"
            size = varint()
            value = data[at:at + size]
            assert len(value) == size
            at += size
        fields.setdefault(key >> 3, []).append(value)
    return fields


@both_plugins
def test_compile_options_are_recorded(world, plugin):
    _, receipt = world.check(*with_plugin(plugin))
    options = protobuf(bytes.fromhex(receipt["compile_options"]["hex"]))
    build = protobuf(options[3][0])
    assignment = protobuf(build[9][0])
    assert (build[4], build[5]) == ([1], [1]), "num_replicas, num_partitions"
    assert (assignment[1], assignment[2]) == ([1], [1])
    assert protobuf(assignment[3][0])[1] == [b"\0"], "device 0"
    text = receipt["compile_options"]["text"]
    assert "num_replicas: 1 num_partitions: 1" in text and "replica_device_ids: 0" in text
