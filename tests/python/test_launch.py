"""`onchip launch`: its rules, jobs that misbehave, and what a run folder holds.

The jobs are small programs that are written here, from docs/launch-protocol.md alone: a peer of the
built-in one, checkpoints included.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import sys
import time

import pytest

from conftest import BIN, World, no_duplicates, powerless

# What every job of the tests begins with. `step` and `leave` are all a well-behaved one needs.
PRELUDE = '''
import hashlib, json, os, signal, sys, time

TARGET = int(os.environ["ONCHIP_STEPS"])
FOLDER = os.environ["ONCHIP_CHECKPOINTS"]

def say(**event):
    os.write(3, (json.dumps(event) + "\\n").encode())

def digest(data):
    return hashlib.sha256(data).hexdigest()

def state(step):
    return digest(b"state %d" % step)

def ready():
    say(event="started", pid=os.getpid(), backend="test", device_count=1, devices=["one"])
    resumed = os.environ.get("ONCHIP_RESUME")
    first = 0
    if resumed:
        first = json.load(open(resumed + "/manifest.json"))["step"]
        assert open(resumed + "/state.bin").read() == str(first)
        say(event="restored", step=first, state_hash=state(first))
    say(event="ready", compile_s=0.5, warmup_s=0)
    return first

def progress(step, **other):
    say(**{"event": "progress", "step": step, "loss": 1 / step, "examples": 4,
           "update_s": 0.25, "state_hash": state(step), **other})

def flush(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)

def checkpoint(step):
    data = str(step).encode()
    there = sorted(name for name in os.listdir(FOLDER) if name.startswith("step-"))
    parent = json.load(open(f"{FOLDER}/{there[-1]}/manifest.json"))["sha256"] if there else None
    manifest = {"format": "onchip.checkpoint/1", "step": step, "state_hash": state(step),
                "identity": {"config": os.environ["ONCHIP_CONFIG_SHA256"]},
                "files": [{"name": "state.bin", "size": len(data), "sha256": digest(data)}],
                "parent_sha256": parent}
    text = json.dumps(manifest, indent=2) + "\\n"
    manifest["sha256"] = digest(text.encode())
    folder = f"{FOLDER}/tmp-{os.getpid()}-{step}"
    os.mkdir(folder)
    for name, content in (("state.bin", data),
                          ("manifest.json", (json.dumps(manifest, indent=2) + "\\n").encode())):
        with open(f"{folder}/{name}", "wb") as out:
            out.write(content)
        flush(f"{folder}/{name}")
    flush(folder)
    os.rename(folder, f"{FOLDER}/step-{step:08d}")
    flush(FOLDER)
    say(event="checkpoint", step=step, state_hash=state(step))

def train(first, last=None, every=2):
    for step in range(first + 1, (last or TARGET) + 1):
        progress(step)
        if step % every == 0 or step == TARGET:
            checkpoint(step)
'''
GOOD = "train(ready())\nsay(event='completed', step=TARGET)\n"
# Stays at step 3 and leaves a checkpoint of it when it is asked to end.
OBEDIENT = '''
def leave(*_):
    checkpoint(3)
    sys.exit(75)
signal.signal(signal.SIGTERM, leave)
train(ready(), 3)
say(event="waiting")
while True:
    time.sleep(1)
'''
STATUSES = {"completed", "failed", "timed_out", "preempted"}
KEPT = {"events.jsonl", "run.json", "summary.json", "environment.json", "job.log"}
SUMMARY = ["status", "message", "attempt", "steps", "resumed_from", "updates", "examples",
           "last_step", "checkpoint_step", "uncheckpointed_updates", "update_s", "job_s",
           "update_examples_per_s", "job_examples_per_s", "update_duty_fraction", "exit_status",
           "signal"]


def tree(folder):
    """Every file of a folder with its bytes, every folder with None."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob("*"))}


def load(path):
    return json.loads(path.read_text(), object_pairs_hook=no_duplicates,
                      parse_constant=pytest.fail)


class Bench(World):
    """A World with jobs."""

    @property
    def dir(self):
        return self.folder / "run"

    def job(self, body, name="job.py"):
        (self.folder / name).write_text(PRELUDE + body)
        return ["--", sys.executable, str(self.folder / name)]

    def launch(self, *args, **options):
        return self.run("launch", "--run-dir", "run", *args, **options)

    def start(self, *args, **options):
        return self.popen("launch", "--run-dir", "run", *args, **options)

    def events(self, name=None):
        lines = (self.dir / "events.jsonl").read_text().splitlines()
        events = [json.loads(line, object_pairs_hook=no_duplicates) for line in lines]
        return [event for event in events if name in (None, event["event"])]

    def summary(self):
        return load(self.dir / "summary.json")

    def await_event(self, name):
        patience = time.monotonic() + 60
        while time.monotonic() < patience:
            path = self.dir / "events.jsonl"
            if path.exists() and f'"{name}"' in path.read_text():
                return
            time.sleep(0.01)
        pytest.fail(f"event '{name}' did not come")


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.await_no_process()


