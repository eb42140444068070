"""Random deaths, one after the other, until the run completes."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

from world import COMMAND, LAUNCHER, TRAIN, Fault, Run, require

ATTEMPTS = 12


def pick(dice, kind, reference):
    """A victim, and a call or a time at which it dies; None: nobody."""
    program = dice.choice([kind, LAUNCHER])
    action = dice.choice(["before", "after", "torn", "all"])
    return Fault(program, dice.randint(1, len(reference.calls[program]) + 5), action)


def attempt(run, dice, reference, log):
    """One launch of a schedule: with a death, but for the last ones."""
    fault = pick(dice, run.kind, reference)
    at_a_time = dice.random() < 0.2
    options = []
    if run.begun():
        options = ["--resume"] if run.good() else ["--resume", "--restart"]
    resume = bool(options)
    log.append(f"{' '.join(options)} {'killed at a time' if at_a_time else fault}")
    if at_a_time:
        process = run.start(*options[1:], resume=resume)
        time.sleep(dice.random() * (0.5 if run.kind == TRAIN else 0.03))
        process.kill()
        done = run.wait(process)
    else:
        done = run.launch(*options[1:], resume=resume, fault=fault)
    run.assert_quiet()
    run.assert_visible()
    require(done.code in (0, 1, -9), f"an attempt: {done}")
    return done


def schedule(seed, number, references):
    """The words of what went wrong; "" when all is well."""
    dice = random.Random(f"{seed}-{number}")
    kind = TRAIN if number % 2 else COMMAND
    reference = references[kind]
    log = []
    try:
        with Run(kind) as run:
            for _ in range(ATTEMPTS - 1):
                attempt(run, dice, reference, log)
                if run.summary().get("status") == "completed":
                    break
            else:
                log.append("undisturbed")
            if run.summary().get("status") != "completed":
                options = [] if run.good() else ["--restart"]
                done = run.resume(*options) if run.begun() else run.launch()
                require(done.code == 0, f"the last attempt: {done}")
            run.assert_final(reference)
    except AssertionError as error:
        return f"schedule {number} of seed {seed}, {kind}: {error}\n       " + \
            "\n       ".join(log)
    return ""


def run_schedules(count, seed, references, workers):
    """Prints what went wrong; yields the number of schedules that failed."""
    failed = 0
    with ThreadPoolExecutor(workers) as pool:
        for words in pool.map(lambda number: schedule(seed, number, references), range(count)):
            if words:
                failed += 1
                print(f"RED    {words}", flush=True)
    print(f"kill schedules: {count} of seed {seed}, {count - failed} green, {failed} red")
    return failed
