"""Programs on which compilers and interpreters were reported wrong, judged by `onchip eval` and by
`onchip run` on two CPU plugins. A case is a file of tests/cases: comments that say what went wrong
and where it was reported, then lines that this test reads, then the program:

    input TYPE[SHAPE] VALUES     the next argument
    output TYPE[SHAPE] VALUES    the next result, by the specification or exact arithmetic
    eval within N ulp            how far `eval` may be from it (or: within X absolute); else no bit
    device within N ulp          how far a device may be; else as far as `eval`
    device may differ            whatever a device gives is allowed, and never refuted
    run PLUGIN [OPTION...]: VERDICT|VERDICT [deviates NAME, NAME]
                                 numeric verdicts that `run` may give on the plugin (default or
                                 older), and the deviations that it names; `REFUSED WORDS`: the
                                 plugin does not compile the program and says so
    refuse [LINE:COLUMN] WORDS   `eval` must refuse it, there and with these words
    mend TEXT => TEXT            the program that must not be refused

A value is a number, nan, inf, true, a number with a binary exponent (0x3p100) or the bits of one
(0x7FC00000); V*N stands for N of V and A..B for whole numbers. `?V` is left open by the
specification: V is what the reference takes, and it says that it did. A line with more than a
blank before its text continues the one above.

NaN equals NaN; all else is compared bit for bit, zeros with their signs.
"""

import json
import re
import struct
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite, isnan, prod
from pathlib import Path

import numpy as np
import pytest

from conftest import CPU_PLUGIN, FAKES, OLDER_CPU_PLUGIN, SOURCE, World

FILES = sorted((SOURCE / "tests/cases").glob("*.mlir"))
PLUGINS = {"default": CPU_PLUGIN, "older": OLDER_CPU_PLUGIN}
VERDICTS = {"PASS", "FAIL", "UNKNOWN"}
FLOATS = {"f16": "e", "bf16": "f", "f32": "f", "f64": "d"}
# Those that NumPy lacks are written as ml_dtypes does it, or in a type that holds them.
DESCRS = {"i1": "?", "i4": "i1", "ui4": "u1", "bf16": "V2", "f8E5M2": "V1", "f8E4M3FN": "V1"}


# --- Values, as the bits of their elements -------------------------------------------------------


def width_of(kind):
    """Bits of an element in a file."""
    own = kind in DESCRS and np.dtype(DESCRS[kind]).itemsize * 8
    return own or int(kind.lstrip("fiu"))


def bits_of(kind, text):
    """The bits of one value, as a whole number."""
    if re.fullmatch("0x[0-9A-F]+", text):
        return int(text, 16)
    if kind == "i1":
        return {"false": 0, "true": 1}[text]
    if kind not in FLOATS:
        return int(text) % 2 ** width_of(kind)
    value = float.fromhex(text) if "p" in text else float(text)
    if kind == "f32" and isfinite(value):
        value = nearest_f32(Fraction(value) if "p" in text else Fraction(text), value)
    bits = int.from_bytes(struct.pack("<" + FLOATS[kind], value), "little")
    if kind == "bf16":
        assert bits % 65536 == 0 or isnan(value), f"{text} is no number of bf16"
        bits >>= 16
    return bits


def nearest_f32(exact, value):
    """A decimal rounded once, not by way of f64."""
    near = np.float32(value)
    around = [near, np.nextafter(near, np.float32(-9e37)), np.nextafter(near, np.float32(9e37))]
    return min(map(float, around), key=lambda each: abs(Fraction(each) - exact))


def number_of(kind, bits):
    """The number that bits stand for, where the kind is one of FLOATS."""
    if kind == "bf16":
        bits <<= 16
    size = struct.calcsize(FLOATS[kind])
    return struct.unpack("<" + FLOATS[kind], bits.to_bytes(size, "little"))[0]


def order_of(kind, bits):
    """Neighbouring floats have neighbouring orders; both zeros have 0."""
    sign = 1 << (width_of(kind) - 1)
    return -(bits - sign) if bits & sign else bits