def ends(done, status, *words):
    assert done.returncode == status, done.stderr
    for word in words:
        assert word in done.stderr


# --- A job that behaves ---


def test_a_good_command_leaves_a_whole_run(bench):
    done = bench.launch("--steps", "5", *bench.job(GOOD))
    ends(done, 0)
    assert done.stderr == ""
    assert {path.name for path in bench.dir.iterdir()} == KEPT | {
        "lock", "config.json", "checkpoints"}
    summary = bench.summary()
    assert list(summary) == SUMMARY
    assert summary == {
        "status": "completed", "message": None, "attempt": 1, "steps": 5, "resumed_from": 0,
        "updates": 5, "examples": 20, "last_step": 5, "checkpoint_step": 5,
        "uncheckpointed_updates": 0, "update_s": 1.25, "job_s": summary["job_s"],
        "update_examples_per_s": 16.0, "job_examples_per_s": 20 / summary["job_s"],
        "update_duty_fraction": 1.25 / summary["job_s"], "exit_status": 0, "signal": None}
    words = [event["event"] for event in bench.events()]
    assert words == ["started", "ready", "progress", "progress", "checkpoint", "progress",
                     "progress", "checkpoint", "progress", "checkpoint", "completed", "ended"]
    times = [event["t_s"] for event in bench.events()]
    assert times == sorted(times) and times[0] >= 0
    assert bench.events("ended")[0]["exit_status"] == 0


def test_json_is_the_summary(bench):
    done = bench.launch("--json", *bench.job(GOOD))
    assert done.stdout == (bench.dir / "summary.json").read_text()


def test_the_job_is_given_what_the_protocol_says(bench):
    body = "json.dump(dict(os.environ), open('environment.out', 'w'))\n" + GOOD
    ends(bench.launch("--steps", "3", *bench.job(body), env={"ONCHIP_RESUME": "stale"}), 0)
    given = load(bench.folder / "environment.out")
    config = (bench.dir / "config.json").read_bytes()
    assert given["ONCHIP_EVENTS_FD"] == "3"
    assert given["ONCHIP_RUN_DIR"] == str(bench.dir)
    assert given["ONCHIP_STEPS"] == "3"
    assert given["ONCHIP_CHECKPOINTS"] == str(bench.dir / "checkpoints")
    assert given["ONCHIP_CONFIG_SHA256"] == hashlib.sha256(config).hexdigest()
    assert "ONCHIP_RESUME" not in given


def test_signals_reach_the_job_unblocked(bench):
    body = "assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])\n" + GOOD
    ends(bench.launch("--steps", "1", *bench.job(body)), 0)


def test_output_of_the_job_goes_to_its_log(bench):
    done = bench.launch("--steps", "1", *bench.job(
        "print('out', flush=True); print('err', file=sys.stderr)\n" + GOOD))
    assert (bench.dir / "job.log").read_text() == "out\nerr\n"
    assert "out" not in done.stdout and "err" not in done.stderr


def test_events_are_there_as_they_happen(bench):
    launcher = bench.start("--steps", "8", *bench.job(OBEDIENT))
    bench.await_event("waiting")
    assert [event["step"] for event in bench.events("progress")] == [1, 2, 3]
    launcher.send_signal(signal.SIGTERM)
    launcher.communicate(timeout=60)


# --- The folder ---


def test_a_folder_that_is_not_empty_is_refused_and_untouched(bench):
    bench.dir.mkdir()
    (bench.dir / "mine").write_text("kept")
    before = (tree(bench.dir), bench.dir.stat().st_mtime_ns)
    ends(bench.launch(*bench.job(GOOD)), 2, "is not empty")
    assert (tree(bench.dir), bench.dir.stat().st_mtime_ns) == before


def test_an_empty_folder_is_taken(bench):
    bench.dir.mkdir()
    ends(bench.launch("--steps", "1", *bench.job(GOOD)), 0)


def test_what_a_launcher_left_that_made_no_run_counts_as_empty(bench):
    bench.dir.mkdir()
    (bench.dir / "lock").write_text("")
    for name in ("config.json.aB3xYz", ".writable", ".writable.aB3xYz"):
        (bench.dir / name).write_text("{")
    ends(bench.launch("--steps", "1", *bench.job(GOOD)), 0)
    assert not list(bench.dir.glob(".writable*")) + list(bench.dir.glob("*.aB3xYz"))


