"""Signals, limits, and jobs that do not end as they should."""

import json
import os
import signal
import time
from pathlib import Path

from table import Rows
from world import (COMMAND, JOB, LAUNCHER, STEPS, TRAIN, Fault, Run, Skip, recover, require,
                   until)

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
SHORT = ("--grace", "0.5")


def step_is(run, step):
    return any(event["step"] >= step for event in run.events("progress"))


def preempted(run, done):
    require(done.code == 75, f"it is to end with 75, but: {done}")
    require(run.summary().get("status") == "preempted", f"summary: {run.summary()}")


def signal_rows(lab, rows):
    for kind in (TRAIN, COMMAND):
        reference = lab.references[kind]

        @rows.row(f"SIGTERM to the launcher of {kind}, before and in every step (preemption)",
                  "the step is finished, a checkpoint written, exit 75; resumed: the same")
        def preemption(kind=kind, reference=reference):
            steps = reference.steps(kind)
            for at in ([1] + steps[::3] if lab.quick else [1] + steps):
                with Run(kind) as run:
                    done = run.launch(fault=Fault(kind, at, "term"))
                    if done.code == 0:  # it was faster than the signal
                        run.assert_final(reference)
                        continue
                    preempted(run, done)
                    require(run.good(), "no checkpoint was written in the grace")
                    require(run.summary()["uncheckpointed_updates"] == 0, f"{run.summary()}")
                    recover(run, reference)

    @rows.row("SIGINT and SIGHUP to the launcher", "as SIGTERM: exit 75")
    def interrupt():
        for number in (signal.SIGINT, signal.SIGHUP):
            with Run(COMMAND, command=(JOB, "--step-ms", "200")) as run:
                process = run.start()
                until(lambda: step_is(run, 3), "no step")
                process.send_signal(number)
                preempted(run, run.wait(process))
                recover(run, lab.references[COMMAND])

    @rows.row("SIGTERM while the launcher starts, at each of its first calls",
              "75 where there is a checkpoint; resumed or restarted: the same")
    def early():
        reference = lab.references[COMMAND]
        for at in range(1, 40, 5 if lab.quick else 1):
            with Run(COMMAND) as run:
                done = run.launch(fault=Fault(LAUNCHER, at, "term"))
                ends = (75, 0) if run.good() else (1, 0, -signal.SIGTERM)
                require(done.code in ends, f"SIGTERM at call {at}: {done}")
                if done.code:
                    recover(run, reference)

    @rows.row("SIGTERM to the launcher, then KILL of all a moment later",
              "the last periodic checkpoint stands; resumed: the same")
    def term_then_kill():
        reference = lab.references[TRAIN]
        at = reference.steps(TRAIN)[4]
        with Run(TRAIN) as run:
            process = run.start("--grace", "30", fault=Fault(TRAIN, at, "deaf"))
            until(lambda: step_is(run, 4), "no step")
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            process.kill()
            run.wait(process)
            run.assert_quiet()
            require(run.good()[:1] == [4], f"checkpoints: {run.good()}")
            recover(run, reference)

    @rows.row("the job ignores SIGTERM", "SIGKILL after the grace, said so; exit 75; resumed: "
              "the same")
    def deaf():
        reference = lab.references[TRAIN]
        at = reference.steps(TRAIN)[4]
        with Run(TRAIN) as run:
            process = run.start(*SHORT, fault=Fault(TRAIN, at, "deaf"))
            until(lambda: step_is(run, 4), "no step")
            process.send_signal(signal.SIGTERM)
            done = run.wait(process)
            preempted(run, done)
            text = done.err + json.dumps(run.summary()) + (run.folder / "events.jsonl").read_text()
            require("SIGKILL" in text or '"signal": 9' in text, f"nobody says SIGKILL: {text}")
            recover(run, reference)


