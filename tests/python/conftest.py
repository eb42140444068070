"""What the tests of the command line share: how onchip is run, and what must hold of any run.

A run happens in a folder of the test's own, in an environment from which everything is taken
that could name a plugin. A run carries a mark in its environment, by which the processes that
it leaves behind are found.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import jsonschema
import pytest

BIN = os.environ["ONCHIP_BIN"]
SOURCE = Path(os.environ["ONCHIP_TEST_SOURCE"])
FAKES = Path(os.environ["ONCHIP_TEST_FAKES"])
CPU_PLUGIN = Path(os.environ["ONCHIP_TEST_CPU_PLUGIN"])
OLDER_CPU_PLUGIN = Path(os.environ["ONCHIP_TEST_OLDER_CPU_PLUGIN"])


def compiler_trouble(name):
    """Why a learner's file cannot be tried with this compiler, or None."""
    if not shutil.which(name):
        return f"skip: {name}: it is not installed"
    library = Path(BIN).with_name("libonchip.so")
    if name == "clang" and library.exists() and b"libasan.so" in library.read_bytes():
        return "skip: clang: libonchip has gcc's sanitizers, which do not go with clang's"
    return None


compilers = pytest.mark.parametrize("compiler", [
    pytest.param(name, marks=pytest.mark.skipif(bool(compiler_trouble(name)),
                                                reason=str(compiler_trouble(name))))
    for name in ("gcc", "clang")])
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((SOURCE / "docs/receipt.schema.json").read_text()))

MARK = "ONCHIP_TEST_MARK"
FOREIGN = ("COURSE_EXPECT_PLATFORM", "PJRT_NAMES_AND_LIBRARY_PATHS", "TPU_LIBRARY_PATH",
           "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_DATA_HOME", "ARGP_HELP_FMT")
PASS_LINE = "PASS: welcome-03"


def fake(name):
    """The path of a fake plugin by its name in tests/fakes/README.md."""
    return str(FAKES / (name if name.endswith(".so") else f"libfake_{name}.so"))


def powerless():
    """onchip as a user whom modes stop; root is one without its capabilities."""
    if os.geteuid() != 0:
        return [BIN]
    wrapped = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", BIN]
    if subprocess.run([*wrapped, "--version"], capture_output=True).returncode != 0:
        pytest.skip("skip: capabilities: root cannot give up its own here")
    return wrapped


class World:
    """A folder and an environment in which onchip is run."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.mark = uuid.uuid4().hex
        home = self.folder / "home"
        home.mkdir()
        self.env = {name: value for name, value in os.environ.items()
                    if name not in FOREIGN and not name.startswith("ONCHIP_PLUGIN_")}
        self.env.update({"HOME": str(home), MARK: self.mark})

    def popen(self, *args, env=(), program=(BIN,), **options):
        """onchip with `env` (a value of None unsets a name), its output as text."""
        environment = {**self.env, **dict(env)}
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "cwd": self.folder, **options}
        return subprocess.Popen(
            [*program, *args], encoding="utf-8", errors="surrogateescape",
            env={name: value for name, value in environment.items() if value is not None},
            **options)

    def run(self, *args, **options):
        process = self.popen(*args, **options)
        try:
            out, err = process.communicate(timeout=100)
        finally:
            process.kill()
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def check(self, *args, **options):
        """`onchip check --json`: the run, and its receipt, which keeps the schema."""
        done = self.run("check", "--json", *args, **options)
        return done, receipt_of(done)

    def verify(self, receipt, require, *args):
        """The exit status of `onchip verify` on a receipt (text, or a document)."""
        path = self.folder / f"{uuid.uuid4().hex}.json"
        path.write_text(receipt if isinstance(receipt, str) else json.dumps(receipt))
        return self.run("verify", path.name, "--require", require, *args)

    def processes(self):
        """The processes that carry the mark, as (number, command), zombies left out."""
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

    def await_no_process(self):
        """Nothing may stay; what was killed a moment ago may take one to go."""
        patience = time.monotonic() + 20
        while self.processes() and time.monotonic() < patience:
            time.sleep(0.02)
        assert self.processes() == [], "a run left processes behind"


def receipt_of(done):
    """The receipt on stdout, which is one JSON document of the schema and nothing else."""
    receipt = json.loads(done.stdout, object_pairs_hook=no_duplicates, parse_constant=pytest.fail)
    SCHEMA.validate(receipt)
    return receipt


def no_duplicates(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), "a key occurs twice"
    return members


@pytest.fixture
def tmp_path():
    """pytest's own keeps the folders of the last runs; nothing is to stay."""
    folder = Path(tempfile.mkdtemp(prefix="onchip-test-")).resolve()
    yield folder
    for inner in folder.glob("**/"):
        inner.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def world(tmp_path):
    """A World; after the test no process of its runs may be there."""
    made = World(tmp_path)
    yield made
    made.await_no_process()
