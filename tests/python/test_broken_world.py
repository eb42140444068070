"""onchip where the world around it is broken: output that goes nowhere, disks that are full or
read-only, signals, an environment that lacks things, and a worker that is none.

What cannot be written is status 5 with a sentence; no half of a file is left, nothing that was
there is changed, and no process stays.
"""

import json
import os
import shlex
import shutil
import signal
import time

import pytest

from conftest import BIN, PASS_LINE, SOURCE, fake, powerless

HONEST = ["--plugin", fake("honest")]
GOOD_RECEIPT = str(SOURCE / "tests/data/receipts/good-cpu.json")


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def through_shell(redirections):
    """A program that closes or redirects descriptors and becomes onchip."""
    return ["sh", "-c", f'exec "$0" "$@" {redirections}', BIN]


# --- Output ---

ANSWERS = [["check", *HONEST], ["check", "--json", *HONEST], ["devices", *HONEST],
           ["devices", "--json", *HONEST], ["verify", GOOD_RECEIPT, "--require", "cpu"],
           ["verify", GOOD_RECEIPT, "--require", "cpu", "--json"], ["plugins"], ["--help"],
           ["--version"]]


@pytest.mark.parametrize("where, why", [(">/dev/full", "No space left on device"),
                                        (">&-", "Bad file descriptor")])
@pytest.mark.parametrize("args", ANSWERS, ids=lambda args: " ".join(args[:2]))
def test_answer_that_cannot_be_written_is_no_success(world, args, where, why):
    done = world.run(*args, program=through_shell(where))
    assert done.returncode == 5
    wanted = f"onchip: error: [evidence] cannot write the answer to standard output: {why}\n"
    assert done.stderr == wanted


def test_reader_that_went_away_is_no_success(world):
    reading, writing = os.pipe()
    os.close(reading)
    done = world.run("check", "--json", *HONEST, stdout=writing)
    os.close(writing)
    assert done.returncode == 5
    assert "cannot write the answer to standard output: Broken pipe\n" in done.stderr


def test_receipt_is_kept_although_the_answer_cannot_be_written(world):
    done = world.run("check", *HONEST, "--run-dir", "run", program=through_shell(">/dev/full"))
    assert done.returncode == 5
    assert world.run("verify", "run", "--require", "cpu").returncode == 0


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_check_needs_neither_stdin_nor_stderr(world, closed):
    done = world.run("check", "--json", *HONEST, program=through_shell(closed))
    assert done.returncode == 0
    assert world.verify(done.stdout, "cpu").returncode == 0


def test_nothing_is_written_into_evidence_when_all_three_are_closed(world):
    """The next file opened would get descriptor 1, and stderr's talk go into it."""
    done = world.run("check", *HONEST, "--run-dir", "run",
                     program=through_shell("<&- >&- 2>&-"))
    assert done.returncode == 5
    receipt = json.loads((world.folder / "run/receipt.json").read_text())
    assert world.verify(receipt, "cpu").returncode == 0


def test_verify_of_a_stdin_that_is_closed(world):
    done = world.run("verify", "-", "--require", "cpu", program=through_shell("<&-"))
    assert done.returncode == 2
    assert done.stdout.startswith("UNREADABLE -: ")


# --- Disks ---


@pytest.mark.parametrize("run_dir", ["closed/run", "closed/a/b/run"])
def test_read_only_folder(world, run_dir):
    closed = world.folder / "closed"
    closed.mkdir()
    (closed / "kept").write_text("kept")
    closed.chmod(0o555)
    done = world.run("check", *HONEST, "--run-dir", run_dir, program=powerless())
    assert done.returncode == 5
    assert "[evidence] cannot create" in done.stderr and "Permission denied" in done.stderr
    assert PASS_LINE not in done.stdout
    assert files_of(closed) == {"kept": b"kept"}