def test_a_symbolic_link_is_no_run_folder(bench):
    (bench.folder / "real").mkdir()
    bench.dir.symlink_to("real")
    ends(bench.launch(*bench.job(GOOD)), 5, "symbolic link")
    assert tree(bench.folder / "real") == {}


def test_a_folder_that_cannot_be_written_is_status_5(bench):
    bench.dir.mkdir()
    bench.dir.chmod(0o555)
    ends(bench.launch(*bench.job(GOOD), program=powerless()), 5, "Permission denied")
    assert tree(bench.dir) == {}


def test_a_command_that_is_not_there_makes_no_folder(bench):
    ends(bench.launch("--", "no-such-program-here"), 2, "no-such-program-here")
    assert not bench.dir.exists()


@pytest.mark.parametrize("args, words", [
    (["--steps", "0"], ["--steps", "1 to 10000"]),
    (["--steps", "10001"], ["--steps", "1 to 10000"]),
    (["--timeout", "0"], ["--timeout", "86400"]),
    (["--timeout", "inf"], ["--timeout", "86400"]),
    (["--timeout", "nan"], ["--timeout", "86400"]),
    (["--timeout", "-1"], ["--timeout", "86400"]),
    (["--timeout", "86400.5"], ["--timeout", "86400"]),
    (["--batch", "65"], ["--batch", "1 to 64"]),
    (["--seed", "4294967296"], ["--seed", "4294967295"]),
    (["--restart"], ["--restart needs --resume"]),
])
def test_numbers_out_of_range_name_option_and_range(bench, args, words):
    ends(bench.launch("--platform", "cpu", *args), 2, *words)
    assert not bench.dir.exists()


def test_two_launchers_the_second_says_who_holds_it(bench):
    job = bench.job(OBEDIENT)
    first = bench.start(*job)
    bench.await_event("waiting")
    for args in ([], ["--resume"]):
        ends(bench.launch(*args, *job), 2, f"pid {first.pid} on {os.uname().nodename}")
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=60)
    assert first.returncode == 75


def test_the_lock_of_a_dead_launcher_is_taken_over(bench):
    launcher = bench.start(*bench.job(OBEDIENT))
    bench.await_event("waiting")
    launcher.kill()
    launcher.communicate(timeout=60)
    assert json.loads((bench.dir / "lock").read_text())["pid"] == launcher.pid
    ends(bench.launch("--resume", *bench.job(GOOD)), 0)


def test_a_lock_of_another_host_is_refused_until_it_is_removed(bench):
    ends(bench.launch("--steps", "2", *bench.job(GOOD)), 0)
    lock = bench.dir / "lock"
    lock.write_text('{"pid": 7, "host": "elsewhere", "boot_id": "x"}')
    before = tree(bench.dir)
    ends(bench.launch("--resume", "--steps", "4"), 2, "elsewhere", "remove the file")
    assert tree(bench.dir) == before
    lock.unlink()
    ends(bench.launch("--resume", "--steps", "4"), 0)


def test_an_orphan_is_named_by_its_pid(bench):
    """A daemon survives its launcher's SIGKILL, which ends only the job itself."""
    body = OBEDIENT.replace('say(event="waiting")', '''
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.close(3)
    open("orphan", "w").write(str(os.getpid()))
    time.sleep(300)
while not os.path.exists("orphan") or not open("orphan").read():
    time.sleep(0.01)
say(event="waiting")''')
    launcher = bench.start(*bench.job(body))
    bench.await_event("waiting")
    launcher.kill()
    launcher.communicate(timeout=60)
    orphan = int((bench.folder / "orphan").read_text())
    before = tree(bench.dir)
    ends(bench.launch("--resume"), 2, f"process {orphan} ")
    assert tree(bench.dir) == before
    os.kill(orphan, signal.SIGKILL)
    bench.await_no_process()
    ends(bench.launch("--resume", *bench.job(body)[:1], *bench.job(GOOD)[1:]), 0)


# --- Resume ---


def resumable(bench, steps="4"):
    ends(bench.launch("--steps", steps, *bench.job(GOOD)), 0)
    return tree(bench.dir)


def test_resume_goes_on_and_counts_its_own_updates(bench):
    first = resumable(bench)
    ends(bench.launch("--resume", "--steps", "7"), 0)
    summary = bench.summary()
    assert (summary["attempt"], summary["resumed_from"], summary["updates"],
            summary["last_step"], summary["checkpoint_step"]) == (2, 4, 3, 7, 7)
    assert [event["step"] for event in bench.events("restored")] == [4]
    kept = tree(bench.dir / "history/attempt-0001")
    assert kept == {name: first[name] for name in KEPT}
    assert (bench.dir / "config.json").read_bytes() == first["config.json"]
    run = load(bench.dir / "run.json")
    assert (run["attempt"], run["steps"], run["resumed_from"], run["checkpoint"]) == (
        2, 7, 4, "step-00000004")


