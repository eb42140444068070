"""onchip's reader and printer of StableHLO against MLIR's own, which JAX brings.

What onchip prints must be read by MLIR as the program that the original text is: both give the
same generic form, values renamed. The programs are every form that has a pretty spelling
(tests/data/hlo/forms.mlir) and some that JAX makes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SOURCE

PEER = Path(sys.prefix).parent / "jax-venv/bin/python"
HLO_PRINT = os.environ["ONCHIP_TEST_HLO_PRINT"]
DATA = SOURCE / "tests/data/hlo"
MADE = ["softmax", "scan", "convolution", "sort", "gather", "random", "special", "branches",
        "linear", "constants"]

pytestmark = pytest.mark.skipif(not PEER.exists(),
                                reason="skip: jax: no .deps/jax-venv; ./dev test makes it")


def peer(verb, given=None):
    done = subprocess.run([PEER, SOURCE / "tests/python/hlo_peer.py", verb],
                          input=json.dumps(given), capture_output=True, text=True, timeout=100,
                          env={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def printed(text, folder):
    path = folder / "program.mlir"
    path.write_text(text)
    done = subprocess.run([HLO_PRINT, path], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs():
    made = {"forms": (DATA / "forms.mlir").read_text(), **peer("programs")[0]}
    assert list(made) == ["forms", *MADE]
    return made


def test_mlir_reads_what_is_printed(programs, tmp_path):
    ours = [printed(text, tmp_path) for text in programs.values()]
    wanted, trouble = peer("canonical", list(programs.values()))
    assert None not in wanted, trouble
    got, trouble = peer("canonical", ours)
    assert None not in got, trouble
    for name, want, have in zip(programs, wanted, got):
        assert have == want, name


def test_printing_is_a_fixed_point(programs, tmp_path):
    for name, text in programs.items():
        once = printed(text, tmp_path)
        assert printed(once, tmp_path) == once, name


def test_the_kept_generic_forms_are_mlirs():
    (pretty, generic), trouble = peer("canonical", [(DATA / "forms.mlir").read_text(),
                                                    (DATA / "forms.generic.mlir").read_text()])
    assert pretty is not None, trouble
    assert generic == pretty


def test_a_difference_is_seen(programs, tmp_path):
    """The negative control: one digit, one attribute, one operand."""
    ours = printed(programs["forms"], tmp_path)
    changed = [ours.replace(old, new, 1) for old, new in (
        ("-2.5", "-2.4"), ("is_stable = true", "is_stable = false"),
        ('"stablehlo.subtract"(%0, %0)', '"stablehlo.add"(%0, %0)'))]
    assert ours not in changed
    (want, *others), trouble = peer("canonical", [ours, *changed])
    assert None not in others, trouble
    assert want not in others