def on_tmpfs(world, size, args):
    """Runs onchip in a name space of its own where ./disk is a tmpfs of `size` with a file `kept`;
    returns what it did, and the files that are there afterwards with their sizes."""
    (world.folder / "disk").mkdir()
    script = f"""
        mount -t tmpfs -o size={size} none disk || exit 99
        echo kept >disk/kept
        status=0
        {shlex.join([BIN, *args])} >out 2>err || status=$?
        (cd disk && find . -type f -exec wc -c {{}} +) >left
        cp -r disk after
        exit "$status"
    """
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    process = world.popen("-c", script, program=["unshare", *user, "--mount", "sh"])
    _, trouble = process.communicate(timeout=100)
    if process.returncode == 99 or trouble.startswith("unshare:"):
        pytest.skip("skip: root: a tmpfs cannot be mounted here")
    texts = {name: (world.folder / name).read_text() for name in ("out", "err", "left")}
    left = {name: int(size) for size, name in
            (line.split() for line in texts["left"].splitlines()) if name != "total"}
    return process.returncode, texts["out"], texts["err"], left


@pytest.mark.parametrize("size", ["4k", "8k"])
def test_full_disk_keeps_no_half_of_a_receipt(world, size):
    status, out, err, left = on_tmpfs(world, size, ["check", *HONEST, "--run-dir", "disk/run"])
    assert status == 5
    assert "[evidence] cannot write 'disk/run/receipt.json': No space left on device" in err
    assert PASS_LINE not in out
    assert left == {"./kept": 5}


def test_full_disk_keeps_a_whole_receipt_without_the_figures(world):
    status, out, err, left = on_tmpfs(world, "16k", ["check", *HONEST, "--run-dir", "disk/run"])
    assert status == 0 and out.endswith(PASS_LINE + "\n")
    assert "onchip: warning: the figures were not written: " in err
    assert set(left) == {"./kept", "./run/receipt.json"}
    assert world.run("verify", "after/run", "--require", "cpu").returncode == 0


# --- Signals ---


@pytest.mark.parametrize("name", ["hangs_in_compile", "hangs_in_create", "ignores_term"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL],
                         ids=lambda number: number.name)
def test_onchip_that_is_killed_leaves_no_worker(world, name, number):
    process = world.popen("check", "--plugin", fake(name), "--run-dir", "run")
    await_plugin(world, fake(name))
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -number
    assert PASS_LINE not in out
    world.await_no_process()
    assert files_of(world.folder / "run") == {}


def await_plugin(world, plugin):
    """Waits until a worker has the plugin loaded, from where it hangs."""
    patience = time.monotonic() + 60
    while time.monotonic() < patience:
        for number, command in world.processes():
            try:
                with open(f"/proc/{number}/maps") as maps:
                    if "onchip-worker" in command and plugin in maps.read():
                        return
            except OSError:
                pass
        time.sleep(0.02)
    pytest.fail("no worker loaded the plugin")


# --- The environment ---


