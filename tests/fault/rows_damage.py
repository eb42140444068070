"""Checkpoints that are not what was written, and configurations that are others."""

import json
import shutil

import reader
from rows_kill import copy_of
from table import Rows
from world import COMMAND, TRAIN, Fault, Run, recover, require


def damaged_base(lab, kind):
    """A run of which steps 4 and 6 are there as checkpoints."""
    run = Run(kind)
    reference = lab.references[kind]
    steps = reference.steps(kind)
    done = run.launch(fault=Fault(kind, steps[6], "before"))
    require(done.code == 1 and run.good() == [6, 4], f"{run.good()}, {done}")
    return run


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << (at % 8)
    path.write_bytes(data)


def edit(path, change):
    """A manifest that was changed by somebody who can count digests."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(reader.manifest_text(reader.seal(document)))


def truncate(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


def swap(a, b):
    one, other = a.read_bytes(), b.read_bytes()
    a.write_bytes(other)
    b.write_bytes(one)


def link(path):
    kept = path.parent.parent.parent.parent / "elsewhere"
    path.rename(kept)
    path.symlink_to(kept)


def rename_step(folder):
    folder.rename(folder.parent / "step-00000007")


DAMAGE = {
    "state.bin is cut short": lambda new, old: truncate(new / "state.bin", 31),
    "state.bin is empty": lambda new, old: truncate(new / "state.bin", 0),
    "state.bin is too long": lambda new, old: truncate(new / "state.bin", 33),
    "state.bin is missing": lambda new, old: (new / "state.bin").unlink(),
    "state.bin is a symbolic link": lambda new, old: link(new / "state.bin"),
    "the manifest is cut short": lambda new, old: truncate(new / "manifest.json", 200),
    "the manifest is empty": lambda new, old: truncate(new / "manifest.json", 0),
    "the manifest is missing": lambda new, old: (new / "manifest.json").unlink(),
    "a file too many": lambda new, old: (new / "more.bin").write_bytes(b"more"),
    "state.bin of another step": lambda new, old: shutil.copy(old / "state.bin", new),
    "state.bin of two steps swapped": lambda new, old: swap(new / "state.bin", old / "state.bin"),
    "manifest of another step": lambda new, old: shutil.copy(old / "manifest.json", new),
    "a folder that was renamed to another step": lambda new, old: rename_step(new),
    "manifest of another configuration": lambda new, old: edit(
        new / "manifest.json", lambda m: m["identity"].update(config="0" * 64)),
    "an empty folder": lambda new, old: (shutil.rmtree(new), new.mkdir()),
    "a file of that name": lambda new, old: (shutil.rmtree(new), new.write_bytes(b"")),
}


def assert_aside(run, was):
    """What was set aside is there, as it was."""
    aside = [path for path in run.checkpoints.iterdir() if path.name.startswith("bad-")]
    require(aside, "the damaged checkpoint is gone")
    for name, data in was.items():
        require(any((path / name).exists() and (path / name).read_bytes() == data
                    for path in aside), f"{name} was not set aside as it was")


def damage_rows(lab, rows):
    for kind in (TRAIN, COMMAND):
        for words, damage in DAMAGE.items():
            if lab.quick and kind == TRAIN:
                continue

            @rows.row(f"newest checkpoint of {kind}: {words}", "set aside, the older one is used; "
                      "the same")
            def one(kind=kind, damage=damage, words=words):
                with copy_of(lab.base(kind)) as run:
                    new = run.checkpoints / "step-00000006"
                    old = run.checkpoints / "step-00000004"
                    damage(new, old)
                    both = "swapped" in words
                    was = {path.name: path.read_bytes() for path in new.glob("*")
                           if path.is_file()}
                    require(run.good() == ([] if both else [4]), f"the reader takes {run.good()}")
                    if both:
                        done = run.resume()
                        require(done.code == 1, f"all bad: {done}")
                    found = run.found()
                    done = run.resume(*(["--restart"] if both else []))
                    require(done.code == 0, f"{done}")
                    require(run.summary()["resumed_from"] == (0 if both else 4), f"{run.summary()}")
                    run.assert_kept(found)
                    assert_aside(run, was)
                    run.assert_final(lab.references[kind])

    @rows.row("every byte of a checkpoint flipped, one at a time (both checkpoints of a command)",
              "none good: exit 1, nothing changed; --restart: the same")
    def flips():
        base = lab.base(COMMAND)
        names = {name: len((base.checkpoints / "step-00000006" / name).read_bytes())
                 for name in ("state.bin", "manifest.json")}
        with copy_of(base) as run:
            shutil.rmtree(run.checkpoints / "step-00000004")
            for name, size in names.items():
                path = run.checkpoints / "step-00000006" / name
                for at in range(0, size, 17 if lab.quick else 1):
                    flip(path, at)
                    require(run.good() == [], f"the reader takes {name} with byte {at} flipped")
                    done = run.resume()
                    require(done.code == 1, f"byte {at} of {name}: {done}")
                    flip(path, at)
            flip(run.checkpoints / "step-00000006/state.bin", 5)
            before = run.tree()
            require(run.resume().code == 1 and run.tree() == before, "it changed the folder")
            done = run.resume("--restart")
            require(done.code == 0, f"{done}")
            run.assert_final(lab.references[COMMAND])

    @rows.row("all checkpoints of the built-in job are bad", "exit 1, nothing changed; --restart: "
              "the same")
    def all_bad():
        with copy_of(lab.base(TRAIN)) as run:
            for step in (4, 6):
                flip(run.checkpoints / f"step-{step:08d}/state.bin", 9)
            before = run.tree()
            done = run.resume()
            require(done.code == 1 and run.tree() == before, f"{done}")
            done = run.resume("--restart")
            require(done.code == 0, f"{done}")
            run.assert_final(lab.references[TRAIN])

    @rows.row("trajectory.bin is shorter than the checkpoint, longer, or changed before it",
              "never a PASS on what was not computed")
    def trajectory():
        for change in (lambda path: truncate(path, 100), lambda path: flip(path, 40)):
            with copy_of(lab.base(TRAIN)) as run:
                change(run.folder / "trajectory.bin")
                done = run.resume()
                require(done.code not in (0, 75), f"a damaged trajectory: {done}")
        with copy_of(lab.base(TRAIN)) as run:
            with open(run.folder / "trajectory.bin", "ab") as file:
                file.write(b"\xff" * 77)
            recover(run, lab.references[TRAIN])

    @rows.row("a torn last line of events.jsonl", "ignored, kept in history/")
    def torn():
        for kind in (COMMAND, TRAIN):
            with copy_of(lab.base(kind)) as run:
                with open(run.folder / "events.jsonl", "ab") as file:
                    file.write(b'{"event": "progr')
                recover(run, lab.references[kind])


def configuration_rows(lab, rows):
    @rows.row("resumed with another batch, seed, checkpoint-every or platform", "exit 2, the key "
              "that differs is named, nothing changed")
    def options():
        with copy_of(lab.base(TRAIN)) as run:
            before = run.tree()
            for option, value, key in (("--batch", "4", "batch"), ("--seed", "9", "seed"),
                                       ("--checkpoint-every", "3", "checkpoint"),
                                       ("--platform", "tpu", "platform")):
                done = run.resume(option, value)
                require(done.code == 2 and key in done.err, f"{option}: {done}")
                require(run.tree() == before, f"{option} changed the folder")
            recover(run, lab.references[TRAIN])

    @rows.row("config.json or program.mlir changed in the folder", "exit 2, it is named, nothing "
              "changed")
    def files():
        for name in ("config.json", "program.mlir"):
            with copy_of(lab.base(TRAIN)) as run:
                path = run.folder / name
                whole = path.read_text()
                for changed in (whole.replace("8", "4", 1), whole[:-20], "", whole + " "):
                    path.write_text(changed)
                    before = run.tree()
                    done = run.resume()
                    require(done.code == 2, f"{name}: {done}")
                    require(run.tree() == before, f"{name}: it changed the folder")
                path.write_text(whole)
                recover(run, lab.references[TRAIN])

    @rows.row("another command on a resume", "exit 2, nothing changed")
    def command():
        with copy_of(lab.base(COMMAND)) as run:
            before = run.tree()
            done = run.launch("--resume", "--", "true")
            require(done.code == 2 and run.tree() == before, f"{done}")
            recover(run, lab.references[COMMAND])

    @rows.row("resume of a run that is complete", "exit 2, nothing changed; once more as well")
    def finished():
        for kind in (TRAIN, COMMAND):
            with Run(kind) as run:
                require(run.launch().code == 0, "the run itself")
                before = run.tree()
                for _ in range(2):
                    done = run.resume()
                    require(done.code == 2 and run.tree() == before, f"{kind}: {done}")
                run.assert_final(lab.references[kind])

    @rows.row("a folder that is not empty, without --resume", "exit 2, nothing changed")
    def not_empty():
        with Run(COMMAND) as run:
            run.folder.mkdir()
            (run.folder / "mine").write_text("mine")
            before = run.tree()
            done = run.launch()
            require(done.code == 2 and run.tree() == before, f"{done}")

    @rows.row("interrupted twice: killed, resumed and killed again", "the same")
    def twice():
        for kind in (COMMAND, TRAIN):
            with copy_of(lab.base(kind)) as run:
                found = run.found()
                run.resume(fault=Fault(kind, 3, "before"))
                run.resume(fault=lab.references[kind].halfway())
                recover(run, lab.references[kind])
                run.assert_kept(found)


def rows(lab):
    made = Rows()
    damage_rows(lab, made)
    configuration_rows(lab, made)
    return made
