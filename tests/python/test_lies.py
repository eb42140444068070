"""Every fake plugin lies in exactly one way (tests/fakes/README.md), and onchip must say so; every
good twin must pass. What check decides, verify decides too, from the receipt alone.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import FAKES, PASS_LINE, World, fake

PASS, FAIL, UNKNOWN = "PASS", "FAIL", "UNKNOWN"
EXACT = "all three outputs equal the exact reference bit for bit"
CLOSED_FORM = "each on a device of its own, equal n(n-1)(2n-1)/6"
CONTRADICTED = ("the client calls itself {0}, but its process holds no {0} device node and the "
                "machine has no such PCI device")
SILENT = ("the client calls itself {}; the machine has such a PCI device, but the process holds no "
          "device node")
DISAGREE = "requested and observed platform disagree: requested {}, observed {}"
CHANGED = "prediction contract changed: prediction is not float32[8]"
LATE = "the plugin gave no answer in {} within 3 s; its process was stopped"
# A hang is one only when the deadline has passed, which the others must not come near.
SHORTLY = "--timeout 3"


class Row(NamedTuple):
    fake: str
    arguments: str
    exit: int
    boundary: str
    numeric: str
    placement: str
    collective: str | None
    text: str


def passes(name, arguments="", collective=None, text=EXACT):
    return Row(name, arguments, 0, "none", PASS, PASS, collective, text)


def numeric(name, text, arguments=""):
    return Row(name, arguments, 1, "numeric", FAIL, PASS, None, text)


def misplaced(name, text, arguments=""):
    return Row(name, arguments, 1, "placement", PASS, FAIL, None, text)


def calls_itself(platform, asked):
    """On a machine that has such a device the lie cannot be refuted; it is never believed."""
    arguments = f"--platform {asked}"
    if machine_has(platform):
        return Row(f"calls_itself_{platform}", arguments, 4, "none", PASS, UNKNOWN, None,
                   SILENT.format(platform))
    return misplaced(f"calls_itself_{platform}", CONTRADICTED.format(platform), arguments)


def machine_has(platform):
    vendor = {"tpu": "0x1ae0", "cuda": "0x10de", "rocm": "0x1002"}[platform]
    classes = ("0x",) if platform == "tpu" else ("0x03", "0x12")
    return any((device / "vendor").read_text().strip() == vendor
               and (device / "class").read_text().startswith(classes)
               for device in Path("/sys/bus/pci/devices").glob("*"))


def broken(name, boundary, text, arguments="", exit=5):
    return Row(name, arguments, exit, boundary, UNKNOWN, FAIL, None, text)


TABLE = [
    # The good twins.
    passes("honest"),
    passes("honest", "--nonce 5eed0123"),
    passes("honest", "--devices 1", PASS, "1 shards and 1 all-reduced sums"),
    passes("honest", "--devices 4", PASS, "4 shards and 4 all-reduced sums, " + CLOSED_FORM),
    passes("honest", "--devices 32", PASS, CLOSED_FORM),
    passes("long_table"),
    passes("changes_signals"),
    passes("noisy"),
    passes("forks_child"),
    passes("old_minor"),
    passes("few_devices"),
    passes("collective_wrong"),
    passes("collective_misplaced"),
    # The table.
    broken("short_table", "plugin", "has no PJRT_Client_BufferFromHostBuffer"),
    broken("lying_short_table", "plugin", "says that it has 8 bytes"),
    broken("overstated_table", "plugin", "the table is shorter than the 984 bytes"),
    broken("major_1", "plugin", "speaks PJRT API 1.81; onchip speaks major version 0 only"),
    broken("null_api", "plugin", "GetPjrtApi gave NULL"),
    broken("no_symbol", "plugin", "is no PJRT plugin: it exports no GetPjrtApi"),
    broken("not_elf.so", "plugin", "is no ELF file"),
    broken("truncated_elf.so", "plugin", "is cut: it ends before its segments do"),
    # The client.
    calls_itself("tpu", "tpu"),
    calls_itself("cuda", "cuda"),
    calls_itself("cuda", "gpu"),
    calls_itself("rocm", "rocm"),
    misplaced("calls_itself_tpu", DISAGREE.format("cpu", "tpu"), "--platform cpu"),
    misplaced("honest", DISAGREE.format("tpu", "cpu"), "--platform tpu"),
    misplaced("reports_other_platform", DISAGREE.format("cpu", "interpreter")),
    broken("init_fails_other", "init",
           "code 10: Internal error when accessing the FAKE lockfile."),
    broken("init_fails", "init", "code 9: No visible FAKE devices.", exit=3),
    broken("no_devices", "discovery", "has 0 addressable devices; 1 are needed", exit=3),
    broken("few_devices", "discovery", "has 1 addressable devices; 4 are needed",
           "--devices 4", exit=3),
    # The outputs.
    numeric("one_ulp", "prediction: element 4 is 2.21875024, must be 2.21875"),
    Row("one_ulp", "--devices 4", 1, "numeric", FAIL, PASS, PASS, "element 4 is 2.21875024"),
    numeric("one_ulp", "prediction: element 4 is ", "--nonce 5eed0123"),
    numeric("nan", "prediction: element 4 is nan, must be 2.21875"),
    numeric("rows_swapped", "prediction: element 3 is 2.21875, must be 1.75"),
    numeric("bias_dropped", "prediction: element 0 is 0.21875, must be 0.34375"),
    numeric("ignores_reversal", "row_reversal: element 0 is 0.34375, must be 3.625"),
    numeric("wrong_shape", CHANGED),
    numeric("wrong_dtype", CHANGED),
    misplaced("other_device",
              "prediction lies on FakeCpuDevice(id=1), requested was FakeCpuDevice(id=0)"),
    misplaced("foreign_device", "the owner of prediction is no device of the cpu client"),
    misplaced("host_memory", "prediction lies in memory 'unpinned_host' of FakeCpuDevice(id=0)"),
    Row("collective_wrong", "--devices 4", 1, "numeric", PASS, PASS, FAIL,
        "replica 1 has 1100 and 10417 in all, must be 1100 and 10416"),
    Row("collective_misplaced", "--devices 4", 1, "placement", PASS, PASS, FAIL,
        "shard 1 shares its device with an earlier one"),
    # Errors.
    broken("compile_error", "compile", "failed with code 3: first line of the fake's error"),
    broken("error_without_message", "execute", "code 13: (the plugin gave no message)"),
    broken("error_null_code", "execute", "code 0: The fake failed and says code OK."),
    # The process.
    broken("hangs_in_initialize", "init", LATE.format("init"), SHORTLY),
    broken("hangs_in_create", "init", LATE.format("init"), SHORTLY),
    broken("hangs_in_compile", "compile", LATE.format("compile"), SHORTLY),
    broken("never_completes", "execute", LATE.format("execute"), SHORTLY),
    broken("ignores_term", "compile", LATE.format("compile"), SHORTLY),
    broken("segfault_in_compile", "compile",
           "ended its process in compile with signal 11 (Segmentation fault)"),
    broken("aborts_in_execute", "execute",
           "ended its process in execute with signal 6 (Aborted)"),
    broken("exits_in_execute", "execute", "ended its process in execute with exit status 0"),
    broken("closes_stdio", "compile", "ended its process in compile"),
    broken("writes_garbage_fds", "compile", "broke its process's channel in compile"),
]


class Answer(NamedTuple):
    """One row as onchip answered it: with --json, plain, and verify on the receipt."""
    done: object
    receipt: dict
    plain: object
    verified: object


def answer(row):
    with tempfile.TemporaryDirectory(prefix="onchip-test-") as folder:
        world = World(folder)
        arguments = ["--plugin", fake(row.fake), *row.arguments.split()]
        done, receipt = world.check(*arguments)
        plain = world.run("check", *arguments)
        verified = world.verify(done.stdout, receipt["expected"])
        world.await_no_process()
        return Answer(done, receipt, plain, verified)


@pytest.fixture(scope="module")
def answers():
    """All rows side by side, for some of them only wait."""
    with ThreadPoolExecutor(8) as pool:
        waiting_first = sorted(TABLE, key=lambda row: row.arguments != SHORTLY)
        yield {row: pool.submit(answer, row) for row in waiting_first}


def sentences(receipt):
    """All that the receipt says in words, for a text to be found in."""
    error = receipt["error"] or {"text": ""}
    judged = [receipt["numeric"], receipt["placement"], receipt["collective"] or {"detail": ""}]
    return "\n".join([error["text"], *(each["detail"] for each in judged)])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.fake} {row.arguments}".strip())
def test_fake_is_judged(row, answers):
    done, receipt, plain, verified = answers[row].result()
    collective = receipt["collective"]
    decided = Row(row.fake, row.arguments, done.returncode, receipt["boundary"],
                  receipt["numeric"]["verdict"], receipt["placement"]["verdict"],
                  collective and collective["verdict"], row.text)
    assert decided == row, sentences(receipt)
    assert row.text in sentences(receipt)

    assert plain.returncode == row.exit
    assert row.text in plain.stdout + plain.stderr
    lines = plain.stdout.splitlines()
    assert (lines[-1] == PASS_LINE) == (row.exit == 0)
    assert lines.count(PASS_LINE) == (row.exit == 0)
    assert (receipt["error"] is None) == (row.exit in (0, 1, 4))
    note = "onchip: gpu is cuda here\n" if "--platform gpu" in row.arguments else ""
    assert done.stderr.startswith(note)
    assert bool(done.stderr.removeprefix(note)) == (receipt["error"] is not None)

    wanted = {0: (0, "PASS"), 4: (4, "UNKNOWN")}.get(row.exit, (1, "FAIL"))
    assert (verified.returncode, verified.stdout.split()[0]) == wanted, verified.stdout


@pytest.mark.parametrize("row", [row for row in TABLE if row.exit == 0],
                         ids=lambda row: f"{row.fake} {row.arguments}".strip())
def test_receipt_of_a_pass_is_none_for_another_platform(row, answers, world):
    done = answers[row].result().done
    assert world.verify(done.stdout, "tpu").returncode == 1


def test_text_of_a_plugin_is_safe_to_print(answers):
    """The fake's error has control characters, bad UTF-8 and four thousand bytes."""
    row = next(row for row in TABLE if row.fake == "compile_error")
    for done in answers[row].result().done, answers[row].result().plain:
        unsafe = [c for c in done.stderr if ord(c) < 0x20 and c not in "\n\t"
                  or 0x7F <= ord(c) < 0xA0 or "\ud800" <= c <= "\udfff"]
        assert unsafe == []


def test_every_fake_occurs_in_the_table():
    built = {path.name for path in FAKES.glob("*.so")}
    assert built and built == {fake(row.fake).rsplit("/")[-1] for row in TABLE}
