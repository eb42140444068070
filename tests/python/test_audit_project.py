"""The project tpu-runtime-audit under `onchip audit`: the reference passes, the starter fails each
stage with its own sentence, and each mistake in wrong/ is refused with the hint at its head.
"""

import json
import re
import subprocess

import jsonschema
import pytest

from conftest import BIN, CPU_PLUGIN, SOURCE, compilers

PROJECT = SOURCE / "projects/tpu-runtime-audit"
EVIDENCE = "tpu-runtime-audit-evidence.json"
SEPARATOR = re.compile(r"^/\* ---- stage \d ---- \*/\n", re.MULTILINE)
WRONG = sorted((PROJECT / "wrong").glob("*.c"))
FIRST = {1: ("audit_backend", "still to be written: the backend's name as the runtime reports it"),
         2: ("audit_simulated_sum",
             "still to be written: the sum of the participants that are not missing"),
         3: ("audit_describe",
             "still to be written: a description of this run, no more than was observed"),
         4: ("audit_together", "still to be written: all of it on a device that you open")}
UNWRITTEN = {name: words for name, words in FIRST.values()} | {
    "audit_device_names": "still to be written: the devices that the runtime lists",
    "audit_bf16_from_f32": "still to be written: the upper 16 bits, rounded",
    "audit_f32_from_bf16": "still to be written: the float32 with these upper 16 bits",
    "audit_store_bf16": "still to be written: a BF16 array on device 0",
    "audit_matmul": "out holds what it held before: write every element, do not add to it "
                    "(still to be written?)"}


def source(name):
    return (PROJECT / name / "model.c").read_text()


def stage_of(function):
    """The stage under whose heading the starter has the function."""
    return next(stage for stage, text in enumerate(SEPARATOR.split(source("starter")))
                if f" {function}(" in text)


def audit(world, implementation, stage=4, **options):
    done = world.run("audit", "--plugin", str(CPU_PLUGIN), "--implementation", str(implementation),
                     "--stage", str(stage), "--evidence-dir", "runs", **options)
    assert done.stderr == "", done.stdout
    return done


def audit_text(world, text, stage=4):
    path = world.folder / "model.c"
    path.write_text(text)
    return audit(world, path.name, stage)


def passes(done):
    return [int(stage) for stage in
            re.findall(r"^PASS tpu-runtime-audit stage (\d)", done.stdout, re.MULTILINE)]


def assert_refused(done, stage, function, hint):
    assert done.returncode == 1, done.stdout
    assert passes(done) == list(range(1, stage)), done.stdout
    assert f"FAIL tpu-runtime-audit stage {stage}: {function}: expected " in done.stdout
    assert f"\n  hint: {hint}\n" in done.stdout, done.stdout


@compilers
def test_reference_passes_every_stage(world, compiler):
    done = audit(world, "solution", env={"CC": compiler})
    assert (done.returncode, passes(done)) == (0, [1, 2, 3, 4]), done.stdout
    for line in ("a dtype path, not a native BF16 kernel and not TPU accumulation",
                 "simulated: the sum of participants [1, 2, 3] is 6, without the one with index 1 "
                 "it is 4", "observed (CPU collective): an all-reduce of 1, 2 and 3 over ",
                 "neither of them is an accelerator collective"):
        assert line in done.stdout
    evidence = json.loads((world.folder / "runs" / EVIDENCE).read_text())
    jsonschema.Draft202012Validator(
        json.loads((SOURCE / "docs/audit-evidence.schema.json").read_text())).validate(evidence)
    assert world.verify(evidence, "cpu").returncode == 0
    assert len(evidence["devices"]) == evidence["device_count"] == 3


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_stage_includes_those_before_it_and_no_more(world, stage):
    done = audit(world, "solution", stage)
    assert (done.returncode, passes(done)) == (0, list(range(1, stage + 1)))
    assert (world.folder / "runs").exists() == (stage >= 3)


def test_untouched_starter_fails(world):
    assert_refused(audit(world, "starter"), 1, *FIRST[1])
    assert not (world.folder / "runs").exists()


@pytest.mark.parametrize("stage", FIRST)
def test_starter_fails_each_stage_with_its_own_sentence(world, stage):
    """The stages before it are the reference's."""
    right = SEPARATOR.split(source("solution"))
    unwritten = SEPARATOR.split(source("starter"))
    done = audit_text(world, "".join(right[:stage] + unwritten[stage:]), stage)
    assert_refused(done, stage, *FIRST[stage])


@pytest.mark.parametrize("function", UNWRITTEN)
def test_each_function_of_the_starter_is_missed(world, function):
    """All others are the reference's."""
    unwritten = re.search(rf"^\w+ {function}\((?:.|\n)*?^\}}\n", source("starter"), re.MULTILINE)
    done = audit_text(world, f'#include "audit.h"\n#define {function} right_{function}\n'
                             f'#include "solution/model.c"\n#undef {function}\n{unwritten[0]}')
    assert_refused(done, stage_of(function), function, UNWRITTEN[function])


def test_starter_has_no_other_functions():
    assert sorted(re.findall(r"^\w+ (audit_\w+)\(", source("starter"), re.MULTILINE)) \
        == sorted(UNWRITTEN)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_mistake_is_refused_with_its_hint(world, path):
    text = path.read_text()
    hint = re.match(r"/\* hint: ((?:.|\n)+?) \*/\n", text)[1].replace("\n * ", " ")
    function = re.search(r"^#undef (audit_\w+)$", text, re.MULTILINE)[1]
    assert_refused(audit(world, path), stage_of(function), function, hint)


def test_mistakes_are_many():
    assert len(WRONG) >= 14


def test_check_runs_the_audit(world):
    done = subprocess.run(
        [PROJECT / "tests/check", "--implementation", "solution", "--stage", "1", "--plugin",
         str(CPU_PLUGIN)],
        env={**world.env, "ONCHIP_BIN": BIN}, capture_output=True, encoding="utf-8", timeout=100,
        cwd=world.folder)
    assert (done.returncode, passes(done)) == (0, [1]), done.stdout + done.stderr


def test_a_plugin_that_is_not_there_does_not_blame_the_learner(world):
    done = world.run("audit", "--plugin", "nowhere.so", "--implementation", "solution")
    assert done.returncode == 2
    assert "[input]" in done.stderr and "nowhere.so" in done.stderr
    assert "FAIL" not in done.stdout
