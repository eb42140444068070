"""Deaths at every numbered call."""

import re
import shutil

from table import Rows
from world import COMMAND, KEPT, LAUNCHER, TRAIN, Fault, Run, recover, require

WORDS = {TRAIN: "the job", COMMAND: "a command", LAUNCHER: "the launcher"}


def place(call, path):
    """The kind of a call: what it does where, numbers and random letters left out."""
    path = re.sub(r"\d+(-\d+)*", "N", path)
    return call, re.sub(r"\.\w{6}$", ".tmp", path)


def places(calls):
    """The numbers of the calls of each kind, in the order in which they come first."""
    found = {}
    for number, call, path in calls:
        found.setdefault(place(call, path), []).append(number)
    return found


def chosen(numbers, quick):
    """All of them, or the one in the middle: by then there is a checkpoint."""
    return [numbers[len(numbers) // 2]] if quick else numbers


def die_once(kind, fault, reference):
    with Run(kind) as run:
        done = run.launch(fault=fault)
        reached = len(run.calls()) >= fault.at
        try:
            if not reached:
                require(done.code == 0, f"without a fault: {done}")
            elif fault.program == LAUNCHER or fault.action == "all":
                require(done.code == -9, f"the launcher was killed, but: {done}")
            else:
                require(done.code == 1, f"the job was killed, but: {done}")
                require(run.summary().get("status") == "failed", f"summary: {run.summary()}")
                require(run.summary().get("signal") == 9, f"summary: {run.summary()}")
            if reached:
                recover(run, reference)
        except AssertionError as error:
            raise AssertionError(f"{fault}: {error}") from error


def death_row(rows, kind, program, where, numbers, reference):
    call, path = where
    actions = ["before", "after"] + (["torn"] if call in ("write", "pwrite") else [])

    @rows.row(f"kill -9 of {WORDS[program]} at {call} {path or 'of the folder'} "
              f"({', '.join(actions)}; {len(numbers)} of them)",
              "no partial step-N; resumed or restarted, the final state is the same")
    def deaths():
        for at in numbers:
            for action in actions:
                die_once(kind, Fault(program, at, action), reference)


def death_rows(lab):
    rows = Rows()
    train = lab.references[TRAIN]
    command = lab.references[COMMAND]
    cheap = places(command.calls[LAUNCHER])
    for where, numbers in places(train.calls[TRAIN]).items():
        death_row(rows, TRAIN, TRAIN, where, chosen(numbers, lab.quick), train)
    for where, numbers in places(train.calls[LAUNCHER]).items():
        if not lab.quick or where not in cheap:
            death_row(rows, TRAIN, LAUNCHER, where, chosen(numbers, lab.quick), train)
    for where, numbers in cheap.items():
        death_row(rows, COMMAND, LAUNCHER, where, chosen(numbers, lab.quick), command)
    if not lab.quick:
        for where, numbers in places(command.calls[COMMAND]).items():
            death_row(rows, COMMAND, COMMAND, where, numbers, command)

    for kind, program in ((TRAIN, TRAIN), (TRAIN, LAUNCHER), (COMMAND, COMMAND)):
        reference = lab.references[kind]
        calls = reference.calls[program]
        numbers = range(1, len(calls) + 1, 9 if lab.quick else 1)
        if lab.quick and kind == TRAIN:
            numbers = range(len(calls) // 2, len(calls) + 1, 20)

        def everybody(kind=kind, program=program, reference=reference, numbers=numbers):
            for at in numbers:
                die_once(kind, Fault(program, at, "all"), reference)
        rows.row(f"kill -9 of launcher, {WORDS[kind]} and its children at once, at {len(numbers)} "
                 f"calls of {WORDS[program]}",
                 "the same; a torn last event is ignored")(everybody)

    @rows.row("kill -9 of onchip-worker", "failed, exit 5; resumed, the final state is the same")
    def worker():
        writes = train.steps(TRAIN)
        for at in chosen(writes, lab.quick):
            with Run(TRAIN) as run:
                done = run.launch(fault=Fault(TRAIN, at, "children"))
                last = at == writes[-1]
                require(done.code == 5 or last and done.code in (0, 1, 4, 5),
                        f"the worker was killed at call {at}, but: {done}")
                if done.code:
                    recover(run, train)
    return rows


# --- killed during a resume ---

def copy_of(run):
    """The same folder once more, for the next death."""
    copy = Run(run.kind, command=run.command)
    shutil.copytree(run.folder, copy.folder, symlinks=True)
    return copy


def resume_rows(lab):
    rows = Rows()
    for kind in (COMMAND, TRAIN):
        if kind == TRAIN and lab.quick:
            continue

        @rows.row(f"killed during a resume, at every call of the launcher ({WORDS[kind]}; before, "
                  "after)", "resumed again: the same; everything that was found is in history/")
        def during(kind=kind):
            reference = lab.references[kind]
            steps = reference.steps(kind)
            with Run(kind) as base:
                base.launch(fault=Fault(kind, steps[4], "before"))
                with copy_of(base) as once:
                    done = once.resume(fault=Fault(LAUNCHER, 0, ""))
                    require(done.code == 0, f"the resume: {done}")
                    numbers = [number for group in places(once.calls()).values()
                               for number in (group[:1] if lab.quick else group)]
                for at in sorted(numbers):
                    for action in ("before", "after"):
                        die_again(base, Fault(LAUNCHER, at, action), reference)
    return rows


def die_again(base, fault, reference):
    with copy_of(base) as run:
        found = run.found()
        done = run.resume(fault=fault)
        try:
            if len(run.calls()) >= fault.at:
                require(done.code == -9, f"the launcher was killed, but: {done}")
                recover(run, reference)
            # What the first attempt left has been moved twice, at most.
            run.assert_kept({name: found[name] for name in KEPT if name in found})
        except AssertionError as error:
            raise AssertionError(f"resume, {fault}: {error}") from error


def rows(lab):
    return death_rows(lab) + resume_rows(lab)
