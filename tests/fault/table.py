"""The rows of the fault matrix: what is done to a run, what must come of it, and the table."""

import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Callable

from world import Skip


@dataclass
class Row:
    fault: str
    required: str
    run: Callable
    result: str = ""
    reasons: list = field(default_factory=list)


class Rows(list):
    """The rows of one part; `row` adds the function that it stands before."""

    def row(self, fault, required):
        def add(function):
            self.append(Row(fault, required, function))
            return function
        return add


def judge(row):
    start = time.monotonic()
    try:
        row.run()
        row.result = "green"
    except Skip as skip:
        row.result = "skip"
        row.reasons.append(str(skip))
    except AssertionError as error:
        row.result = "RED"
        row.reasons.append(str(error))
    except Exception:
        row.result = "RED"
        row.reasons.append(traceback.format_exc())
    row.seconds = time.monotonic() - start


def run_table(rows, workers):
    """Prints each row as it is decided; yields the number of red ones."""
    lock = threading.Lock()

    def one(row):
        judge(row)
        with lock:
            print(f"{row.result:5}  {row.fault} ({row.seconds:.1f} s)")
            print(f"       {row.required}", flush=True)
            for reason in row.reasons:
                print(f"{'skip: ' if row.result == 'skip' else '       '}{reason}", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, rows))
    red = sum(row.result == "RED" for row in rows)
    skipped = sum(row.result == "skip" for row in rows)
    print(f"fault matrix: {len(rows)} rows, {len(rows) - red - skipped} green, {red} red, "
          f"{skipped} skipped")
    return red
