"""How the harness runs onchip launch, and what must hold of a run folder at any time.

A run carries a mark in its environment, by which what it leaves behind is found.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import reader

BIN = os.environ["ONCHIP_BIN"]
LIBRARY = os.environ["FAULT_LIBRARY"]
JOB = os.environ["FAULT_JOB"]
STEPS = 8
EVERY = 2
MARK = "FAULT_MARK"
FOREIGN = re.compile(r"FAULT_(PROGRAM|FOLDER|AT|ACTION|LOG)|LD_PRELOAD|ONCHIP_PLUGIN_.*|TPU_.*")
NAMES = {"lock", "config.json", "environment.json", "run.json", "events.jsonl", "summary.json",
         "job.log", "checkpoints", "program.mlir", "trajectory.bin", "receipt.json",
         "figure.svg", "history"}
KEPT = ("events.jsonl", "run.json", "summary.json", "environment.json", "job.log",
        "receipt.json", "figure.svg")

# The built-in job on the CPU plugin, and the job of tests/fault/job.c, which takes milliseconds.
TRAIN = "onchip-train"
COMMAND = Path(JOB).name
LAUNCHER = "onchip"


# Where an fsync costs nothing; what depends on a disk has a disk of its own.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Skip(Exception):
    """need: reason."""


@dataclass
class Fault:
    """`action` at the `at`-th call of `program` in the run folder (faults.c)."""
    program: str
    at: int
    action: str

    def __str__(self):
        return f"{self.action} at call {self.at} of {self.program}"


@dataclass
class Done:
    code: int
    out: str
    err: str

    def __str__(self):
        return f"status {self.code}, {self.err.strip()[-400:]!r}"


def require(condition, why):
    if not condition:
        raise AssertionError(why)


def until(condition, why, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, why)
        time.sleep(0.01)


class Run:
    """A run folder of its own, and the launches in it."""

    def __init__(self, kind, parent=None, command=(JOB,), steps=STEPS):
        self.home = Path(tempfile.mkdtemp(prefix="onchip-fault-", dir=SCRATCH)).resolve()
        self.folder = (parent or self.home) / "run"
        self.kind = kind
        self.command = command
        self.steps = steps
        self.mark = uuid.uuid4().hex
        self.logs = 0

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        for pid, _ in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for folder in self.home.glob("**/"):
            folder.chmod(0o755)
        shutil.rmtree(self.home, ignore_errors=True)

    # --- launching ---

    def environment(self, fault=None, env=()):
        environment = {name: value for name, value in os.environ.items()
                       if not FOREIGN.fullmatch(name)}
        environment.update({MARK: self.mark, "HOME": str(self.home)})
        preload = [env.pop("LD_PRELOAD")] if env and "LD_PRELOAD" in env else []
        if fault:
            self.logs += 1
            preload.append(LIBRARY)
            environment.update({
                "FAULT_PROGRAM": fault.program, "FAULT_FOLDER": str(self.folder),
                "FAULT_LOG": str(self.log), "FAULT_AT": str(fault.at)})
            if fault.action:
                environment["FAULT_ACTION"] = fault.action
        if preload:
            environment["LD_PRELOAD"] = " ".join(preload)
            # Ours stands before the sanitizer's runtime and has nothing to do with it.
            environment["ASAN_OPTIONS"] = ":".join(
                [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "verify_asan_link_order=0"])
        environment.update(env)
        return environment

    @property
    def log(self):
        return self.home / f"calls-{self.logs}"

    def line(self, *options, resume=False):
        line = [BIN, "launch", "--run-dir", str(self.folder), "--steps", str(self.steps),
                *(["--resume"] if resume else []), *options]
        if not resume and self.kind == TRAIN:
            line += ["--platform", "cpu", "--checkpoint-every", str(EVERY)]
        if not resume and self.kind == COMMAND:
            line += ["--", *self.command]
        return line

    def start(self, *options, resume=False, fault=None, env=None, before=(), **popen):
        popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        return subprocess.Popen([*before, *self.line(*options, resume=resume)],
                                env=self.environment(fault, dict(env or {})),
                                stdin=subprocess.DEVNULL, encoding="utf-8",
                                errors="surrogateescape", cwd=self.home, **popen)

    def wait(self, process, seconds=100):
        """A launcher that hangs is killed: its own limits are far below."""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError(f"the launcher hangs: {' '.join(process.args)}") from None
        return Done(process.returncode, out or "", err or "")

    def launch(self, *options, **others):
        return self.wait(self.start(*options, **others))

    def resume(self, *options, **others):
        return self.launch(*options, resume=True, **others)

    # --- what is there ---

    @property
    def checkpoints(self):
        return self.folder / "checkpoints"

    def calls(self):
        """(number, call, path in the run folder) of the launch with a fault before."""
        if not self.log.exists():
            return []
        lines = [line.split(" ", 2) for line in self.log.read_text().splitlines()]
        prefix = len(str(self.folder)) + 1
        return [(int(number), call, path[prefix:]) for number, call, path in lines]

    def begun(self):
        """Killed before it is configured, a folder is as good as empty."""
        return (self.folder / "config.json").exists()

    def config_sha256(self):
        path = self.folder / "config.json"
        return reader.sha256(path.read_bytes()) if path.exists() else None

    def good(self):
        """The steps of the checkpoints that verify, newest first."""
        return [int(path.name[5:]) for path in reader.steps(self.checkpoints)
                if reader.is_good(path, self.config_sha256())]

    def state(self, step):
        return (self.checkpoints / f"step-{step:08d}/state.bin").read_bytes()

    def found(self):
        """What a resume has to keep, by name."""
        return {name: (self.folder / name).read_bytes() for name in KEPT
                if (self.folder / name).exists()}

    def summary(self):
        path = self.folder / "summary.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def events(self, name):
        """Those of a name; a line that is not whole yet is none."""
        path = self.folder / "events.jsonl"
        text = path.read_text(errors="replace") if path.exists() else ""
        found = [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]
        return [event for event in found if event["event"] == name]

    def tree(self):
        """Every file and folder with its bytes; of the lock, only that it is there."""
        return {str(path.relative_to(self.folder)):
                (path.read_bytes() if path.is_file() and path.name != "lock" else None)
                for path in self.folder.glob("**/*")} if self.folder.exists() else None

    def processes(self):
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found.append((int(folder.name), command))
            except OSError:
                pass  # it ended, or is somebody else's
        return found

    # --- what must hold ---

    def assert_quiet(self):
        """Nobody is left. What was killed a moment ago may take one to go."""
        until(lambda: not self.processes(), f"processes are left: {self.processes()}", 15)

    def assert_visible(self):
        """Whatever bears a step's name is a whole checkpoint."""
        for path in reader.steps(self.checkpoints):
            try:
                reader.read(path, self.config_sha256())
            except reader.Damaged as damage:
                raise AssertionError(f"a partial checkpoint is visible: {damage}") from damage

    def assert_kept(self, found):
        """history/ has what a resume found, byte for byte."""
        for name, data in found.items():
            copies = self.folder.glob(f"history/attempt-*/{name}")
            require(any(copy.read_bytes() == data for copy in copies),
                    f"{name} of the attempt before is not in history/")

    def assert_tidy(self):
        stray = {path.name for path in self.folder.iterdir()} - NAMES
        require(not stray, f"strange names in the run folder: {sorted(stray)}")
        stray = [path.name for path in self.checkpoints.iterdir()
                 if not re.fullmatch(r"step-\d{8}|bad-\d{8}-\d+", path.name)]
        require(not stray, f"temporary files are left: {stray}")
        if self.events("checkpoint"):  # who was killed before pruning does it at the next one
            require(len(self.good()) <= 2, f"checkpoints were not pruned: {self.good()}")

    def assert_final(self, reference):
        """The state and its history are those of the run that nobody disturbed."""
        self.assert_quiet()
        self.assert_visible()
        self.assert_tidy()
        require(self.good()[:1] == [self.steps], f"the newest checkpoints are {self.good()}")
        require(self.state(self.steps) == reference.state, "the final state differs")
        require((self.folder / "trajectory.bin").read_bytes() == reference.trajectory,
                "trajectory.bin differs")
        if self.kind == TRAIN:
            self.assert_verified()

    def assert_verified(self):
        done = subprocess.run([BIN, "verify", str(self.folder), "--require", "cpu"],
                              capture_output=True, text=True, timeout=100,
                              env=self.environment())
        done = Done(done.returncode, done.stdout, done.stdout + done.stderr)
        require(done.code == 0, f"verify: {done}")