@pytest.mark.parametrize("steps", ["4", "3"])
def test_a_target_that_is_reached_is_refused(bench, steps):
    before = resumable(bench)
    ends(bench.launch("--resume", "--steps", steps), 2, "of step 4", f"it is {steps}")
    assert tree(bench.dir) == before


def test_a_run_that_was_killed_behind_its_last_checkpoint_is_completed(bench):
    first = resumable(bench)
    (bench.dir / "summary.json").unlink()  # the launcher came no further
    ends(bench.launch("--resume"), 0)
    summary = bench.summary()
    assert (summary["status"], summary["updates"], summary["last_step"],
            summary["update_examples_per_s"]) == ("completed", 0, 4, None)
    assert (bench.dir / "history/attempt-0001/run.json").read_bytes() == first["run.json"]
    ends(bench.launch("--resume"), 2, "of step 4")


def test_another_command_is_refused_with_both(bench):
    before = resumable(bench)
    ends(bench.launch("--resume", "--steps", "9", "--", sys.executable, "other.py"), 2,
         "word 1 of the command differs", "job.py'", "'other.py'")
    ends(bench.launch("--resume", "--steps", "9", "--platform", "cpu"), 2,
         "platform differs: the run has 'none', asked for is 'cpu'")
    assert tree(bench.dir) == before


def test_a_changed_configuration_is_refused_by_its_key(bench):
    resumable(bench)
    config = bench.dir / "config.json"
    config.write_text(config.read_text().replace("job.py", "jab.py"))
    before = tree(bench.dir)
    ends(bench.launch("--resume", "--steps", "9"), 2, "config differs")
    assert tree(bench.dir) == before


@pytest.mark.parametrize("there", [False, True])
def test_nothing_to_resume_is_status_2(bench, there):
    if there:
        bench.dir.mkdir()
    ends(bench.launch("--resume", *bench.job(GOOD)), 2, "nothing to resume")
    assert bench.dir.exists() == there
    assert not there or tree(bench.dir) == {}


def test_no_checkpoint_at_all_needs_restart(bench):
    job = bench.job("ready()\nprogress(1)\nif TARGET == 4: sys.exit(3)\n"
                    "progress(2)\nsay(event='completed', step=2)\n")
    ends(bench.launch("--steps", "4", *job), 1, "exit status 3")
    before = tree(bench.dir)
    ends(bench.launch("--resume", "--steps", "2"), 2, "--restart")
    assert tree(bench.dir) == before
    ends(bench.launch("--resume", "--restart", "--steps", "2"), 0)
    assert bench.summary()["resumed_from"] == 0


def test_a_damaged_checkpoint_is_passed_over_and_set_aside(bench):
    resumable(bench)
    state = bench.dir / "checkpoints/step-00000004/state.bin"
    state.write_bytes(b"5")
    ends(bench.launch("--resume", "--steps", "6"), 0)
    assert bench.summary()["resumed_from"] == 2
    assert (bench.dir / "checkpoints/bad-00000004-1/state.bin").read_bytes() == b"5"


def test_none_good_stops_with_1_unless_restart(bench):
    resumable(bench)
    for state in bench.dir.glob("checkpoints/*/state.bin"):
        state.write_bytes(b"x")
    before = tree(bench.dir)
    ends(bench.launch("--resume", "--steps", "6"), 1, "no checkpoint", "state.bin", "--restart")
    assert tree(bench.dir) == before
    ends(bench.launch("--resume", "--restart", "--steps", "6"), 0)
    assert (bench.summary()["resumed_from"], bench.summary()["updates"]) == (0, 6)


@pytest.mark.parametrize("moved", range(6))
def test_a_move_into_history_that_was_broken_off_is_finished(bench, moved):
    first = resumable(bench)
    target = bench.dir / "history/attempt-0001"
    target.mkdir(parents=True)
    order = ["events.jsonl", "summary.json", "job.log", "environment.json", "run.json"]
    for name in order[:moved]:
        (bench.dir / name).rename(target / name)
    ends(bench.launch("--resume", "--steps", "6"), 0)
    assert tree(target) == {name: first[name] for name in KEPT}
    assert bench.summary()["attempt"] == 2


def test_attempts_are_counted(bench):
    resumable(bench)
    for attempt, steps in enumerate(["6", "8", "9"], 2):
        ends(bench.launch("--resume", "--steps", steps), 0)
        assert bench.summary()["attempt"] == attempt
    assert sorted(path.name for path in (bench.dir / "history").iterdir()) == [
        "attempt-0001", "attempt-0002", "attempt-0003"]


# --- Jobs that misbehave ---