@pytest.mark.parametrize("env", [
    {"HOME": None}, {"HOME": ""}, {"HOME": "/nowhere", "XDG_DATA_HOME": "/nowhere"},
    {"HOME": None, "XDG_DATA_HOME": "relative"}, {"TMPDIR": "/nowhere"},
    {"XDG_CACHE_HOME": "/proc/nowhere", "XDG_DATA_HOME": "/proc/nowhere", "HOME": "/proc"},
    {"LC_ALL": "C", "LANG": None}, {"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "tr_TR.ISO-8859-9"},
    {"LC_ALL": "nonsense"}, {"TERM": "dumb"}, {"TERM": None, "COLUMNS": "1"}],
    ids=lambda env: " ".join(f"{name}={value}" for name, value in env.items()))
def test_environment_changes_nothing(world, env):
    usual = world.run("check", *HONEST)
    done = world.run("check", *HONEST, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == usual.stdout


def test_bare_environment(world):
    names = {name: None for name in world.env if not name.startswith("ONCHIP_")}
    done = world.run("check", *HONEST, env=names)
    assert done.returncode == 0 and done.stdout.endswith(PASS_LINE + "\n")


@pytest.mark.parametrize("name", ["türkçe".encode(), b"tab\there"])
def test_file_names_keep_the_receipt_a_receipt(world, name):
    path = os.path.join(os.fsencode(world.folder), name + b".so")
    shutil.copy(fake("honest"), path)
    done, receipt = world.check("--plugin", path, "--run-dir", name, env={"LC_ALL": "C"})
    assert done.returncode == 0, receipt["placement"]
    assert world.verify(done.stdout, "cpu").returncode == 0


def test_file_names_that_are_no_utf8(world):
    """A run folder may have one; a plugin may be refused, but for the right reason."""
    assert world.run("check", *HONEST, "--run-dir", b"caf\xe9").returncode == 0
    path = os.path.join(os.fsencode(world.folder), b"caf\xe9.so")
    shutil.copy(fake("honest"), path)
    done, _ = world.check("--plugin", path)
    assert done.returncode in (0, 2), done.stderr
    assert "out of memory" not in done.stderr


def test_without_gnuplot_the_verdict_stands(world):
    (world.folder / "empty").mkdir()
    done = world.run("check", *HONEST, "--run-dir", "run", env={"PATH": "empty"})
    assert done.returncode == 0 and done.stdout.endswith(PASS_LINE + "\n")
    assert done.stderr.startswith("onchip: warning: the figure was not drawn: ")
    assert "gnuplot" in done.stderr and done.stderr.count("\n") == 1
    assert set(files_of(world.folder / "run")) == {"receipt.json"}


@pytest.mark.parametrize("script", ["exit 1", "kill -SEGV $$", "echo bad >&2"])
def test_with_a_gnuplot_that_is_broken_the_verdict_stands(world, script):
    program(world, "bin/gnuplot", script)
    done = world.run("check", *HONEST, "--run-dir", "run",
                     env={"PATH": f"{world.folder}/bin:{os.environ['PATH']}"})
    assert done.returncode == 0 and done.stdout.endswith(PASS_LINE + "\n")
    assert "figure.png" not in files_of(world.folder / "run")


def program(world, name, script):
    path = world.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_python_an_absent_tpu_is_told_all_the_same(world):
    done = world.run("check", "--platform", "tpu", env={"PATH": "/nowhere"})
    assert done.returncode == 3
    assert "no plugin for tpu" in done.stderr and "could not be listed" in done.stderr


# --- The worker ---


def test_worker_that_is_not_there(world):
    done, receipt = world.check(*HONEST, env={"ONCHIP_WORKER": "/nowhere"})
    assert (done.returncode, receipt["boundary"]) == (5, "plugin")
    assert "cannot start '/nowhere': No such file or directory" in done.stderr


@pytest.mark.parametrize("script", [
    "exit 0", "exit 3", "kill -KILL $$", "echo garbage", "echo garbage >&3", "cat /dev/zero >&3",
    "head -c 100000 /dev/urandom >&3", "printf '\\377\\377\\377\\377\\377\\377\\377\\377' >&3",
    "exec 3>&-; sleep 60"])
@pytest.mark.parametrize("verb", ["check", "devices"])
def test_worker_that_is_none(world, verb, script):
    worker = program(world, "worker", script)
    done = world.run(verb, *HONEST, env={"ONCHIP_WORKER": worker})
    assert done.returncode == 5, done.stderr
    assert done.stderr.startswith("onchip: error: [") and PASS_LINE not in done.stdout


def test_worker_that_is_a_folder_or_no_program(world):
    (world.folder / "text").write_text("text")
    for worker in ".", "./text", "/dev/null":
        done = world.run("check", *HONEST, env={"ONCHIP_WORKER": worker})
        assert done.returncode == 5
        assert f"cannot start '{worker}': Permission denied" in done.stderr


def test_worker_that_never_answers(world):
    worker = program(world, "worker", "sleep 60")
    done, receipt = world.check(*HONEST, "--timeout", "1", env={"ONCHIP_WORKER": worker})
    assert (done.returncode, receipt["error"]["status"]) == (5, "deadline exceeded")