class Reference:
    """A run that nobody disturbed, and the calls that its launcher and its job make."""

    def __init__(self, kind):
        self.calls = {}
        for program in (LAUNCHER, kind):
            with Run(kind) as run:
                done = run.launch(fault=Fault(program, 0, ""))
                require(done.code == 0, f"an undisturbed run of {kind} ends with {done}")
                self.calls[program] = run.calls()
                require(self.calls[program], f"{program} makes no call in the run folder")
                self.state = run.state(STEPS)
                self.trajectory = (run.folder / "trajectory.bin").read_bytes()
                run.assert_final(self)

    def numbers(self, program, call, path):
        """The calls of a program on a path."""
        return [number for number, name, where in self.calls[program]
                if (name, where) == (call, path)]

    def steps(self, program):
        """The calls at which the job writes the record of a step, step 1 first."""
        return self.numbers(program, "write", "trajectory.bin")

    def halfway(self, action="all"):
        """Death of all between two events, when there is a checkpoint."""
        said = self.numbers(LAUNCHER, "write", "events.jsonl")
        return Fault(LAUNCHER, said[len(said) // 2], action)


def recover(run, reference, env=None):
    """What a person does after a crash: resume, or begin again where there is nothing to resume
    from. The end must be that of the run that nobody disturbed. Yields the step resumed from."""
    run.assert_quiet()
    run.assert_visible()
    good = run.good()
    found = run.found()
    before = run.tree()
    complete = run.summary().get("status") == "completed"
    done = run.resume(env=env)
    if not good:
        require(done.code in (1, 2), f"a resume without a checkpoint: {done}")
        require(run.tree() == before, "a refused resume changed the folder")
        done = run.resume("--restart", env=env) if run.begun() else run.launch(env=env)
    if complete:
        require(done.code == 2, f"the resume of a run that is complete: {done}")
        require(run.tree() == before, "a refused resume changed the folder")
    else:
        require(done.code == 0, f"the run after it: {done}")
        run.assert_kept(found)
    run.assert_final(reference)
    return good[0] if good else 0
