"""`onchip run` and `onchip eval` on wrong programs, wrong inputs and plugins that fail; what a run
keeps, and `onchip verify` on it: whatever byte of it is changed, it does not pass.
"""

import io
import json
import tempfile

import numpy as np
import pytest

from conftest import CPU_PLUGIN, OLDER_CPU_PLUGIN, SOURCE, World, fake, no_duplicates
from receipt_changes import (altered, changed, members, receipt_as_written, verdicts_of,
                             with_new_digest)

AFFINE = """module @affine {
  func.func public @main(%x: tensor<4x3xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
    %bias = stablehlo.constant dense<0.5> : tensor<4xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %bias : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"""
X = np.array([[1, 2, 3], [0, -1, 0.5], [4, 0, 0], [-2, 8, 1]], np.float32)
W = np.array([0.5, -0.25, 2], np.float32)
Y = np.array([6.5, 1.75, 2.5, -0.5], np.float32)  # X W + 0.5, all of it exact
KEPT = {"program.mlir", "in0.npy", "in1.npy"}
NUMBER = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
"""


class Desk(World):
    """A World with the affine program and its arrays."""

    def __init__(self, folder):
        super().__init__(folder)
        self.write("affine.mlir", AFFINE)
        for name, array in (("x", X), ("w", W), ("y", Y)):
            np.save(self.folder / f"{name}.npy", array)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def affine(self, *args, plugin=CPU_PLUGIN, **options):
        return self.run("run", "affine.mlir", "--input", "x.npy", "--input", "w.npy", "--plugin",
                        str(plugin), *args, **options)


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.await_no_process()


def document(done):
    return json.loads(done.stdout, object_pairs_hook=no_duplicates, parse_constant=pytest.fail)


# --- Programs and inputs that make no sense ------------------------------------------------------


def nest(opening, inner, closing, depth=10_000):
    return opening * depth + inner + closing * depth


def nested_ifs(depth=10_000):
    opening = "".join(f'%r{i} = "stablehlo.if"(%p) ({{\n' for i in range(depth))
    closing = "".join('}, {\nstablehlo.return %a : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n'
                      + ("stablehlo." if i else "") + f"return %r{i} : tensor<f32>\n"
                      for i in reversed(range(depth)))
    return ("func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {\n" + opening
            + "stablehlo.return %a : tensor<f32>\n" + closing + "}\n")


def constant(kind):
    return (f"func.func @main() -> tensor<{kind}> {{\n"
            f"  %0 = stablehlo.constant dense<0> : tensor<{kind}>\n"
            f"  return %0 : tensor<{kind}>\n}}\n")


# The program, and the place and the words of the refusal.
MALFORMED = {
    "empty": ("", ":1:1:", "expected a module or a function"),
    "no_main": (NUMBER.replace("@main", "@f"), "",
                "no function @main, with which a program starts; there is @f"),
    "cut": (NUMBER[:-3], ":2:", "expected"),
    "not_text": ("MZ\x01\x02", ":1:1:", "expected"),
    "unknown_type": (NUMBER.replace("f32", "f33"), ":1:28:", "f33"),
    "undefined_value": (NUMBER.replace("return %a", "return %b"), ":2:10:", "%b"),
    "unknown_function": ("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                         "  %0 = func.call @g(%a) : (tensor<f32>) -> tensor<f32>\n"
                         "  return %0 : tensor<f32>\n}\n", ":2:", "@g"),
    "deep_regions": (nested_ifs(), ":258:", "nested more than 256 deep"),
    "deep_attribute": (NUMBER.replace(" {\n", " attributes {x = " + nest("[", "", "]") + "} {\n"),
                       ":1:", "nested more than 256 deep"),
    "deep_literal": (constant("1xf32").replace("0>", nest("[", "0.0", "]") + ">"), ":2:",
                     "a list nested deeper than the 1 dimension of 'tensor<1xf32>'"),
    "deep_type": (NUMBER.replace("%a: tensor<f32>", "%a: " + nest("tuple<", "tensor<f32>", ">")),
                  ":1:", "nested more than 256 deep"),
    "product_overflows": (constant("4294967296x4294967296x4294967296xi8"), ":2:", "too large"),
    "bytes_overflow": (constant("2305843009213693952x8xi8"), ":2:", "too large"),
    "dimension_overflows": (constant("9223372036854775808xi8"), ":1:", "beyond 2^63"),
    "negative_dimension": (constant("-1xi8"), ":1:29:", "expected a type"),
}


@pytest.mark.parametrize("verb", ["eval", "run"])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_program(desk, name, verb):
    text, place, words = MALFORMED[name]
    desk.write("p.mlir", text)
    plugin = ["--plugin", fake("hangs_in_initialize")] if verb == "run" else []
    done = desk.run(verb, "p.mlir", *plugin, "--output-dir", "kept")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith(f"onchip: error: [input] p.mlir{place}"), done.stderr[:400]
    assert words in done.stderr and len(done.stderr) < 2000
    assert not (desk.folder / "kept").exists()


@pytest.mark.parametrize("data, words", [
    (b"func.func @main() {\n  return\0\n}\n", "NUL"), (b"// \xff\xfe\n", "UTF-8")])
def test_bytes_that_are_no_text(desk, data, words):
    (desk.folder / "p.mlir").write_bytes(data)
    done = desk.run("eval", "p.mlir")
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr, done.stderr


def test_a_long_program_is_no_deep_one(desk):
    steps = "".join(f"  %a{i + 1} = stablehlo.negate %a{i} : tensor<f32>\n" for i in range(10_001))
    desk.write("p.mlir", "func.func @main(%a0: tensor<f32>) -> tensor<f32> {\n" + steps
               + "  return %a10001 : tensor<f32>\n}\n")
    np.save(desk.folder / "a.npy", np.float32(3))
    done = desk.run("run", "p.mlir", "--input", "a.npy", "--plugin", str(CPU_PLUGIN),
                    "--output-dir", "kept")
    assert done.returncode == 0, done.stdout + done.stderr
    assert np.load(desk.folder / "kept/out0.npy") == -3


@pytest.mark.parametrize("args, words", [
    ([], "0 of 2 inputs of @main are given; missing: %x: tensor<4x3xf32>, %w: tensor<3xf32>"),
    (["x.npy"], "1 of 2 inputs of @main are given; missing: %w: tensor<3xf32>"),
    (["x.npy", "w.npy", "w.npy"], "3 inputs are given, but @main takes 2"),
    (["w.npy", "x.npy"], "argument 0 (%x) of @main is tensor<4x3xf32>, but the input is "
                         "tensor<3xf32>"),
    (["x.npy", "w32.npy"], "argument 1 (%w) of @main is tensor<3xf32>, but the input is "
                           "tensor<3xi32>: the element types differ"),
    (["xt.npy", "w.npy"], "argument 0 (%x) of @main is tensor<4x3xf32>, but the input is "
                          "tensor<3x4xf32>: the dimensions differ"),
    (["x.npy", "affine.mlir"], "affine.mlir"),
    (["x.npy", "cut.npy"], "cut.npy"),
    (["x.npy", "nowhere.npy"], "'nowhere.npy': No such file"),
    (["x.npy", "random:1:odd"], "'odd' is no set of inputs"),
    (["x.npy", "random:one"], "'random:one' is not random:SEED"),
    (["all.npz:x", "all.npz:z"], "'all.npz:z' names no array of its archive, which holds x.npy"),
])
@pytest.mark.parametrize("verb", ["eval", "run"])
def test_wrong_inputs_are_told_before_the_plugin(desk, args, words, verb):
    np.save(desk.folder / "w32.npy", np.arange(3, dtype=np.int32))
    np.save(desk.folder / "xt.npy", X.T.copy())
    (desk.folder / "cut.npy").write_bytes((desk.folder / "w.npy").read_bytes()[:-1])
    np.savez(desk.folder / "all.npz", x=X, w=W)
    plugin = ["--plugin", fake("hangs_in_initialize")] if verb == "run" else []
    inputs = [each for arg in args for each in ("--input", arg)]
    done = desk.run(verb, "affine.mlir", *plugin, *inputs, "--output-dir", "kept")
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr, done.stderr
    assert not (desk.folder / "kept").exists()


@pytest.mark.parametrize("args, words", [
    (["--allow", "anything"], "'anything' is no deviation that can be allowed"),
    (["--reference", "half"], "--reference 'half' is not auto, full, sample or none"),
    (["--replicas", "0"], "--replicas '0' is not a number from 1 to 4096"),
    (["--budget", "soon"], "--budget 'soon' is not a number of seconds"),
    (["--expect", "y.npy", "--expect", "y.npy"], "2 expectations were given, but there are 1"),
    (["--expect", "nowhere.npy"], "'nowhere.npy': No such file"),
    (["--receipt", "x.npy"], "'x.npy' is there already"),
    (["again.mlir"], "'again.mlir' is not expected here"),
])
def test_usage_of_run(desk, args, words):
    done = desk.affine(*args, plugin=fake("hangs_in_initialize"))
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr, done.stderr


FOREVER = """func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%i = %0) : tensor<i32>
  cond {
    %2 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }
  return %1 : tensor<i32>
}
"""


def test_a_loop_without_end(desk):
    desk.write("p.mlir", FOREVER)
    done = desk.run("eval", "p.mlir", "--timeout", "0.5", "--output-dir", "kept")
    assert (done.returncode, done.stdout) == (4, "")
    assert "of the loop in line 3" in done.stderr and not (desk.folder / "kept").exists()
    done = desk.run("run", "p.mlir", "--plugin", str(CPU_PLUGIN), "--timeout", "2")
    assert done.returncode == 5
    assert "[execute] the plugin gave no answer in execute within 2 s" in done.stderr


def test_a_recursion_without_end(desk):
    desk.write("p.mlir", NUMBER.replace("  return %a", "  %0 = func.call @main(%a) : "
                                        "(tensor<f32>) -> tensor<f32>\n  return %0"))
    done = desk.run("eval", "p.mlir", "--input", "random:1")
    assert (done.returncode, done.stdout) == (4, "") and "p.mlir:2:" in done.stderr
    done = desk.run("run", "p.mlir", "--input", "random:1", "--plugin", str(CPU_PLUGIN),
                    "--output-dir", "kept")
    assert done.returncode == 5 and "[compile] " in done.stderr


def test_more_than_memory_holds(desk):
    desk.write("p.mlir", "func.func @main(%a: tensor<i8>) -> tensor<1099511627776xi8> {\n"
               "  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i8>) -> "
               "tensor<1099511627776xi8>\n  return %0 : tensor<1099511627776xi8>\n}\n")
    done = desk.run("eval", "p.mlir", "--input", "random:1")
    assert (done.returncode, done.stdout) == (4, "") and "p.mlir:2:" in done.stderr


TOP_K = """func.func @main(%a: tensor<1x6xf32>)
    -> (tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x6xf32>) {
  %0:2 = stablehlo.custom_call @TopK(%a) {api_version = 2 : i32, called_computations = [@above]}
      : (tensor<1x6xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
  %1 = stablehlo.negate %a : tensor<1x6xf32>
  return %0#0, %0#1, %1 : tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x6xf32>
}
func.func private @above(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>)
    -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
"""


@pytest.mark.parametrize("plugin", [CPU_PLUGIN, OLDER_CPU_PLUGIN], ids=["default", "older"])
def test_a_custom_call_that_only_the_plugin_knows(desk, plugin):
    desk.write("p.mlir", TOP_K)
    np.save(desk.folder / "a.npy", np.array([[3, 9, 1, 7, 5, 2]], np.float32))
    done = desk.run("run", "p.mlir", "--input", "a.npy", "--plugin", str(plugin), "--output-dir",
                    "kept")
    assert done.returncode == 4, done.stderr
    assert "UNKNOWN: 4 of 10 elements are not judged (custom_call @TopK)" in done.stdout
    assert np.load(desk.folder / "kept/out0.npy").tolist() == [[9, 7]]
    assert np.load(desk.folder / "kept/out1.npy").tolist() == [[1, 3]]
    assert desk.run("verify", "kept", "--require", "cpu").returncode == 4


def test_infinities_and_nan_are_inputs(desk):
    odd = X.copy()
    odd[0, 0], odd[1, 1], odd[2, 2] = np.nan, np.inf, -np.inf
    np.save(desk.folder / "x.npy", odd)
    done = desk.affine("--output-dir", "kept")
    assert done.returncode == 0, done.stdout + done.stderr
    got = np.load(desk.folder / "kept/out0.npy")
    assert np.isnan(got[0]) and got[1] == got[2] == -np.inf and got[3] == Y[3]


def test_what_takes_too_long_is_not_judged(desk):
    desk.write("p.mlir", FOREVER.replace(
        "%2 = stablehlo.constant dense<true> : tensor<i1>",
        "%n = stablehlo.constant dense<3000000> : tensor<i32>\n    %2 = stablehlo.compare LT, %i, "
        "%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>").replace(
        "%3 = stablehlo.add %i, %i", "%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "    %3 = stablehlo.add %i, %one"))
    done = desk.run("run", "p.mlir", "--plugin", str(CPU_PLUGIN), "--budget", "0.1")
    assert done.returncode == 4, done.stderr
    assert "UNKNOWN: the reference cannot evaluate the program: p.mlir:" in done.stdout
    assert "time of 0.1 s is up" in done.stdout


# --- More than anybody waits for -----------------------------------------------------------------

WIDE = """func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
      : (tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
"""


def wide(desk, *args):
    desk.write("wide.mlir", WIDE)
    return desk.run("run", "wide.mlir", "--input", "random:1", "--plugin", str(CPU_PLUGIN),
                    "--output-dir", "kept", *args)


@pytest.mark.parametrize("args", [["--reference", "sample", "--budget", "0.02"], ["--budget", "0.02"]])
def test_a_sample_says_what_it_may_miss(desk, args):
    done = wide(desk, "--json", *args)
    assert done.returncode == 0, done.stdout + done.stderr
    receipt = document(done)
    numeric, sample = receipt["numeric"], receipt["numeric"]["sample"]
    assert (numeric["verdict"], numeric["reason"]) == ("PASS", "sampled")
    assert sample["elements"] == 1024 * 1024
    assert 16 * 16 <= sample["judged"] < 1024 * 1024
    assert sample["misses_1_percent"] == pytest.approx(0.99 ** sample["draws"], rel=1e-12)
    assert sample["misses_0_1_percent"] == pytest.approx(0.999 ** sample["draws"], rel=1e-12)
    assert (sample["rows"], sample["rows_refuted"], sample["rows_suspect"]) == (1024, 0, 0)
    outcomes = receipt["outputs"][0]["judged"]["outcomes"]
    assert sum(outcomes.values()) == sample["judged"]
    assert {each["refuted"] for each in receipt["controls"]} == {True}
    assert desk.run("verify", "kept", "--require", "cpu").returncode == 0


def test_the_whole_is_judged_when_asked_for(desk):
    done = wide(desk, "--json", "--reference", "full", "--budget", "60")
    receipt = document(done)
    assert (done.returncode, receipt["numeric"]["reason"]) == (0, "consistent")
    assert receipt["numeric"]["sample"] is None


# --- Plugins that fail ---------------------------------------------------------------------------

# The fake, the exit status, and the beginning of the error.
FAILURES = {
    "segfault_in_compile": (5, "[compile] the plugin ended its process in compile with signal 11 "
                               "(Segmentation fault)"),
    "compile_error": (5, "[compile] PJRT_Client_Compile failed with code 3: first line"),
    "aborts_in_execute": (5, "[execute] the plugin ended its process in execute with signal 6 "
                             "(Aborted)"),
    "exits_in_execute": (5, "[execute] the plugin ended its process in execute with exit status 0"),
    "error_null_code": (5, "[execute] PJRT_LoadedExecutable_Execute failed with code 0: "),
    "hangs_in_compile": (5, "[compile] the plugin gave no answer in compile within 2 s"),
    "init_fails": (3, "[init] PJRT_Client_Create failed with code 9: No visible FAKE devices."),
    "no_devices": (3, "[discovery] the cpu client has 0 addressable devices; 1 are needed"),
    "no_symbol": (5, "[plugin] "),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_plugin_that_fails_is_told_and_the_request_kept(desk, name):
    status, words = FAILURES[name]
    limit = ["--timeout", "2"] if name.startswith("hangs") else []
    done = desk.affine("--output-dir", "kept", "--json", *limit, plugin=fake(name))
    assert done.returncode == status
    assert f"onchip: error: {words}" in done.stderr
    receipt = document(done)
    assert receipt["error"]["text"].startswith(words.split("] ", 1)[1])
    assert receipt["boundary"] == words[1:].split("]")[0]
    assert (receipt["numeric"]["verdict"], receipt["placement"]["verdict"]) == ("UNKNOWN", "FAIL")
    kept = {path.name for path in (desk.folder / "kept").iterdir()} - {"plugin.log"}
    assert kept == KEPT | {"receipt.json"}
    assert (desk.folder / "kept/program.mlir").read_text() == AFFINE
    assert (desk.folder / "kept/receipt.json").read_text() == done.stdout
    verified = desk.run("verify", "kept", "--require", "cpu")
    assert verified.returncode == 1 and "the run failed at boundary" in verified.stdout
    assert all(each.isprintable() or each in "\n\t" for each in done.stderr)


def test_a_real_plugin_that_aborts(desk):
    """XLA ends the process over a product of dimensions (the class of openxla/xla#39464)."""
    kind = "tensor<4294967296x4294967296x4294967296xf32>"
    desk.write("p.mlir", f"func.func @main(%a: tensor<f32>) -> {kind} {{\n  %0 = "
               f"stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> {kind}\n"
               f"  return %0 : {kind}\n}}\n")
    np.save(desk.folder / "a.npy", np.float32(1))
    done = desk.run("run", "p.mlir", "--input", "a.npy", "--plugin", str(CPU_PLUGIN),
                    "--output-dir", "kept")
    assert done.returncode == 5 and "[compile] " in done.stderr, done.stderr
    assert (desk.folder / "kept/program.mlir").exists()


# The fake, its verdicts (numeric, placement), and words of the sentence.
LIES = {
    "honest": ("PASS", "PASS", "all 4 elements of 1 output are consistent: 4 exact"),
    "noisy": ("PASS", "PASS", "4 exact"),
    "one_ulp": ("FAIL", "PASS", "element 2 is 2.50000024, must be 2.5"),
    "nan": ("FAIL", "PASS", "element 2 is nan, must be 2.5"),
    "rows_swapped": ("FAIL", "PASS",
                     "2 of 4 elements are refuted; output 0, element 1 is 2.5, must be 1.75"),
    "bias_dropped": ("FAIL", "PASS", "4 of 4 elements are refuted"),
    "wrong_shape": ("FAIL", "PASS", "output 0 came back as float32[2,2], declared tensor<4xf32>"),
    "wrong_dtype": ("FAIL", "PASS", "output 0 came back as int32[4], declared tensor<4xf32>"),
    "other_device": ("PASS", "FAIL", "out0 lies on FakeCpuDevice(id=1)"),
    "foreign_device": ("PASS", "FAIL", "the owner of out0 is no device of the cpu client"),
    "host_memory": ("PASS", "FAIL", "out0 lies in memory 'unpinned_host'"),
    "calls_itself_tpu": ("PASS", "FAIL", "requested cpu, observed tpu"),
    "reports_other_platform": ("PASS", "FAIL", "requested cpu, observed interpreter"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_plugin_that_lies_is_seen(desk, name):
    numeric, placement, words = LIES[name]
    done = desk.affine("--output-dir", "kept", plugin=fake(name))
    assert f"numeric   {numeric}: " in done.stdout and f"placement {placement}: " in done.stdout
    assert words in done.stdout, done.stdout
    good = numeric == placement == "PASS"
    assert done.returncode == (0 if good else 1)
    verified = desk.run("verify", "kept", "--require", "cpu")
    assert verified.returncode == (0 if good else 1), verified.stdout + verified.stderr
    assert (desk.folder / "kept/plugin.log").exists() == (name == "noisy")


def test_no_plugin_is_no_run_on_the_cpu(desk):
    empty = desk.folder / "empty"
    empty.mkdir()
    done = desk.run("run", "affine.mlir", "--input", "random:1", "--platform", "tpu", "--json",
                    env={"PATH": str(empty)})
    receipt = document(done)
    assert (done.returncode, receipt["boundary"], receipt["platform"]) == (3, "plugin", None)
    done = desk.affine("--platform", "tpu")
    assert done.returncode == 1
    assert "placement FAIL: requested and observed platform disagree: requested tpu, observed cpu" \
        in done.stdout


# --- Options -------------------------------------------------------------------------------------


def test_the_answers_of_eval_and_run_are_the_same_file(desk):
    for verb, plugin in (("eval", []), ("run", ["--plugin", str(CPU_PLUGIN)])):
        done = desk.run(verb, "affine.mlir", "--input", "x.npy", "--input", "w.npy", *plugin,
                        "--output-dir", verb)
        assert done.returncode == 0, done.stderr
        assert np.load(desk.folder / verb / "out0.npy").tolist() == Y.tolist()
    assert not np.load(desk.folder / "eval/out0.radius.npy").any()
    assert (desk.folder / "eval/out0.npy").read_bytes() \
        == (desk.folder / "run/out0.npy").read_bytes()


def test_program_from_standard_input(desk):
    with open(desk.folder / "affine.mlir", encoding="utf-8") as text:
        done = desk.run("run", "-", "--input", "x.npy", "--input", "w.npy", "--plugin",
                        str(CPU_PLUGIN), "--output-dir", "kept", stdin=text)
    assert done.returncode == 0, done.stderr
    assert (desk.folder / "kept/program.mlir").read_text() == AFFINE


@pytest.mark.parametrize("change, reference, status, words", [
    (lambda y: y, "full", 0, ""),
    (lambda y: np.nextafter(y, np.float32(9)), "full", 1,
     "the expectation of output 0 is not what the program computes: element 0 is 6.50000048"),
    (lambda y: np.where(y == 2.5, np.nan, y), "full", 1, "element 2 is nan, the reference 2.5"),
    (lambda y: y[:3], "full", 1, "output 0 and its expectation differ in type or shape"),
    (lambda y: y.astype(np.float64), "full", 1, "output 0 and its expectation differ in type"),
    (lambda y: y, "none", 4, "no reference was asked for"),
    (lambda y: y + 1, "none", 1, "output 0 is not its expectation bit for bit"),
])
def test_expectation(desk, change, reference, status, words):
    kind = np.float64 if change(Y).dtype == np.float64 and change(Y).shape == (4,) \
        and not np.isnan(change(Y)).any() else np.float32
    np.save(desk.folder / "y.npy", change(Y).astype(kind))
    done = desk.affine("--expect", "y.npy", "--reference", reference)
    assert done.returncode == status and words in done.stdout, done.stdout + done.stderr


def test_expectation_within_the_bounds(desk):
    """Where the order of a sum is open, an expectation may differ from the output."""
    np.save(desk.folder / "x.npy", X / 3)
    np.save(desk.folder / "w.npy", W / 7)
    assert desk.affine("--output-dir", "kept").returncode == 0
    wanted = np.load(desk.folder / "kept/out0.npy")
    for off, status in ((np.nextafter(wanted[0], np.float32(99)), 0), (wanted[0] * 1.001, 1)):
        wanted[0] = off
        np.save(desk.folder / "y.npy", wanted)
        done = desk.affine("--expect", "y.npy")
        assert done.returncode == status, done.stdout


def test_xla_options_reach_the_compiler(desk):
    case = SOURCE / "tests/cases/reduce_maximum_keeps_nan.mlir"
    np.save(desk.folder / "a.npy", np.array([[4, np.nan, 1, 2], [3, 9, 5, 8]], np.float32))
    for option, status in ((("xla_cpu_enable_fast_min_max=false",), 0),
                           (("xla_cpu_enable_fast_min_max=true",), 1), (("xla_no_such=1",), 5)):
        done = desk.run("run", str(case), "--input", "a.npy", "--plugin", str(CPU_PLUGIN), "--json",
                        *[each for one in option for each in ("--xla-option", one)])
        assert done.returncode == status, done.stderr
        assert document(done)["compile_options"]["xla"] == list(option)


MAXIMUM = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<[0x7FC00000, 0.0, 0.0]> : tensor<3xf32>
  %0 = stablehlo.maximum %x, %c : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


def test_a_second_opinion_shows_which_rewrite_was_at_work(desk):
    """openxla/xla#21461: maximum(1, NaN) is 1 as XLA:CPU is asked by default."""
    desk.write("maximum.mlir", MAXIMUM)
    np.save(desk.folder / "v.npy", np.array([1, 2, -3], np.float32))
    done = desk.run("run", "maximum.mlir", "--input", "v.npy", "--plugin", str(CPU_PLUGIN),
                    "--second-opinion", "--json")
    assert done.returncode == 1, done.stderr
    numeric = document(done)["numeric"]
    assert numeric["reason"] == "refuted"
    opinions = {o["option"]: o for o in numeric["second_opinions"]}
    mended = opinions["xla_cpu_enable_fast_min_max=false"]
    assert (mended["reached"], mended["changed"]) == (True, 1)
    assert (mended["refuted_before"], mended["refuted"]) == (1, 0)
    same = opinions["xla_allow_excess_precision=false"]
    assert (same["reached"], same["changed"], same["refuted"]) == (True, 0, 1)


def test_a_second_opinion_that_cannot_be_had(desk):
    """The older plugin does not know every option; its words are kept, the verdict stands."""
    done = desk.affine("--second-opinion", "--json", plugin=OLDER_CPU_PLUGIN)
    assert done.returncode == 0, done.stderr
    for opinion in document(done)["numeric"]["second_opinions"]:
        assert opinion["reached"] == (opinion["detail"] is None)
        assert opinion["changed"] == 0


def test_receipt_alone(desk):
    done = desk.affine("--receipt", "r.json", "--json")
    assert done.returncode == 0, done.stderr
    assert (desk.folder / "r.json").read_text() == done.stdout
    assert document(done)["outputs"][0]["file"] is None
    verified = desk.run("verify", "r.json", "--require", "cpu")
    assert verified.returncode == 4 and "must lie beside the receipt" in verified.stdout


def test_nothing_is_overwritten(desk):
    assert desk.affine("--output-dir", "a/b").returncode == 0
    before = {path: path.stat().st_mtime_ns for path in (desk.folder / "a/b").iterdir()}
    done = desk.affine("--output-dir", "a/b", plugin=fake("hangs_in_initialize"))
    assert done.returncode == 2 and "a/b/program.mlir' is there already" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in (desk.folder / "a/b").iterdir()} == before


def test_what_cannot_be_kept_is_told(desk):
    done = desk.affine("--receipt", "nowhere/r.json")
    assert done.returncode == 5 and "[evidence] cannot create 'nowhere/r.json'" in done.stderr
    assert "numeric   PASS" in done.stdout
    done = desk.affine("--output-dir", "x.npy/kept", plugin=fake("hangs_in_initialize"))
    assert done.returncode == 5 and "[evidence] " in done.stderr


def test_random_inputs_are_kept_and_the_same_again(desk):
    for name in ("first", "second"):
        done = desk.run("run", "affine.mlir", "--input", "random:7:lattice", "--plugin",
                        str(CPU_PLUGIN), "--output-dir", name)
        assert done.returncode == 0, done.stderr
    for name in ("in0.npy", "in1.npy", "out0.npy"):
        assert (desk.folder / "first" / name).read_bytes() == (desk.folder / "second" / name) \
            .read_bytes()
    receipt = json.loads((desk.folder / "first/receipt.json").read_text())
    assert [each["source"] for each in receipt["inputs"]] == ["random:7:lattice"] * 2
    done = desk.run("run", "affine.mlir", "--input", "first/in0.npy", "--input", "first/in1.npy",
                    "--plugin", str(CPU_PLUGIN), "--expect", "first/out0.npy")
    assert done.returncode == 0, done.stdout


def test_members_of_an_archive(desk):
    np.savez(desk.folder / "all.npz", x=X, w=W)
    done = desk.run("run", "affine.mlir", "--input", "all.npz:x", "--input", "all.npz:w",
                    "--plugin", str(CPU_PLUGIN), "--expect", "y.npy")
    assert done.returncode == 0, done.stdout + done.stderr


REPLICAS = """func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return %0, %1 : tensor<2xf32>, tensor<ui32>
}
"""


def test_replicas(desk):
    """The inputs and outputs of all processes, one process after the other."""
    desk.write("p.mlir", REPLICAS)
    np.save(desk.folder / "a.npy", np.array([1, 20], np.float32))
    np.save(desk.folder / "b.npy", np.array([300, 4], np.float32))
    given = ["p.mlir", "--input", "a.npy", "--input", "b.npy", "--replicas", "2", "--output-dir"]
    assert desk.run("eval", *given, "eval").returncode == 0
    done = desk.run("run", *given, "kept", "--plugin", str(CPU_PLUGIN), "--json")
    assert done.returncode == 0, done.stderr
    for folder in ("eval", "kept"):
        got = [np.load(desk.folder / folder / f"out{k}.npy").tolist() for k in range(4)]
        assert got == [[301, 24], 0, [301, 24], 1]
    outputs = document(done)["outputs"]
    assert len({each["device"] for each in outputs}) == 2
    assert outputs[0]["device"] == outputs[1]["device"] != outputs[2]["device"]
    assert desk.run("verify", "kept", "--require", "cpu").returncode == 0


# --- What a run keeps, changed -------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept():
    """The desk of a run that passes; its files are in the folder `kept`."""
    with tempfile.TemporaryDirectory(prefix="onchip-test-") as folder:
        made = Desk(folder)
        done = made.affine("--output-dir", "kept")
        assert done.returncode == 0, done.stderr
        yield made
        made.await_no_process()


def test_verify_passes_what_was_not_changed(kept):
    name = "program.mlir"
    same = (kept.folder / "kept" / name).read_bytes()
    answers = verdicts_of(kept, "kept", [(name, same)] * 5)
    assert [each["verdict"] for each in answers] == ["PASS"] * 5
    for args, words in ((["--require", "tpu"], "required tpu"),
                        (["--require", "cpu", "--nonce", "5eed"], "nonce")):
        done = kept.run("verify", "kept", *args)
        assert done.returncode == 1 and words in done.stdout


@pytest.mark.parametrize("name", ["program.mlir", "in0.npy", "in1.npy", "out0.npy"])
def test_no_byte_of_a_file_can_be_changed(kept, name):
    data = (kept.folder / "kept" / name).read_bytes()
    changes = [(name, data[:k] + bytes([data[k] ^ 1]) + data[k + 1:]) for k in range(len(data))]
    changes += [(name, data[:-1]), (name, data + b"\0"), (name, b"")]
    for (_, other), answer in zip(changes, verdicts_of(kept, "kept", changes)):
        assert answer["verdict"] == "FAIL" or same_array(other, data), (other, answer)
    assert [each["verdict"] for each in verdicts_of(kept, "kept", [(name, None)])] == ["UNKNOWN"]


def same_array(other, data):
    """Some bytes of a .npy file say the same in two ways ('<f4' and '=f4')."""
    if not data.startswith(b"\x93NUMPY"):
        return False
    a, b = np.load(io.BytesIO(other)), np.load(io.BytesIO(data))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_no_member_of_the_receipt_can_be_changed(kept):
    receipt = json.loads((kept.folder / "kept/receipt.json").read_text())
    paths = list(members(receipt))
    assert len(paths) > 100
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
    assert {"program.sha256", "numeric.verdict", "claims", "controls", "outputs", "sha256",
            "versions.plugin.sha256"} <= told, told


def test_the_digest_is_that_of_the_members_before_it(kept):
    assert with_new_digest(receipt_as_written(kept.folder / "kept")) \
        == (kept.folder / "kept/receipt.json").read_text()


@pytest.mark.parametrize("path, value", [
    (("numeric", "verdict"), "FAIL"), (("numeric", "level"), "hard"), (("boundary",), "compile"),
    (("numeric", "deviations"), ["flush-to-zero"]), (("outputs", 0, "sha256"), "0" * 64),
    (("inputs", 1, "sha256"), "0" * 64), (("inputs", 0, "shape"), [3, 4]), (("controls",), []),
    (("outputs", 0, "dtype"), "int32"), (("outputs", 0, "device"), "CpuDevice(id=7)"),
    (("claims", 1, "status"), "unverified"), (("requested_as",), "gpu")], ids=str)
def test_a_new_digest_does_not_help(kept, path, value):
    """Whoever changes a verdict or a hash can compute the digest anew; the rules stand."""
    receipt = receipt_as_written(kept.folder / "kept")
    at = receipt
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    answer, = verdicts_of(kept, "kept", [("receipt.json", with_new_digest(receipt).encode())])
    assert answer["verdict"] == "FAIL" and answer["member"] != "sha256", answer


@pytest.mark.parametrize("member, value", [("seed", 1), ("draws", 8), ("judged", 1), ("rows", 7),
                                           ("misses_1_percent", 0.5)])
def test_another_sample_is_refused(desk, member, value):
    wide(desk, "--reference", "sample", "--budget", "0.05")
    receipt = receipt_as_written(desk.folder / "kept")
    receipt["numeric"]["sample"][member] = value
    (desk.folder / "kept/receipt.json").write_text(with_new_digest(receipt))
    done = desk.run("verify", "kept", "--require", "cpu")
    assert done.returncode == 1, done.stdout
    assert "the sample is not the one that its seed draws" in done.stdout
