"""Disks that are full, fail, are read-only, lose what was not flushed, or do not answer.

The mounts are this process's own (fault.py enters a mount namespace) and end with it.
"""

import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from rows_kill import chosen, places
from table import Rows
from world import COMMAND, JOB, LAUNCHER, TRAIN, Fault, Run, Skip, recover, require, until

PAGE = 4096
WORDS = {"ENOSPC": ("No space left", "full"), "EDQUOT": ("quota",), "EIO": ("Input/output",),
         "EROFS": ("Read-only",)}


def tool(*line):
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"mounts: {' '.join(map(str, line))}: {done.stderr.strip()}")


@contextmanager
def disk(lab, kind, size):
    """A small file system of its own, and what it is made of: tmpfs, or ext4 on a loop device."""
    if lab.no_mounts:
        raise Skip(f"mounts: {lab.no_mounts}")
    home = Path(tempfile.mkdtemp(prefix="onchip-disk-")).resolve()
    place = home / "disk"
    place.mkdir()
    image = home / "image"
    if kind == "tmpfs":
        tool("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place)
    else:
        with open(image, "wb") as file:
            file.truncate(size)
        tool("mkfs.ext4", "-q", "-m", "0", image)
        tool("mount", "-o", "loop", image, place)
    try:
        yield place, image
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True)
        image.unlink(missing_ok=True)
        place.rmdir()
        home.rmdir()


def fill(place, spare):
    """Fills it but for some pages."""
    path = place / "filler"
    free = os.statvfs(place)
    with open(path, "wb", buffering=0) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize - spare * PAGE)
        except OSError as error:
            require(error.errno == 28, f"filling: {error}")
    return path


def full_rows(lab, rows):
    for kind in ("tmpfs", "ext4"):
        @rows.row(f"a full disk ({kind} of 2 MiB), at every place where it may become full",
                  "old checkpoints kept, own tmp removed, said so, exit 5; with space: the same")
        def full(kind=kind):
            codes = []
            for job in (COMMAND,) if lab.quick else (COMMAND, TRAIN):
                for spare in range(0, 60, 5 if lab.quick else 1):
                    with disk(lab, kind, 2 << 20) as (place, _), Run(job, parent=place) as run:
                        filler = fill(place, spare)
                        done = run.launch()
                        codes.append(done.code)
                        ours = (0, 1, 5) if job == COMMAND else (0, 5)
                        require(done.code in ours, f"{spare} pages are free: {done}")
                        if done.code == 0:
                            break
                        said(done, "ENOSPC")
                        if job == TRAIN:
                            no_temporaries(run)
                        filler.unlink()
                        recover(run, lab.references[job])
            require({0, 5} <= set(codes), f"statuses: {codes}")


def said(done, error):
    require(any(word in done.err for word in WORDS[error]), f"it does not say {error}: {done}")


def no_temporaries(run):
    stray = list(run.checkpoints.glob("tmp-*")) if run.checkpoints.exists() else []
    require(not stray, f"temporary folders are left: {stray}")


def error_rows(lab, rows):
    cases = [(TRAIN, "ENOSPC+"), (LAUNCHER, "ENOSPC+"), (TRAIN, "EIO"), (LAUNCHER, "EIO"),
             (TRAIN, "EROFS+"), (LAUNCHER, "EROFS+"), (TRAIN, "EDQUOT"), (COMMAND, "EIO+"),
             (LAUNCHER, "EIO+")]
    if lab.quick:
        cases = [case for case in cases if case not in ((TRAIN, "EROFS+"), (TRAIN, "EDQUOT"))]
    for program, action in cases:
        kind = COMMAND if program == COMMAND or program == LAUNCHER and lab.quick else TRAIN
        reference = lab.references[kind]
        lasting = ", and from then on" if action.endswith("+") else ""
        error = action.rstrip("+")

        @rows.row(f"{error} at a call of {program} in the run folder{lasting}, for every call",
                  "what was not flushed is no checkpoint; said, exit 5; afterwards: the same")
        def failing(program=program, action=action, kind=kind, reference=reference,
                    error=error):
            wrong = []
            for where, numbers in places(reference.calls[program]).items():
                if action == "ENOSPC+" and where[0] not in ("open", "write", "mkdir"):
                    continue
                if lab.quick and program == TRAIN and where[0] not in TELLING:
                    continue
                for at in chosen(numbers, lab.quick):
                    fault = Fault(program, at, action)
                    with Run(kind) as run:
                        done = run.launch(fault=fault)
                        try:
                            unless_harmless(run, done, kind, error)
                            if not run.summary().get("status") == "completed":
                                recover(run, reference)
                            elif done.code == 0:
                                run.assert_final(reference)
                        except AssertionError as failure:
                            wrong.append(f"{fault} ({' '.join(where)}): {failure}")
            require(not wrong, "\n       ".join(wrong))

    @rows.row("a write that takes half of the bytes, and one that is interrupted (EINTR)",
              "written on; the same")
    def short():
        for program, kind in ((TRAIN, TRAIN), (LAUNCHER, TRAIN)):
            reference = lab.references[kind]
            for where, numbers in places(reference.calls[program]).items():
                if where[0] not in ("write", "pwrite"):
                    continue
                for at in chosen(numbers, True):
                    for action in ("half", "EINTR"):
                        with Run(kind) as run:
                            done = run.launch(fault=Fault(program, at, action))
                            require(done.code == 0, f"{action} at {where} ({at}): {done}")
                            run.assert_final(reference)