@dataclass
class Array:
    kind: str
    shape: tuple
    bits: list
    is_open: list = field(default_factory=list)  # left open by the specification

    def file(self, path):
        raw = np.array(self.bits, f"u{width_of(self.kind) // 8}").reshape(self.shape)
        np.save(path, raw.view(self.descr()))

    def descr(self):
        return DESCRS.get(self.kind) or f"{self.kind[0]}{width_of(self.kind) // 8}"


def read_array(text):
    kind, dims, values = re.fullmatch(r"(\w+)\[([\d,]*)\] *(.*)", text).groups()
    shape = tuple(int(each) for each in dims.split(",") if each)
    bits, is_open = [], []
    for token in values.split():
        value, count = re.fullmatch(r"(\S+?)(?:\*(\d+))?", token).groups()
        many = re.fullmatch(r"(\d+)\.\.(\d+)", value)
        each = (range(int(many[1]), int(many[2]) + 1) if many
                else [value.lstrip("?")] * int(count or 1))
        bits += [bits_of(kind, str(one)) for one in each]
        is_open += [value.startswith("?")] * len(each)
    assert len(bits) == prod(shape), f"{len(bits)} values for {kind}{list(shape)}"
    return Array(kind, shape, bits, is_open)


def load_array(path, like):
    """What a file holds, as an Array of the kind that is expected."""
    array = np.load(path)
    assert array.dtype == np.dtype(like.descr()), f"{path}: {array.dtype}"
    raw = array.view(f"u{width_of(like.kind) // 8}") if array.size else array
    return Array(like.kind, array.shape, [int(each) for each in raw.ravel()])


# --- Comparison ----------------------------------------------------------------------------------


@dataclass
class Tolerance:
    """All zero: bit for bit."""
    ulp: int = 0
    absolute: float = 0.0

    def holds(self, kind, got, want):
        if got == want:
            return True
        if kind not in FLOATS:
            return False
        a, b = number_of(kind, got), number_of(kind, want)
        if not (isfinite(a) and isfinite(b)):
            return isnan(a) and isnan(b)
        if self.absolute:
            return abs(a - b) <= self.absolute
        return got ^ want != 1 << (width_of(kind) - 1) and \
            abs(order_of(kind, got) - order_of(kind, want)) <= self.ulp


def differences(got, want, tolerance):
    """Where an output is not what is expected, open elements apart."""
    if len(got) != len(want):
        return [f"{len(got)} outputs, not {len(want)}"]
    found = []
    for k, (have, wish) in enumerate(zip(got, want)):
        if have.shape != wish.shape:
            found.append(f"output {k} has shape {have.shape}, not {wish.shape}")
            continue
        found += [f"output {k}, element {i}: {have.bits[i]:#x}, not {wish.bits[i]:#x} ({wish.kind})"
                  for i in range(len(wish.bits))
                  if not wish.is_open[i] and not tolerance.holds(wish.kind, have.bits[i],
                                                                 wish.bits[i])]
    return found


def changed(array, index, tolerance):
    """The array with one element that the tolerance must not let pass."""
    kind, bits = array.kind, list(array.bits)
    if kind not in FLOATS or isnan(number_of(kind, bits[index])) or tolerance == Tolerance():
        bits[index] ^= 1 if kind not in FLOATS else 1 << (width_of(kind) - 1)
        if kind in FLOATS and isnan(number_of(kind, bits[index])):
            bits[index] = bits_of(kind, "1")
    elif tolerance.absolute:
        value = number_of(kind, bits[index]) + 2.01 * tolerance.absolute
        bits[index] = bits_of(kind, repr(float(np.float32(value))))
    else:
        # Away from zero: one more is the next number, until infinity ends them.
        bits[index] += tolerance.ulp + 1 if isfinite(number_of(kind, bits[index])) else -1
    return Array(kind, array.shape, bits, array.is_open)


