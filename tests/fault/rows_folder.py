"""Run folders that cannot be used."""

import os
import subprocess

from rows_kill import copy_of
from table import Rows
from world import COMMAND, Run, Skip, recover, require


def powerless():
    """What makes root a user whom modes stop."""
    if os.geteuid() != 0:
        return ()
    wrapped = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
    if subprocess.run([*wrapped, "true"], capture_output=True).returncode != 0:
        raise Skip("capabilities: root cannot give up its own here")
    return wrapped


def rows(lab):
    made = Rows()

    @made.row("the folder of the run folder is not there, or is a file", "it is made, or exit 2 or "
              "5; nothing half-made")
    def parents():
        with Run(COMMAND) as run:
            run.folder = run.home / "a/b/run"
            done = run.launch()
            if done.code == 0:
                run.assert_final(lab.references[COMMAND])
            else:
                require(done.code in (2, 5) and not (run.home / "a").exists(), f"{done}")
        with Run(COMMAND) as run:
            (run.home / "a").write_text("")
            run.folder = run.home / "a/run"
            require(run.launch().code in (2, 5), "below a file")

    @made.row("the run folder is a file, or a symbolic link", "exit 5 before the job starts, "
              "nothing changed")
    def not_a_folder():
        with Run(COMMAND) as run:
            run.folder.write_text("mine")
            done = run.launch()
            require(done.code in (2, 5) and run.folder.read_text() == "mine", f"{done}")
        with Run(COMMAND) as run:
            aim = run.home / "aim"
            aim.mkdir()
            run.folder.symlink_to(aim)
            done = run.launch()
            require(done.code == 5 and not list(aim.iterdir()), f"{done}")

    @made.row("the run folder, or the folder of it, may not be written or entered (modes)",
              "exit 5 before the job starts; with the modes back: the same")
    def modes():
        before = powerless()
        for mode in (0o555, 0o666, 0o000):
            for inner in (True, False):
                with Run(COMMAND) as run:
                    run.folder = run.home / "parent/run"
                    (run.home / "parent").mkdir()
                    closed = run.folder if inner else run.home / "parent"
                    closed.mkdir(exist_ok=True)
                    closed.chmod(mode)
                    done = run.launch(before=before)
                    closed.chmod(0o755)
                    require(done.code == 5, f"mode {mode:o} of {closed.name}: {done}")
                    done = run.launch()
                    require(done.code == 0, f"with the modes back: {done}")
                    run.assert_final(lab.references[COMMAND])

    @made.row("checkpoints/ may not be written on a resume (modes)", "it fails, what was found is "
              "kept; with the modes back: the same")
    def checkpoints():
        before = powerless()
        with copy_of(lab.base(COMMAND)) as run:
            found = run.found()
            run.checkpoints.chmod(0o555)
            done = run.resume(before=before)
            run.checkpoints.chmod(0o755)
            require(done.code in (1, 5), f"{done}")
            recover(run, lab.references[COMMAND])
            run.assert_kept(found)

    @made.row("the program of the command is not there, or may not be run", "exit 2 or 5, nothing "
              "is made")
    def no_program():
        for command in ("/nonexistent/job", "no-such-program-of-onchip", "/etc/passwd"):
            with Run(COMMAND, command=(command,)) as run:
                done = run.launch()
                require(done.code in (2, 5) and not run.folder.exists(), f"{command}: {done}")
    return made