TELLING = ("write", "fsync", "fdatasync", "rename", "mkdir")
HARMLESS = {
    "unlink": "the next launch tries it again", "rmdir": "as unlink",
    "close": "what matters was flushed before", "ftruncate": "of the lock, when it is let go",
}


def unless_harmless(run, done, kind, error):
    """What failed is said, and is 5; a command has its own statuses, of which each but 0 is 1."""
    refused = {call.rstrip("!") for _, call, _ in run.calls() if call.endswith("!")}
    if done.code == 0 and "no figure" in done.err:  # a warning, by design
        said(done, error)
        return
    if done.code == 0:
        require(refused <= set(HARMLESS), f"status 0, but these failed: {refused}")
        return
    ours = {5, 1} if kind == COMMAND else {5}
    require(done.code in ours and refused, f"{refused} failed: {done}")
    said(done, error)


def mount_rows(lab, rows):
    @rows.row("the disk is read-only", "exit 5 before the job starts, nothing made; afterwards: "
              "the same")
    def read_only():
        with disk(lab, "ext4", 2 << 20) as (place, _), Run(COMMAND, parent=place) as run:
            tool("mount", "-o", "remount,ro", place)
            done = run.launch()
            require(done.code == 5, f"{done}")
            said(done, "EROFS")
            tool("mount", "-o", "remount,rw", place)
            require(not run.folder.exists(), "a folder was made")
            recover_from_nothing(run, lab)
            run.folder.rename(run.folder.with_name("done"))
            done = run.launch(fault=lab.references[COMMAND].halfway())
            run.assert_quiet()
            tool("mount", "-o", "remount,ro", place)
            done = run.resume()
            require(done.code == 5, f"a resume: {done}")
            tool("mount", "-o", "remount,rw", place)
            recover(run, lab.references[COMMAND])

    for kind in (COMMAND, TRAIN):
        @rows.row(f"power cut under {kind}: the file system stops, what was not flushed is lost",
                  "every checkpoint that was announced is there and whole; the same")
        def power_cut(kind=kind):
            reference = lab.references[kind]
            for program in (kind, LAUNCHER):
                numbers = [number for group in places(reference.calls[program]).values()
                           for number in chosen(group, lab.quick)]
                for at in sorted(numbers)[::(3 if kind == COMMAND else 8) if lab.quick else 1]:
                    cut(lab, kind, Fault(program, at, "cut"), reference)

    @rows.row("the job waits in the kernel and cannot be killed (a frozen file system)",
              "said with its pid, exit 5, no claim that the device is free")
    def unkillable():
        with disk(lab, "ext4", 2 << 20) as (place, _):
            with Run(COMMAND, command=(JOB, "--folder", str(place), "--step-ms", "50")) as run:
                process = run.start("--stall-timeout", "1", "--grace", "0.5")
                until(lambda: run.events("progress"), "no step")
                job = run.events("started")[0]["pid"]
                tool("fsfreeze", "-f", place)
                try:
                    done = run.wait(process)
                finally:
                    tool("fsfreeze", "-u", place)
                require(done.code == 5, f"{done}")
                require(str(job) in done.err, f"the message does not name {job}: {done}")
                run.assert_quiet()


def recover_from_nothing(run, lab):
    done = run.launch()
    require(done.code == 0, f"{done}")
    run.assert_final(lab.references[run.kind])


def cut(lab, kind, fault, reference):
    with disk(lab, "ext4", 2 << 20) as (place, image), Run(kind, parent=place) as run:
        try:
            os.sync()
            done = run.launch(fault=fault)
            if done.code == 0:
                return  # it made fewer calls this time
            run.assert_quiet()
            tool("umount", place)
            tool("mount", "-o", "loop", image, place)
            require(done.code == -9, f"{done}")
            announced = [int(line.rsplit(None, 1)[-1]) for line in done.out.splitlines()
                         if line.startswith("checkpoint")]
            newest = run.good()
            if announced and max(announced) % 2 == 0:
                require(newest and newest[0] >= max(announced),
                        f"announced: {announced}, there: {newest}")
            recover(run, reference)
        except AssertionError as error:
            raise AssertionError(f"{fault}: {error}") from error


def rows(lab):
    made = Rows()
    full_rows(lab, made)
    error_rows(lab, made)
    mount_rows(lab, made)
    return made