def wrong_verdict(verdict, right, may_differ, allowed):
    """Why a numeric verdict must not be given, or None. `right`: the output is the expected one."""
    if verdict == "PASS" and not (right or may_differ or allowed):
        return "PASS for an output that is wrong"
    if verdict == "FAIL" and (right or may_differ):
        return "FAIL for an output that is right or allowed"
    return None


# --- Cases ---------------------------------------------------------------------------------------


@dataclass
class Run:
    plugin: str
    options: list
    verdicts: set
    deviations: list
    refused: str


@dataclass
class Case:
    name: str
    path: Path
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    eval_within: Tolerance = field(default_factory=Tolerance)
    device_within: Tolerance | None = None
    may_differ: bool = False
    runs: list = field(default_factory=list)
    refuse: tuple | None = None
    mend: tuple | None = None


def read_tolerance(text):
    amount, unit = re.fullmatch(r"within (\S+) (ulp|absolute)", text).groups()
    return Tolerance(ulp=int(amount)) if unit == "ulp" else Tolerance(absolute=float(amount))


def read_run(text):
    head, tail = text.split(": ", 1)
    plugin, *options = head.split()
    assert plugin in PLUGINS, plugin
    if tail.startswith("REFUSED "):
        return Run(plugin, options, {"UNKNOWN"}, [], tail.removeprefix("REFUSED "))
    verdicts, _, names = tail.partition(" deviates ")
    assert set(verdicts.split("|")) <= VERDICTS, verdicts
    return Run(plugin, options, set(verdicts.split("|")), names.split(", ") if names else [], "")


def read_case(path, text=None):
    case = Case(path.stem, path)
    lines, reason, started = [], "", False  # a line without text ends the reason
    for line in (text or path.read_text()).splitlines():
        if not line.startswith("//"):
            break
        line = line.removeprefix("//").removeprefix(" ")
        started = started or line == ""
        if not started:
            reason += line
        elif line.startswith(" "):
            lines[-1] += " " + line.strip()
        elif line:
            lines.append(line)
    assert re.search(r"\w/[\w-]+#\d|own (case|finding)", reason), f"{path}: no source"
    for line in lines:
        word, rest = line.split(" ", 1)
        if word in ("input", "output"):
            getattr(case, word + "s").append(read_array(rest))
        elif word == "eval":
            case.eval_within = read_tolerance(rest)
        elif word == "device" and rest == "may differ":
            case.may_differ = True
        elif word == "device":
            case.device_within = read_tolerance(rest)
        elif word == "run":
            case.runs.append(read_run(rest))
        elif word == "refuse":
            case.refuse = re.fullmatch(r"(?:(\d+:\d+) )?(.+)", rest).groups()
        elif word == "mend":
            case.mend = tuple(rest.split(" => "))
        else:
            raise ValueError(f"{path}: '{line}' says nothing to the test")
    case.device_within = case.device_within or case.eval_within
    assert bool(case.outputs) != bool(case.refuse), f"{path}: outputs, or a refusal"
    assert case.refuse or {each.plugin for each in case.runs} == set(PLUGINS), f"{path}: runs"
    return case


CASES = {path.stem: read_case(path) for path in FILES}
named = pytest.mark.parametrize("name", CASES)


# --- What onchip answered ------------------------------------------------------------------------


@dataclass
class Answer:
    status: int
    error: str
    document: dict | None
    folder: Path

    def outputs(self, like):
        return [load_array(self.folder / f"out{k}.npy", each) for k, each in enumerate(like)]