def limit_rows(lab, rows):
    for action, words in (("hang", "hangs"), ("deaf", "hangs and ignores SIGTERM"),
                          ("spin", "turns in a busy loop, with no step done")):
        @rows.row(f"the job {words}", "the stall limit: `stalled` with what /proc shows, exit 1, "
                  "timed_out; resumed: the same")
        def stall(action=action):
            reference = lab.references[TRAIN]
            at = reference.steps(TRAIN)[4]
            with Run(TRAIN) as run:
                done = run.launch("--stall-timeout", "1", *SHORT, fault=Fault(TRAIN, at, action))
                require(done.code == 1, f"the stall: {done}")
                require(run.summary().get("status") == "timed_out", f"{run.summary()}")
                stalled = run.events("stalled")
                require(stalled and stalled[0]["limit"] == "stall", f"events: {stalled}")
                recover(run, reference)

    @rows.row("the job never gets ready", "the start limit: exit 1, timed_out, diagnostics kept "
              "without any checkpoint; restarted: the same")
    def start():
        reference = lab.references[TRAIN]
        with Run(TRAIN) as run:
            done = run.launch("--start-timeout", "1", *SHORT, fault=Fault(TRAIN, 1, "hang"))
            require(done.code == 1, f"the start: {done}")
            require(run.summary().get("status") == "timed_out", f"{run.summary()}")
            require(run.events("stalled")[0]["limit"] == "start", "the event names the limit")
            require(not run.good(), "there is a checkpoint")
            recover(run, reference)

    @rows.row("the job takes longer than --timeout", "exit 1, timed_out; resumed: the same")
    def total():
        with Run(COMMAND, command=(JOB, "--step-ms", "400")) as run:
            done = run.launch("--timeout", "1.5", *SHORT)
            require(done.code == 1, f"the limit: {done}")
            require(run.summary().get("status") == "timed_out", f"{run.summary()}")
            require(run.events("stalled")[0]["limit"] == "total", "the event names the limit")
            recover(run, lab.references[COMMAND])


def end_rows(lab, rows):
    @rows.row("the job ends with status 0 before its steps are done", "failed, exit 1; resumed: "
              "the same")
    def early():
        for kind in (TRAIN, COMMAND):
            reference = lab.references[kind]
            with Run(kind) as run:
                done = run.launch(fault=Fault(kind, reference.steps(kind)[4], "exit"))
                require(done.code == 1, f"{kind}: {done}")
                require(run.summary().get("status") == "failed", f"{run.summary()}")
                recover(run, reference)

    @rows.row("the job leaves a daemon behind", "it is found and killed; all steps done, exit 0")
    def daemon():
        for kind in (TRAIN, COMMAND):
            reference = lab.references[kind]
            with Run(kind) as run:
                done = run.launch(fault=Fault(kind, reference.steps(kind)[4], "daemon"))
                require(done.code == 0, f"{kind}: {done}")
                run.assert_final(reference)

    @rows.row("the launcher is killed while a daemon of the job lives", "the next launch names "
              "its pid and is refused, exit 2; once it is gone: the same")
    def orphan():
        reference = lab.references[COMMAND]
        with Run(COMMAND, command=(JOB, "--step-ms", "100")) as run:
            process = run.start(fault=Fault(COMMAND, reference.steps(COMMAND)[2], "daemon"))
            until(lambda: step_is(run, 4), "no step")
            process.kill()
            run.wait(process)
            until(lambda: len(run.processes()) == 1, f"only the daemon stays: {run.processes()}")
            (pid, _), = run.processes()
            before = run.tree()
            done = run.resume()
            require(done.code == 2, f"beside an orphan: {done}")
            require(str(pid) in done.err, f"the message does not name {pid}: {done}")
            require(run.tree() == before, "a refused resume changed the folder")
            os.kill(pid, signal.SIGKILL)
            recover(run, reference)

    @rows.row("the job writes 1 GB to standard output", "at most 1 MiB is kept, the events are "
              "whole; all steps done, exit 0")
    def flood():
        with Run(COMMAND, command=(JOB, "--flood", str(1 << 30))) as run:
            done = run.launch("--start-timeout", "90")
            require(done.code == 0, f"{done}")
            require((run.folder / "job.log").stat().st_size <= (1 << 20) + 4096, "job.log is long")
            run.assert_final(lab.references[COMMAND])

    @rows.row("standard output and error of the launcher are closed, or a pipe without a reader",
              "the job goes on, the folder is whole")
    def closed():
        reference = lab.references[TRAIN]
        for shell in ('exec "$@" >&- 2>&-', 'exec "$@" >/dev/full', '"$@" | true'):
            with Run(TRAIN) as run:
                run.launch(before=("sh", "-c", shell, "sh"))
                until(lambda: not run.processes(), "the launcher does not end", 60)
                require(run.summary().get("status") == "completed", f"{shell}: {run.summary()}")
                run.assert_final(reference)

    @rows.row("no descriptors are left when the job is to be started (ulimit -n)",
              "exit 5, no half-started state; afterwards: the same")
    def descriptors():
        codes = []
        for limit in range(4, 40, 3 if lab.quick else 1):
            with Run(COMMAND) as run:
                done = run.launch(before=("sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"))
                codes.append(done.code)
                if "error while loading shared libraries" in done.err:
                    codes.pop()
                    continue
                require(done.code in (0, 5), f"ulimit -n {limit}: {done}")
                if done.code:
                    recover(run, lab.references[COMMAND])
        require(5 in codes and 0 in codes, f"statuses by limit: {codes}")