def failed(bench, done, *words, status=1, ended="failed"):
    ends(done, status, *words)
    summary = bench.summary()
    assert summary["status"] == ended and summary["message"]
    return summary


def test_exit_0_before_the_target_has_failed(bench):
    done = bench.launch("--steps", "8", *bench.job("train(ready(), 3)\n"))
    summary = failed(bench, done, "exit status 0 at step 3 of 8 without the event 'completed'")
    assert summary["checkpoint_step"] == 2 and summary["uncheckpointed_updates"] == 1


def test_all_steps_without_completed_have_failed(bench):
    done = bench.launch("--steps", "3", *bench.job("train(ready())\n"))
    failed(bench, done, "at step 3 of 3 without the event 'completed'")


def test_a_failure_of_the_job_is_in_its_words(bench):
    body = "ready()\nsay(event='failed', kind='compile', message='no such unit')\nsys.exit(5)\n"
    failed(bench, bench.launch(*bench.job(body)), "compile: no such unit (exit status 5)")


def test_completed_and_another_exit_status_has_failed(bench):
    failed(bench, bench.launch("--steps", "2", *bench.job(GOOD + "sys.exit(7)\n")),
           "exit status 7")


@pytest.mark.parametrize("how, name", [(signal.SIGKILL, "Killed"), (signal.SIGSEGV, "Segmentation")])
def test_a_signal_that_ended_the_job_is_named(bench, how, name):
    body = f"train(ready(), 3)\nos.kill(os.getpid(), {int(how)})\n"
    summary = failed(bench, bench.launch(*bench.job(body)), f"signal {int(how)} ({name}")
    assert summary["signal"] == how and summary["exit_status"] is None
    assert bench.events("ended")[0]["signal"] == how


