"""The fault harness of onchip launch.

    fault.py [kills|troubles|schedules] [--quick] [--count N] [--seed N] [--only WORDS]

Without a part: all. `kills` and `troubles` are the fault matrix, printed row by row: processes
that end, and everything else; --quick takes one call of each kind instead of all of them. ONCHIP_BIN, FAULT_LIBRARY and FAULT_JOB say where the programs are.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import threading

import rows_damage
import rows_disk
import rows_folder
import rows_kill
import rows_process
from schedules import run_schedules
from table import run_table
from world import COMMAND, TRAIN, Reference

CLONE_NEWNS = 0x20000


def own_mounts():
    """Enters a mount namespace, so that mounts end with this process; or why that cannot be."""
    if os.geteuid() != 0:
        return "mounting needs root"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        return f"no mount namespace: {os.strerror(ctypes.get_errno())}"
    done = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True)
    return done.stderr.strip()


PARTS = {"kills": (rows_kill,),
         "troubles": (rows_process, rows_damage, rows_disk, rows_folder)}


class Lab:
    """What the rows share: the undisturbed runs, and runs that were killed on the way."""

    def __init__(self, quick, no_mounts):
        self.quick = quick
        self.no_mounts = no_mounts
        self.references = {kind: Reference(kind) for kind in (COMMAND, TRAIN)}
        self.bases = {}
        self.lock = threading.Lock()

    def base(self, kind):
        with self.lock:
            if kind not in self.bases:
                self.bases[kind] = rows_damage.damaged_base(self, kind)
            return self.bases[kind]

    def close(self):
        for run in self.bases.values():
            run.__exit__()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", choices=(*PARTS, "schedules"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    workers = os.cpu_count()
    lab = Lab(arguments.quick, own_mounts())
    bad = 0
    modules = [module for part, modules in PARTS.items() for module in modules
               if arguments.part in (None, part)]
    if modules:
        bad += run_table([row for module in modules for row in module.rows(lab)
                          if arguments.only in row.fault], workers)
    if arguments.part in (None, "schedules"):
        count = arguments.count or (50 if arguments.quick else 500)
        bad += run_schedules(count, arguments.seed, lab.references, workers)
    lab.close()
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
