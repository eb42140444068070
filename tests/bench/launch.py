#!/usr/bin/env python3
"""Measures `onchip launch`: a whole small job, checkpoints of a large state beside what the disk
gives, and what the launcher itself costs a step.

The launcher's share is its own processor time over the job's steps: a wall-clock difference of a
percent cannot be seen on a shared machine.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
STATE_MIB = 256
STEPS = 10000
# A job that says 1,000 steps a second, as a fast training loop would.
CHATTER = """
import json, os, time
out = os.fdopen(3, "w", buffering=1)
steps = int(os.environ["ONCHIP_STEPS"])
def say(**event):
    out.write(json.dumps(event) + "\\n")
say(event="started", pid=os.getpid(), backend="none", device_count=0, devices=[])
say(event="ready", compile_s=0.0, warmup_s=0.0)
begin = time.monotonic()
for step in range(1, steps + 1):
    wait = begin + step * 1e-3 - time.monotonic()
    if wait > 0:
        time.sleep(wait)
    say(event="progress", step=step, loss=1.0 / step, examples=8, update_s=1e-3,
        state_hash="0" * 64)
say(event="completed", step=steps)
"""
TARGETS = {
    "8 steps, whole process": ("<=", 0.5, "s"),
    f"checkpoint of {STATE_MIB} MiB / dd conv=fsync, speed": (">=", 0.8, "x"),
    "launcher's time a step at 1,000 steps a second": ("<=", 1.0, "%"),
}


class CouldNotRun(Exception):
    pass


def run(command, cwd):
    """Wall seconds of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = process.stderr.read()
    process.wait()
    end = time.perf_counter()
    if process.returncode != 0:
        raise CouldNotRun(f"{' '.join(command[:4])}: ended with {process.returncode}: "
                          f"{words.decode(errors='replace')[-300:]}")
    return end - begin


def whole_job(onchip, cwd):
    times = []
    for number in range(ROUNDS + 1):
        times.append(run([onchip, "launch", "--platform", "cpu", "--run-dir", f"small{number}"], cwd))
    return min(times[1:])


def checkpoint_events(folder):
    with open(os.path.join(folder, "events.jsonl"), encoding="utf-8") as lines:
        return [event for event in map(json.loads, lines) if event["event"] == "checkpoint"]


def checkpoints(onchip, cwd):
    """Speed of writing a checkpoint over that of dd, the best of each."""
    size = STATE_MIB * 2**20
    dd, own = [], []
    for number in range(ROUNDS):
        target = os.path.join(cwd, "dd.bin")
        dd.append(run(["dd", "if=/dev/zero", f"of={target}", "bs=1M", f"count={STATE_MIB}",
                       "conv=fsync"], cwd))
        os.unlink(target)
        folder = f"large{number}"
        run([onchip, "launch", "--platform", "cpu", "--run-dir", folder, "--steps", "2",
             "--checkpoint-every", "1", "--state-mib", str(STATE_MIB)], cwd)
        own += [event["write_s"] for event in checkpoint_events(os.path.join(cwd, folder))]
        shutil.rmtree(os.path.join(cwd, folder))
    print(f"  dd {size / min(dd) / 1e6:.0f} MB/s, checkpoint {size / min(own) / 1e6:.0f} MB/s")
    return min(dd) / min(own)


def cpu_of(pid):
    """Seconds on a processor, by the scheduler's own count in nanoseconds."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) * 1e-9


def launcher_share(onchip, cwd):
    with open(os.path.join(cwd, "chatter.py"), "w", encoding="utf-8") as script:
        script.write(CHATTER)
    process = subprocess.Popen([onchip, "launch", "--run-dir", "chatter", "--steps", str(STEPS),
                                "--", sys.executable, "chatter.py"], cwd=cwd,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    used = 0.0
    while process.poll() is None:
        try:
            used = max(used, cpu_of(process.pid))
        except (FileNotFoundError, IndexError):
            pass
        time.sleep(0.01)
    if process.returncode != 0:
        raise CouldNotRun(f"the chatting job ended with {process.returncode}")
    return 100.0 * used / STEPS / 1e-3


def judged(name, value):
    relation, target, unit = TARGETS[name]
    met = value <= target if relation == "<=" else value >= target
    print(f"{name:52} {value:8.3f} {unit:2} {relation} {target} {'met' if met else 'MISSED'}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onchip", required=True)
    onchip = os.path.abspath(parser.parse_args().onchip)
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as cwd:
        try:
            for name, measure in zip(TARGETS, (whole_job, checkpoints, launcher_share)):
                judged(name, measure(onchip, cwd))
        except CouldNotRun as error:
            print(f"launch.py: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
