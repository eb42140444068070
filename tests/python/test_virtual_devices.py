"""The project virtual-devices under `onchip audit`: the reference passes, the starter fails each
stage with its own sentence, and each mistake in wrong/ is refused with the hint on its first line.
"""

import re
import subprocess

import pytest

from conftest import BIN, CPU_PLUGIN, SOURCE, compilers

PROJECT = SOURCE / "projects/virtual-devices"
SOLUTION = (PROJECT / "solution/model.c").read_text()
STARTER = (PROJECT / "starter/model.c").read_text()
WRONG = sorted((PROJECT / "wrong").glob("*.c"))
STAGES = range(1, 5)
FUNCTIONS = re.findall(r"^oc_status (shards_\w+)\(", STARTER, re.MULTILINE)


def audit(world, implementation, stage, **options):
    done = world.run("audit", "--project", "virtual-devices", "--plugin", str(CPU_PLUGIN),
                     "--implementation", str(implementation), "--stage", str(stage), **options)
    assert done.stderr == "", done.stdout
    return done


def passes(done):
    return [int(stage) for stage in
            re.findall(r"^PASS virtual-devices stage (\d)", done.stdout, re.MULTILINE)]


def sections(text):
    """What stands before the stages, and each stage."""
    return re.split(r"^/\* ---- stage \d ---- \*/\n", text, flags=re.MULTILINE)


def stage_of(function):
    return next(stage for stage in STAGES if f"oc_status {function}(" in sections(STARTER)[stage])


def definition(text, function):
    return re.search(rf"^oc_status {function}\((?:.|\n)*?^}}\n", text, re.MULTILINE)[0]


def refused(done, stage, function):
    """The stage and function of a refusal, and that the stages before it hold."""
    assert done.returncode == 1, done.stdout
    assert passes(done) == list(range(1, stage)), done.stdout
    assert f"FAIL virtual-devices stage {stage}: {function}: expected " in done.stdout


@compilers
def test_reference_passes_every_stage(world, compiler):
    done = audit(world, "solution", 4, env={"CC": compiler})
    assert done.returncode == 0, done.stdout
    assert passes(done) == [1, 2, 3, 4]
    for devices, total in ((1, 140), (4, 10416), (8, 85344)):
        last = 8 * devices - 1
        assert total == sum(number * number for number in range(last + 1))
        plural = "" if devices == 1 else "s"
        assert (f"observed (CPU collective): sum of squares of 0 to {last} over {devices} virtual "
                f"CPU device{plural} is {total}; closed form {total}") in done.stdout
    for device in range(4):
        assert f"rows {2 * device} to {2 * device + 1} of 8x4 on CpuDevice(id={device})" \
            in done.stdout


def test_a_stage_includes_those_before_it_and_no_more(world):
    done = audit(world, "solution", 2)
    assert (done.returncode, passes(done)) == (0, [1, 2])


def test_untouched_starter_fails_the_first_stage(world):
    refused(audit(world, "starter", 4), 1, "shards_open")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_starter_says_what_to_write(world, function):
    """What stands before `function` is the reference's, the rest is the starter's."""
    stage = stage_of(function)
    written = sections(SOLUTION)[stage]
    rest = sections(STARTER)[stage]
    for name in FUNCTIONS[FUNCTIONS.index(function):]:
        if stage_of(name) == stage:
            written = written.replace(definition(written, name), definition(rest, name))
    path = world.folder / "model.c"
    path.write_text("\n".join(sections(SOLUTION)[:stage] + [written]
                              + sections(STARTER)[stage + 1:]))
    done = audit(world, path.name, 4)
    refused(done, stage, function)
    assert f"not written yet: {function}: " in done.stdout


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_mistake_is_refused_with_its_hint(world, path):
    text = path.read_text()
    wanted = re.match(r"/\* hint: (.+) \*/\n", text)[1]
    function = re.search(r"^#undef (shards_\w+)$", text, re.MULTILINE)[1]
    done = audit(world, path, 4)
    refused(done, stage_of(function), function)
    hint = re.search(r"^  hint: (.+)$", done.stdout, re.MULTILINE)
    assert hint and wanted in hint[1], done.stdout


def test_hints_differ():
    assert len(WRONG) >= 8
    hints = [path.read_text().splitlines()[0] for path in WRONG]
    assert len(set(hints)) == len(hints)


def test_check_runs_the_audit(world):
    done = subprocess.run(
        [PROJECT / "tests/check", "--implementation", "solution", "--stage", "1", "--plugin",
         str(CPU_PLUGIN)],
        env={**world.env, "ONCHIP_BIN": BIN}, capture_output=True, encoding="utf-8", timeout=100,
        cwd=world.folder)
    assert (done.returncode, passes(done)) == (0, [1]), done.stdout + done.stderr