GARBAGE = {
    "no_json": "os.write(3, b'hello\\n')",
    "no_object": "os.write(3, b'[1]\\n')",
    "empty_line": "os.write(3, b'\\n')",
    "no_event": "say(step=1)",
    "two_keys": "os.write(3, b'{\"event\": \"x\", \"event\": \"y\"}\\n')",
    "no_utf8": "os.write(3, b'{\"event\": \"\\xff\"}\\n')",
    "too_long": "os.write(3, b'{\"event\": \"' + b'x' * 70000 + b'\"}\\n')",
    "no_end": "os.write(3, b'x' * 70000)",
    "wrong_type": "progress(1, examples='4')",
    "infinite": "os.write(3, json.dumps({'event': 'ready', 'compile_s': 1e999}).encode() + b'\\n')",
    "negative": "progress(1, update_s=-1)",
    "lacks": "say(event='progress', step=1)",
    "skips": "progress(2)",
    "twice": "progress(1); progress(1)",
    "past_target": "train(0, 8); progress(9)",
    "early_end": "say(event='completed', step=0)",
    "foreign_restored": "say(event='restored', step=1, state_hash='')",
    "checkpoint_ahead": "say(event='checkpoint', step=5, state_hash='')",
    "forged_end": "say(event='ended', exit_status=0)",
    "forged_time": "say(event='mine', t_s=0)",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_what_is_no_event_ends_the_job(bench, name):
    body = f"ready()\n{GARBAGE[name]}\ntime.sleep(300)\n"
    failed(bench, bench.launch(*bench.job(body)), "protocol: ")
    assert [event["kind"] for event in bench.events("failed")] == ["protocol"]
    assert bench.events("ended")[0]["signal"] == signal.SIGTERM


def test_progress_before_ready_is_refused(bench):
    failed(bench, bench.launch(*bench.job("progress(1)\ntime.sleep(300)\n")), "before 'ready'")


def test_members_and_events_of_ones_own_are_kept(bench):
    body = "ready()\nprogress(1, mine=[1, {'a': None}])\nsay(event='note', text='\\u00e4')\n" \
           "say(event='completed', step=1)\n"
    ends(bench.launch("--steps", "1", *bench.job(body)), 0)
    assert bench.events("progress")[0]["mine"] == [1, {"a": None}]
    assert bench.events("note")[0]["text"] == "\u00e4"


def test_a_loss_that_is_no_number_is_kept(bench):
    body = "ready()\nprogress(1, loss='NaN')\nsay(event='completed', step=1)\n"
    ends(bench.launch("--steps", "1", *bench.job(body)), 0)


def test_a_torn_last_line_is_no_event(bench):
    body = "train(ready(), 2)\nos.write(3, b'{\"event\": \"pro')\nos.kill(os.getpid(), 9)\n"
    failed(bench, bench.launch(*bench.job(body)), "signal 9")
    assert bench.events()[-1]["event"] == "ended"


def test_a_flood_of_events_ends_the_job(bench):
    body = "ready()\nline = (json.dumps({'event': 'note', 'x': 'y' * 60000}) + '\\n').encode()\n" \
           "while True:\n    os.write(3, line)\n"
    failed(bench, bench.launch(*bench.job(body)), "64 MiB of events")
    assert (bench.dir / "events.jsonl").stat().st_size < 66 << 20


def test_events_that_are_closed_end_the_job(bench):
    failed(bench, bench.launch(*bench.job("ready()\nos.close(3)\ntime.sleep(300)\n")),
           "closed its events")


def test_a_gigabyte_of_output_costs_neither_memory_nor_disk(bench):
    """The byte at n is n modulo 251, so that every byte of the log tells where it comes from."""
    period, times, writes = 251, 4177, 1024
    body = f"first = ready()\nfor i in range({writes}):\n" \
           f"    os.write(1, bytes(range({period})) * {times})\n" \
           "train(first)\nsay(event='completed', step=TARGET)\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = bench.launch("--steps", "1", *bench.job(body))
    ends(done, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert after - before < 64 << 10  # KiB; of the largest child so far
    total, half = period * times * writes, 512 << 10
    log = (bench.dir / "job.log").read_bytes()
    pattern = bytes(range(period)) * (half // period + 2)
    assert log[:half] == pattern[:half]
    start = (total - half) % period
    assert log[-half:] == pattern[start:start + half]
    assert log[half:-half] == b"\n[onchip: %d bytes are left out here]\n" % (total - 2 * half)


def test_a_log_that_just_fits_is_whole(bench):
    size = (1 << 20) - 1
    body = f"data = bytes(i % 251 for i in range({size}))\n" \
           f"for at in range(0, {size}, 997):\n    os.write(1, data[at:at + 997])\n" + GOOD
    ends(bench.launch("--steps", "1", *bench.job(body)), 0)
    assert (bench.dir / "job.log").read_bytes() == bytes(i % 251 for i in range(size))


DAEMON = '''
train(ready(), 2)
for level in range(2):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.closerange(1, 4)
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0) if level else time.sleep(300)
'''


@pytest.mark.parametrize("end", ["sys.exit(3)", "say(event='completed', step=TARGET)"])
def test_daemons_end_with_their_job(bench, end):
    done = bench.launch("--steps", "2", *bench.job(DAEMON + end))
    assert done.returncode == (1 if "exit" in end else 0)
    assert bench.processes() == []


def test_daemons_without_environment_end_with_their_job(bench):
    body = "train(ready(), 1)\npid = os.fork()\nif pid == 0:\n    os.setsid()\n" \
           "    os.execve(sys.executable, ['x', '-c', 'import time; time.sleep(300)'], {})\n" \
           "open('pid', 'w').write(str(pid))\nsay(event='completed', step=1)\n"
    ends(bench.launch("--steps", "1", *bench.job(body)), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.folder / "pid").read_text()), 0)


# --- Limits ---


def timed_out(bench, done, limit, *words):
    summary = failed(bench, done, *words, ended="timed_out")
    stalled = bench.events("stalled")
    assert [event["limit"] for event in stalled] == [limit]
    assert stalled[0]["state"] in "RSDTt" and stalled[0]["after_s"] > 0
    assert set(stalled[0]) == {"t_s", "event", "limit", "after_s", "pid", "state", "wchan"}
    return summary


def test_a_job_that_is_never_ready(bench):
    done = bench.launch("--start-timeout", "0.5", *bench.job("time.sleep(300)\n"))
    summary = timed_out(bench, done, "start", "not ready within 0.5 s (--start-timeout)")
    assert summary["checkpoint_step"] == 0 and summary["signal"] == signal.SIGTERM
    assert KEPT <= {path.name for path in bench.dir.iterdir()}


def test_a_job_that_hangs_in_a_step(bench):
    body = "train(ready(), 3)\nwhile True:\n    say(event='beat')\n    time.sleep(0.05)\n"
    done = bench.launch("--stall-timeout", "0.5", *bench.job(body))
    summary = timed_out(bench, done, "stall", "no further step within 0.5 s", "at step 3")
    assert summary["checkpoint_step"] == 2


def test_a_job_that_takes_too_long_in_all(bench):
    body = "step = ready()\nwhile True:\n    step += 1\n    progress(step)\n    time.sleep(0.1)\n"
    done = bench.launch("--steps", "10000", "--timeout", "1", *bench.job(body))
    timed_out(bench, done, "total", "not done within 1 s (--timeout)")


def test_a_job_that_ignores_sigterm_is_killed(bench):
    body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntrain(ready(), 3)\ntime.sleep(300)\n"
    done = bench.launch("--stall-timeout", "0.3", "--grace", "0.3", *bench.job(body))
    summary = timed_out(bench, done, "stall", "did not obey SIGTERM and was killed")
    assert summary["signal"] == signal.SIGKILL


def test_a_job_that_was_stopped_can_still_obey(bench):
    body = OBEDIENT.replace('say(event="waiting")', "os.kill(os.getpid(), signal.SIGSTOP)")
    done = bench.launch("--stall-timeout", "0.5", *bench.job(body))
    summary = timed_out(bench, done, "stall", "no further step")
    assert (summary["checkpoint_step"], summary["exit_status"]) == (3, 75)


# --- Signals ---


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_asks_for_a_checkpoint_and_is_75(bench, how):
    launcher = bench.start("--json", *bench.job(OBEDIENT))
    bench.await_event("waiting")
    launcher.send_signal(how)
    out, err = launcher.communicate(timeout=60)
    assert launcher.returncode == 75, err
    assert json.loads(out) == bench.summary()
    summary = bench.summary()
    assert (summary["status"], summary["checkpoint_step"], summary["exit_status"]) == (
        "preempted", 3, 75)
    ends(bench.launch("--resume", "--steps", "5", *bench.job(GOOD)), 0)
    assert bench.summary()["updates"] == 2


def test_a_periodic_checkpoint_is_enough_for_75(bench):
    body = "train(ready(), 3)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" \
           "say(event='waiting')\ntime.sleep(300)\n"
    launcher = bench.start("--grace", "0.3", *bench.job(body))
    bench.await_event("waiting")
    launcher.send_signal(signal.SIGTERM)
    _, err = launcher.communicate(timeout=60)
    assert launcher.returncode == 75 and "was killed" in err
    assert bench.summary()["checkpoint_step"] == 2


def test_a_signal_before_any_checkpoint_is_1(bench):
    launcher = bench.start(*bench.job("ready()\nsay(event='waiting')\ntime.sleep(300)\n"))
    bench.await_event("waiting")
    launcher.send_signal(signal.SIGTERM)
    launcher.communicate(timeout=60)
    assert launcher.returncode == 1
    assert bench.summary()["status"] == "preempted"


def test_a_second_sigint_shortens_the_grace(bench):
    body = "signal.signal(signal.SIGTERM, lambda *_: say(event='asked'))\ntrain(ready(), 2)\n" \
           "say(event='waiting')\nwhile True:\n    time.sleep(1)\n"
    launcher = bench.start("--grace", "86400", *bench.job(body))
    bench.await_event("waiting")
    launcher.send_signal(signal.SIGINT)
    bench.await_event("asked")
    launcher.send_signal(signal.SIGINT)
    launcher.communicate(timeout=60)
    assert launcher.returncode == 75
    assert bench.summary()["signal"] == signal.SIGKILL


def test_a_job_that_asks_to_be_resumed_is_75(bench):
    done = bench.launch(*bench.job("train(ready(), 2)\nsys.exit(75)\n"))
    failed(bench, done, "asks to be resumed", status=75, ended="preempted")


def test_a_hangup_that_is_ignored_stays_ignored(bench):
    launcher = bench.start("--steps", "2", *bench.job(
        "first = ready()\nsay(event='waiting')\n"
        "while not os.path.exists('go'):\n    time.sleep(0.01)\n"
        "train(first)\nsay(event='completed', step=TARGET)\n"), program=["nohup", BIN])
    bench.await_event("waiting")
    launcher.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    (bench.folder / "go").write_text("")
    launcher.communicate(timeout=60)
    assert launcher.returncode == 0


def test_a_reader_that_went_away_does_not_end_the_job(bench):
    reading, writing = os.pipe()
    os.close(reading)
    launcher = bench.start(*bench.job(GOOD), stdout=writing, stderr=writing)
    os.close(writing)
    launcher.wait(timeout=60)
    assert launcher.returncode == 5  # the answer could not be given; the run is whole
    assert bench.summary()["status"] == "completed"


def test_the_death_of_the_launcher_ends_the_job(bench):
    launcher = bench.start(*bench.job(OBEDIENT))
    bench.await_event("waiting")
    launcher.kill()
    launcher.communicate(timeout=60)
    bench.await_no_process()
    assert not (bench.dir / "summary.json").exists()
    ends(bench.launch("--resume", *bench.job(GOOD)), 0)
    assert bench.summary()["resumed_from"] == 2
    assert "summary.json" not in tree(bench.dir / "history/attempt-0001")


# --- Disks ---


def test_a_file_that_cannot_grow_ends_the_job_with_5(bench):
    """RLIMIT_FSIZE stands for the full disk: write(2) fails in the middle of the run."""
    body = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\ntrain(ready(), 2)\n" \
           "while True:\n    say(event='note', x='y' * 1000)\n"
    done = bench.launch(*bench.job(body), program=[
        "sh", "-c", 'trap "" XFSZ; ulimit -f 64; exec "$0" "$@"', BIN])
    failed(bench, done, "events.jsonl", status=5)
    assert (bench.dir / "events.jsonl").read_bytes().endswith(b"}\n")
    ends(bench.launch("--resume", "--steps", "4", *bench.job(GOOD)), 0)


# --- The built-in job ---


def built_in(bench, *args, **options):
    return bench.launch("--platform", "cpu", *args, **options)


def final_state(folder):
    """Parameters, velocity, key, step, by the files of the newest checkpoint and the record."""
    newest = sorted((folder / "checkpoints").glob("step-*"))[-1]
    return (newest.name, (newest / "state.bin").read_bytes(),
            (folder / "trajectory.bin").read_bytes())


def test_resumed_equals_uninterrupted_bit_for_bit(bench):
    ends(built_in(bench, "--steps", "4"), 0)
    ends(bench.launch("--resume", "--steps", "8"), 0)
    assert bench.summary()["updates"] == 4
    ends(bench.run("launch", "--platform", "cpu", "--run-dir", "whole", "--steps", "8"), 0)
    assert final_state(bench.dir) == final_state(bench.folder / "whole")
    hashes = [event["state_hash"] for event in bench.events("progress")]
    bench.dir.rename(bench.folder / "resumed")
    (bench.folder / "whole").rename(bench.dir)
    assert hashes == [event["state_hash"] for event in bench.events("progress")][4:]
    for name in ("run", "resumed"):
        ends(bench.run("verify", name, "--require", "cpu"), 0)


def test_the_folder_of_the_built_in_job(bench):
    ends(built_in(bench), 0)
    names = {path.name for path in bench.dir.iterdir()}
    figure = {"figure.svg"} if shutil.which("gnuplot") else set()
    assert names == KEPT | figure | {"lock", "config.json", "checkpoints", "program.mlir",
                                     "trajectory.bin", "receipt.json"}
    config = load(bench.dir / "config.json")
    program = (bench.dir / "program.mlir").read_bytes()
    assert config["program_sha256"] == hashlib.sha256(program).hexdigest()


@pytest.mark.parametrize("args, words", [
    (["--seed", "4"], "seed differs: the run has '3', asked for is '4'"),
    (["--batch", "4"], "batch differs: the run has '8', asked for is '4'"),
    (["--checkpoint-every", "1"], "checkpoint-every differs: the run has '2', asked for is '1'"),
    (["--state-mib", "1"], "state-mib differs: the run has '0', asked for is '1'"),
    (["--platform", "tpu"], "platform differs: the run has 'cpu', asked for is 'tpu'"),
    (["--", "true"], "command differs: the run has 'the built-in job', asked for is 'true'"),
])
def test_another_configuration_is_refused_by_its_key(built, args, words):
    before = tree(built.dir)
    ends(built.launch("--resume", "--steps", "9", *args), 2, words)
    assert tree(built.dir) == before


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    made = Bench(folder)
    ends(built_in(made, "--steps", "2"), 0)
    yield made
    made.await_no_process()


def test_a_changed_program_is_refused_by_its_key(built):
    path = built.dir / "program.mlir"
    text = path.read_text()
    path.write_text(text + " ")
    before = tree(built.dir)
    ends(built.launch("--resume", "--steps", "9"), 2, "program", "differs")
    assert tree(built.dir) == before
    path.write_text(text)


def test_a_platform_that_is_absent_is_never_the_cpu(bench):
    done = bench.launch("--platform", "tpu", "--run-dir", "run")
    failed(bench, done, "tpu", status=3)
    assert load(bench.dir / "receipt.json")["platform"] is None


def test_a_worker_that_is_not_there_is_status_5(bench):
    missing = {"ONCHIP_TRAIN": "/nonexistent/onchip-train"}
    ends(built_in(bench, env=missing), 5, "/nonexistent/onchip-train")
    assert not bench.dir.exists()
    ends(built_in(bench, "--steps", "2"), 0)
    done = bench.launch("--resume", "--steps", "4", env=missing)
    failed(bench, done, "/nonexistent/onchip-train", status=5)
    ends(bench.launch("--resume", "--steps", "4"), 0)
    assert bench.summary()["attempt"] == 3


@pytest.mark.parametrize("most", [7, 8, 10, 12])
def test_too_few_descriptors_are_status_5_and_leave_nothing(bench, most):
    done = bench.launch(*bench.job(GOOD), program=[
        "sh", "-c", f'ulimit -n {most}; exec "$0" "$@"', BIN])
    ends(done, 5, "Too many open files")
    assert not bench.dir.exists()


def test_without_gnuplot_there_is_no_figure_and_a_word(bench):
    done = built_in(bench, env={"PATH": str(bench.folder)})
    ends(done, 0, "no figure")
    assert not (bench.dir / "figure.svg").exists()