class Answers:
    """All runs side by side, for each mostly waits for a plugin to start."""

    def __init__(self, folder):
        self.world = World(folder)
        self.pool = ThreadPoolExecutor(4)
        self.evals = {name: self.pool.submit(self.eval, case) for name, case in CASES.items()}
        self.runs = {(name, k): self.pool.submit(self.run, case, run)
                     for name, case in CASES.items() for k, run in enumerate(case.runs)}

    def ask(self, case, verb, *options):
        folder = Path(tempfile.mkdtemp(dir=self.world.folder, prefix=case.name))
        given = []
        for k, array in enumerate(case.inputs):
            array.file(folder / f"given{k}.npy")
            given += ["--input", folder / f"given{k}.npy"]
        done = self.world.run(verb, case.path, *given, "--output-dir", folder / "kept", "--json",
                              *options)
        document = json.loads(done.stdout) if done.stdout else None
        return Answer(done.returncode, done.stderr, document, folder / "kept")

    def eval(self, case):
        return self.ask(case, "eval", "--timeout", "20")

    def run(self, case, run):
        return self.ask(case, "run", "--plugin", PLUGINS[run.plugin], *run.options)


@pytest.fixture(scope="module")
def answers():
    with tempfile.TemporaryDirectory(prefix="onchip-test-") as folder:
        made = Answers(folder)
        yield made
        made.pool.shutdown(cancel_futures=True)
        made.world.await_no_process()


@named
def test_eval(answers, name):
    case, answer = CASES[name], answers.evals[name].result()
    if case.refuse:
        assert answer.status in (2, 5) and answer.document is None
        assert not answer.folder.exists(), "outputs of a program that was refused"
        assert refusal_holds(case, answer.error)
        return
    assert answer.status == 0, answer.error
    got = answer.outputs(case.outputs)
    assert differences(got, case.outputs, case.eval_within) == []
    assert [each["unspecified"] for each in answer.document["outputs"]] \
        == [sum(each.is_open) for each in case.outputs]


def refusal_holds(case, error, words=None):
    place, text = case.refuse
    return f"{case.path}:{place or ''}" in error.replace(f"{case.path}: ", f"{case.path}:") \
        and (words or text) in error


@named
def test_each_changed_expectation_is_refused(answers, name):
    """The twin of test_eval: no comparison and no search for words that lets everything pass."""
    case, answer = CASES[name], answers.evals[name].result()
    if case.refuse:
        assert not refusal_holds(case, answer.error, case.refuse[1] + "!")
        return
    got = answer.outputs(case.outputs)
    for tolerance in (case.eval_within, case.device_within):
        for k, array in enumerate(case.outputs):
            for i in [i for i in range(len(array.bits)) if not array.is_open[i]][:8]:
                wrong = list(case.outputs)
                # As far again from what eval gave, which may be off on either side.
                wrong[k] = changed(got[k], i, tolerance)
                wrong[k].is_open = array.is_open
                assert differences(got, wrong, tolerance), f"output {k}, element {i}"


@pytest.mark.parametrize("name, index", [(name, k) for name, case in CASES.items()
                                         for k in range(len(case.runs))])
def test_run(answers, name, index):
    case, run = CASES[name], CASES[name].runs[index]
    answer = answers.runs[name, index].result()
    receipt = answer.document
    numeric = receipt["numeric"]
    if run.refused:
        assert (answer.status, receipt["boundary"], numeric["verdict"]) == (5, "compile", "UNKNOWN")
        assert run.refused in receipt["error"]["text"]
        return
    assert receipt["error"] is None, receipt["error"]
    allowed = "--allow" in run.options and numeric["verdict"] == "PASS"
    right = not differences(answer.outputs(case.outputs), case.outputs, case.device_within)
    assert wrong_verdict(numeric["verdict"], right, case.may_differ, allowed) is None, numeric
    assert numeric["verdict"] in run.verdicts, numeric
    assert sorted(numeric["deviations"]) == sorted(run.deviations), numeric
    if allowed and not right:
        assert numeric["deviations"] and set(numeric["deviations"]) <= set(run.options), numeric
    assert answer.status == {"PASS": 0, "FAIL": 1, "UNKNOWN": 4}[numeric["verdict"]]
    assert receipt["placement"]["verdict"] == "PASS"


REFUSED = [name for name, case in CASES.items() if case.refuse]


