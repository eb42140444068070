#!/usr/bin/env python3
"""Measures onchip against a floor program and against the lesson in JAX.

Times are of whole processes, from start to exit, in interleaved rounds so that a busy
machine disturbs all alike; the minimum is what is judged. Peak memory is measured in
runs of its own and is the sum over the process tree: the largest process's peak as the
kernel reports it at its end, and the last VmHWM seen of each other process. Pages that
two processes share count twice.

The exit status says whether everything could run, not whether the targets were met.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MANY_RECEIPTS = 10_000
MEMORY_RUNS = 3
TARGETS = {
    "check / floor, time": ("<=", 1.15, "x"),
    "JAX / check, time": (">=", 8.0, "x"),
    "check / floor, peak memory": ("<=", 1.1, "x"),
    "verify one receipt, time": ("<=", 5.0, "ms"),
    "verify one receipt, peak memory": ("<=", 10.0, "MiB"),
    "verify 10,000 receipts in one call": (">=", 5000.0, "/s"),
}


class CouldNotRun(Exception):
    pass


def start(command, cwd, stdout=subprocess.DEVNULL):
    environment = {k: v for k, v in os.environ.items() if k != "COURSE_EXPECT_PLATFORM"}
    environment["JAX_PLATFORMS"] = "cpu"
    try:
        return subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise CouldNotRun(f"{command[0]}: {error.strerror}") from None


def finish(process, status):
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        shown = " ".join(process.args[:8])
        raise CouldNotRun(f"{shown}: ended with {process.returncode}")


def seconds(command, cwd):
    begin = time.perf_counter()
    process = start(command, cwd)
    _, status, _ = os.wait4(process.pid, 0)
    end = time.perf_counter()
    finish(process, status)
    return end - begin


def sample(pid, peaks):
    """Notes the peak so far, in KiB, of pid and of all below it."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    peaks[pid] = int(line.split()[1])
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            below = children.read().split()
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in below:
        sample(int(child), peaks)


def peak_mib(command, cwd):
    process = start(command, cwd)
    peaks = {}
    while True:
        sample(process.pid, peaks)
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
    finish(process, status)
    if not peaks:
        raise CouldNotRun(f"{command[0]}: ended before its memory could be read")
    largest = max(peaks, key=peaks.get)
    # Until exec a child has this program's memory, so only a larger value is its own.
    if usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
        peaks[largest] = max(peaks[largest], usage.ru_maxrss)
    return sum(peaks.values()) / 1024


def interleave(commands, rounds, cwd):
    """One discarded round, then `rounds` rounds; name -> list of seconds."""
    times = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            value = seconds(command, cwd)
            if number > 0:
                times[name].append(value)
    return times


def make_receipts(check, folder):
    first = os.path.join(folder, "0.json")
    with open(first, "wb") as receipt:
        process = start(check, folder, receipt)
        _, status, _ = os.wait4(process.pid, 0)
        finish(process, status)
    names = ["0.json"]
    for number in range(1, MANY_RECEIPTS):
        names.append(f"{number}.json")
        shutil.copyfile(first, os.path.join(folder, names[-1]))
    return names


def measure(options, folder):
    check = [options.onchip, "check", "--platform", "cpu", "--plugin", options.plugin, "--json"]
    commands = {"check": check, "floor": [options.floor, options.plugin]}
    jax = {}
    if options.jax_python:
        lesson = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lesson_jax.py")
        jax["JAX"] = [options.jax_python, lesson]
    names = make_receipts(check, folder)
    verify = [options.onchip, "verify", "--require", "cpu", "--json"]

    # The two that are compared closely run alternately, without JAX's seconds between them.
    times = interleave(commands, options.rounds, folder)
    times.update(interleave(jax, max(options.rounds // 8, 1), folder))
    times["verify"] = interleave({"": verify + names[:1]}, options.rounds, folder)[""]
    times["verify 10,000"] = interleave({"": verify + names}, 3, folder)[""]
    # One receipt is over before /proc can be read; a hundred take no less memory than one.
    memory = {name: statistics.median(peak_mib(command, folder) for _ in range(MEMORY_RUNS))
              for name, command in {**commands, **jax, "verify": verify + names[:100],
                                    "verify 10,000": verify + names}.items()}
    return times, memory


def judge(times, memory):
    best = {name: min(values) for name, values in times.items()}
    values = {
        "check / floor, time": best["check"] / best["floor"],
        "check / floor, peak memory": memory["check"] / memory["floor"],
        "verify one receipt, time": best["verify"] * 1e3,
        "verify one receipt, peak memory": memory["verify"],
        "verify 10,000 receipts in one call": MANY_RECEIPTS / best["verify 10,000"],
    }
    if "JAX" in best:
        values["JAX / check, time"] = best["JAX"] / best["check"]
    return values


def report(times, memory, values):
    print(f"{'whole process':<36}{'minimum':>12}{'median':>12}{'peak memory':>14}")
    for name, taken in times.items():
        print(f"{name:<36}{min(taken) * 1e3:>9.1f} ms{statistics.median(taken) * 1e3:>9.1f} ms"
              f"{memory[name]:>10.1f} MiB")
    print()
    print(f"{'target, from the minima':<36}{'value':>12}{'target':>14}")
    for name, (sign, target, unit) in TARGETS.items():
        wanted = f"{sign} {target:g} {unit}"
        if name not in values:
            print(f"{name:<36}{'-':>12}{wanted:>14}  not measured")
            continue
        value = values[name]
        met = value <= target if sign == "<=" else value >= target
        shown = f"{value:.2f}" if value < 100 else f"{value:.0f}"
        print(f"{name:<36}{shown + ' ' + unit:>12}{wanted:>14}  {'ok' if met else 'MISSED'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onchip", required=True, help="the program onchip")
    parser.add_argument("--floor", required=True, help="the program bench_floor")
    parser.add_argument("--plugin", required=True, help="the CPU plugin")
    parser.add_argument("--jax-python", help="a Python that has JAX; without it JAX is left out")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    for name in ("onchip", "floor", "plugin"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    try:
        with tempfile.TemporaryDirectory(prefix="onchip-bench-") as folder:
            times, memory = measure(options, folder)
    except CouldNotRun as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    report(times, memory, judge(times, memory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
