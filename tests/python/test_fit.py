"""The built-in job of launch beside a whole training run in NumPy: its records are those of the
tests' simulated device bit for bit, the judge passes them, and the program text gives them on
the CPU plugin too, as far as the device may not choose."""

import os
import subprocess

import numpy as np
import pytest
from conftest import BIN

PEER = os.environ["ONCHIP_TEST_FIT_PEER"]
F = np.float32
ORDER = np.arange(64)
X = ((2 * ORDER - 63) / 63).astype(F)
Y = F(2) * X + F(1)
TURNS = (13, 15, 26, 6, 17, 29, 16, 24)


def threefry(key, first, second):
    """Salmon et al. 2011; NumPy's uint32 wraps as it should."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    a, b = first + keys[0], second + keys[1]
    for turn in range(20):
        a = a + b
        left = np.uint32(TURNS[turn % 8])
        b = ((b << left) | (b >> (np.uint32(32) - left))) ^ a
        if turn % 4 == 3:
            group = turn // 4 + 1
            a = a + keys[group % 3]
            b = b + keys[(group + 1) % 3] + np.uint32(group)
    return a, b


def in_order(terms):
    return np.add.accumulate(terms, dtype=F)[-1]


def train(batch, seed, steps):
    key = np.array([0, seed], np.uint32)
    parameters, velocity = np.zeros(2, F), np.zeros(2, F)
    mean, twice = F(1) / F(batch), F(2) / F(batch)
    records = []
    for step in range(steps):
        first, second = threefry(key, np.arange(65, dtype=np.uint32),
                                 np.full(65, step, np.uint32))
        chosen = np.argsort(first[:64], kind="stable")[:batch]
        assert len(set(chosen)) == batch
        x, y = X[chosen], Y[chosen]
        e = parameters[0] * x + parameters[1] - y
        loss = in_order(e * e) * mean
        gradient = twice * np.array([in_order(e * x), in_order(e)], F)
        velocity = F(0.8) * velocity + gradient
        parameters = parameters - F(0.04) * velocity
        key = np.array([first[64], second[64]], np.uint32)
        records.append(np.concatenate([key, np.array([step + 1], np.uint32),
                                       parameters.view(np.uint32), velocity.view(np.uint32),
                                       np.array([loss], F).view(np.uint32)]))
    assert e.dtype == velocity.dtype == parameters.dtype == loss.dtype == F
    return np.stack(records).astype("<u4")


def peer(*args, given=b""):
    done = subprocess.run([PEER, *map(str, args)], input=given, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("batch", (1, 8, 13, 64))
def test_numpy_has_the_same_run(batch):
    records = train(batch, 3, 1000)
    assert records.tobytes() == peer("run", batch, 3, 1000)
    assert peer("judge", batch, 3, given=records.tobytes()) == b"PASS consistent -1\n"
    # It is a fit: of slope 2 and intercept 1.
    np.testing.assert_allclose(records[-1, 3:5].view(F), [2, 1], atol=2e-6)
    records[500, 5:7] = 0
    assert peer("judge", batch, 3, given=records.tobytes()).startswith(b"FAIL refuted 50")


@pytest.mark.parametrize("batch", (1, 8, 64))
def test_the_program_runs_on_the_cpu_plugin(batch, tmp_path):
    steps = 4
    want = train(batch, 3, steps)
    (tmp_path / "fit.mlir").write_bytes(peer("program", batch))
    state = [np.array([0, 3], np.uint32), np.array(0, np.uint32), np.zeros(2, F), np.zeros(2, F)]
    records = []
    for step in range(steps):
        out = tmp_path / f"out{step}"
        command = [BIN, "run", "fit.mlir", "--platform", "cpu", "--output-dir", str(out)]
        for i, array in enumerate([X, Y, *state]):
            np.save(tmp_path / f"{i}.npy", array)
            command += ["--input", f"{i}.npy"]
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100)
        made = [np.load(out / f"out{i}.npy") for i in range(5)]
        record = np.concatenate([np.atleast_1d(a).view(np.uint32) for a in made[:4]])
        assert made[4].dtype == np.uint32 and np.array_equal(made[4][:7], record)
        records.append(made[4])
        state = made[:4]
    records = np.stack(records)
    assert np.array_equal(records[:, :3], want[:, :3])
    np.testing.assert_allclose(records[:, 3:].copy().view(F), want[:, 3:].copy().view(F), rtol=1e-5)
    assert peer("judge", batch, 3, given=records.astype("<u4").tobytes()) == b"PASS consistent -1\n"