@pytest.mark.parametrize("name", [name for name in REFUSED if not CASES[name].runs])
def test_run_refuses_before_the_plugin(answers, name):
    """The plugin hangs as soon as it is spoken to."""
    case = CASES[name]
    answer = answers.ask(case, "run", "--plugin",
                         FAKES / "libfake_hangs_in_initialize.so", "--timeout", "3")
    assert (answer.status, answer.document) == (2, None)
    assert refusal_holds(case, answer.error), answer.error


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_mended_is_not_refused(answers, name):
    """The twin of a refusal: the same program without its fault."""
    case = CASES[name]
    old, new = case.mend
    text = case.path.read_text()
    lines = [line for line in text.splitlines(True) if not line.startswith("// mend")]
    path = Path(answers.world.folder) / case.path.name
    path.write_text("".join(lines).replace(old, new))
    mended = read_case(path)
    answer = answers.eval(mended)
    assert answer.status == 0, answer.error


# --- The test's own parts ------------------------------------------------------------------------


def test_there_is_a_case_for_each_report():
    assert len(CASES) >= 45


@pytest.mark.parametrize("kind, text, bits", [
    ("f32", "1", 0x3F800000), ("f32", "-0", 0x80000000), ("f32", "0x3p100", 0x72400000),
    ("f32", "0x7FC00000", 0x7FC00000), ("f32", "1.00000017881393432617187499", 0x3F800001),
    ("f64", "-0.5", 0xBFE0000000000000), ("f16", "3000", 0x69DC), ("bf16", "146", 0x4312),
    ("i16", "-1", 0xFFFF), ("ui64", "18446744073709551615", 2 ** 64 - 1), ("i4", "-8", 0xF8),
    ("i1", "true", 1), ("f8E5M2", "0x7B", 0x7B)])
def test_values_are_read(kind, text, bits):
    assert bits_of(kind, text) == bits


@pytest.mark.parametrize("got, want, tolerance, holds", [
    ("nan", "0xFFC00001", Tolerance(), True), ("nan", "1", Tolerance(ulp=9), False),
    ("0", "-0", Tolerance(), False), ("0", "-0", Tolerance(ulp=9), False),
    ("1", "0x3F800002", Tolerance(ulp=2), True), ("1", "0x3F800003", Tolerance(ulp=2), False),
    ("-1", "1", Tolerance(ulp=9), False), ("inf", "0x7F7FFFFF", Tolerance(), False),
    ("2", "9", Tolerance(absolute=7.0), True), ("2", "9.5", Tolerance(absolute=7.0), False)])
def test_tolerance(got, want, tolerance, holds):
    assert tolerance.holds("f32", bits_of("f32", got), bits_of("f32", want)) == holds


@pytest.mark.parametrize("verdict, right, may_differ, allowed, fault", [
    ("PASS", True, False, False, False), ("PASS", False, False, False, True),
    ("PASS", False, True, False, False), ("PASS", False, False, True, False),
    ("FAIL", False, False, False, False), ("FAIL", True, False, False, True),
    ("FAIL", False, True, False, True), ("FAIL", True, False, True, True),
    ("UNKNOWN", True, False, False, False), ("UNKNOWN", False, False, False, False)])
def test_wrong_verdicts_are_seen(verdict, right, may_differ, allowed, fault):
    assert bool(wrong_verdict(verdict, right, may_differ, allowed)) == fault


@pytest.mark.parametrize("lines", [
    "output f32[2] 1", "output f32[1] 1\n// outputs f32[1] 1", "input f32[1] 1",
    "output f32[1] 1\n// run default: PASS", "output f32[1] 1\n// refuse words",
    "output f32[] 1\n// run default: RIGHT\n// run older: PASS"])
def test_a_case_that_says_too_little_is_refused(lines):
    with pytest.raises((AssertionError, ValueError, AttributeError)):
        read_case(Path("case.mlir"), f"// A fault (a/b#1).\n//\n// {lines}\n")
    read_case(Path("case.mlir"), "// A fault (a/b#1).\n//\n// output f32[1] 1\n"
                                 "// run default: PASS\n// run older: PASS\n")