def clock_rows(lab, rows):
    for jump in ("+86400", "-86400"):
        @rows.row(f"the wall clock jumps by {jump} s in the middle (libfaketime)",
                  "no limit is hit; the same")
        def clock(jump=jump):
            if not FAKETIME:
                raise Skip("faketime: libfaketime is not installed")
            reference = lab.references[COMMAND]
            with Run(COMMAND, command=(JOB, "--step-ms", "60")) as run:
                path = run.home / "clock"
                path.write_text("+0")
                process = run.start("--timeout", "60", env={
                    "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(path),
                    "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                    "DONT_FAKE_MONOTONIC": "1"})
                until(lambda: step_is(run, 3), "no step")
                path.write_text(jump)
                done = run.wait(process)
                require(done.code == 0, f"{done}")
                require(len(run.events("progress")) == STEPS, "events are missing")
                run.assert_final(reference)


def holder_rows(lab, rows):
    @rows.row("a second launcher in the folder", "exit 2, names the pid of the first; nothing "
              "written; the first ends as if alone")
    def second():
        with Run(COMMAND, command=(JOB, "--step-ms", "100")) as run:
            process = run.start()
            until(lambda: step_is(run, 2), "no step")
            for resume in (True, False):
                before = set(run.tree()) - {"checkpoints"}
                done = run.launch(resume=resume)
                require(done.code == 2, f"the second: {done}")
                require(str(process.pid) in done.err, f"it does not name {process.pid}: {done}")
                after = {name for name in run.tree() if not name.startswith("checkpoints")}
                require(after == {name for name in before if not name.startswith("checkpoints")},
                        "the second changed the folder")
            done = run.wait(process)
            require(done.code == 0, f"the first: {done}")
            run.assert_final(lab.references[COMMAND])

    @rows.row("a lock file whose holder is dead", "it is taken over")
    def stale():
        with Run(COMMAND) as run:
            run.launch(fault=lab.references[COMMAND].halfway())
            require((run.folder / "lock").exists(), "the killed launcher left no lock file")
            recover(run, lab.references[COMMAND])

    def killed_and_signed(run, member):
        """The lock of a killed launcher, of another `member`."""
        run.launch(fault=lab.references[COMMAND].halfway())
        path = run.folder / "lock"
        lock = json.loads(path.read_text())
        require(member in lock, f"the lock does not say its {member}: {lock}")
        path.write_text(json.dumps({**lock, member: "elsewhere"}))
        return path

    @rows.row("a lock of another host", "refused with what differs, exit 2; once it is removed: "
              "the same")
    def elsewhere():
        with Run(COMMAND) as run:
            path = killed_and_signed(run, "host")
            before = run.tree()
            done = run.resume()
            require(done.code == 2 and "elsewhere" in done.err, str(done))
            require(run.tree() == before, "a refused resume changed the folder")
            path.unlink()
            recover(run, lab.references[COMMAND])

    @rows.row("a lock of this host from before its last boot", "its holder is dead: taken over")
    def rebooted():
        with Run(COMMAND) as run:
            killed_and_signed(run, "boot_id")
            recover(run, lab.references[COMMAND])


def rows(lab):
    made = Rows()
    signal_rows(lab, made)
    limit_rows(lab, made)
    end_rows(lab, made)
    clock_rows(lab, made)
    holder_rows(lab, made)
    return made
