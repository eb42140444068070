"""onchip-train without its launcher: what it says on the pipe, what it leaves in the folder,
and how it ends when the device, the folder or a signal stops it."""

import hashlib
import json
import os
import re
import signal
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import BIN, CPU_PLUGIN, fake

TRAIN = str(Path(BIN).with_name("onchip-train"))
PROXY = os.environ["ONCHIP_TEST_PROXY"]
WORDS = 8


def data_sha256():
    """Of x and y: points of [-1, 1] and 2 x + 1, in float32."""
    x = ((2 * np.arange(64) - 63) / 63).astype(np.float32)
    y = np.float32(2) * x + np.float32(1)
    return hashlib.sha256(x.tobytes() + y.tobytes()).hexdigest()


class Job:
    """A run folder as a launcher makes it, and the job in it."""

    def __init__(self, world, **config):
        self.world = world
        self.folder = world.folder / "run"
        self.checkpoints = self.folder / "checkpoints"
        self.checkpoints.mkdir(parents=True)
        self.config = {"format": "onchip.launch/1", "platform": "cpu",
                       "plugin": str(CPU_PLUGIN), "command": None, "batch": 8, "seed": 3,
                       "checkpoint_every": 2, "state_mib": 0, "program_sha256": "0" * 64,
                       "data_sha256": data_sha256()}
        # The job itself names the digest of its program; test_fit holds the text.
        refused = self.run(1)
        assert refused[0] == 2
        self.config["program_sha256"] = re.findall(r"\b[0-9a-f]{64}\b",
                                                   refused[1][-1]["message"])[-1]
        self.config.update(config)

    def start(self, steps, resume=None, events_fd=3, **environment):
        text = json.dumps(self.config)
        (self.folder / "config.json").write_text(text)
        env = {**self.world.env, "ONCHIP_RUN_DIR": str(self.folder),
               "ONCHIP_STEPS": str(steps), "ONCHIP_CHECKPOINTS": str(self.checkpoints),
               "ONCHIP_CONFIG_SHA256": hashlib.sha256(text.encode()).hexdigest(),
               "ONCHIP_EVENTS_FD": str(events_fd), **environment}
        if resume is not None:
            env["ONCHIP_RESUME"] = str(self.checkpoints / f"step-{resume:08}")
        read, write = os.pipe()
        with open(self.folder / "job.log", "wb") as log:
            process = subprocess.Popen(
                ["/bin/bash", "-c", f'exec "$0" 3>&{write} {write}>&-', TRAIN], env=env,
                pass_fds=[write], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(write)
        return process, os.fdopen(read, encoding="utf-8")

    def run(self, steps, **options):
        """Exit status and events; nothing may be left running."""
        process, events = self.start(steps, **options)
        with events:
            said = [json.loads(line) for line in events]
        status = process.wait(timeout=100)
        self.world.await_no_process()
        return status, said

    def state(self, step):
        return (self.checkpoints / f"step-{step:08}" / "state.bin").read_bytes()

    def trajectory(self):
        return (self.folder / "trajectory.bin").read_bytes()

    def log(self):
        return (self.folder / "job.log").read_text(errors="replace")


@pytest.fixture
def job(world):
    return Job(world)


def names(events):
    return [event["event"] for event in events]


def of_kind(events, name):
    return [event for event in events if event["event"] == name]


def rewrite_checkpoint(folder, name, data):
    """Another file in a checkpoint, with the manifest that docs/launch-protocol.md wants."""
    manifest = json.loads((folder / "manifest.json").read_text())
    file = next(file for file in manifest["files"] if file["name"] == name)
    file.update(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    del manifest["sha256"]
    text = json.dumps(manifest, indent=2) + "\n"
    manifest["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (folder / name).write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def test_eight_steps(job):
    status, events = job.run(8)
    assert status == 0
    step = ["progress", "progress", "checkpoint"]
    assert names(events) == ["started", "ready", *step * 4, "observed", "completed"]
    started, ready = events[:2]
    assert started["backend"] == "cpu" and started["pid"] > 0
    assert started["device_count"] == len(started["devices"]) > 0
    assert ready["compile_s"] > 0 and ready["warmup_s"] > 0

    records = np.frombuffer(job.trajectory(), "<u4").reshape(-1, WORDS)
    assert len(records) == 8
    progress = of_kind(events, "progress")
    assert [p["step"] for p in progress] == list(records[:, 2]) == list(range(1, 9))
    for record, said in zip(records, progress):
        assert np.float32(said["loss"]) == record[7:].view("<f4")[0]
        assert said["state_hash"] == hashlib.sha256(record[:7].tobytes()).hexdigest()
        assert said["examples"] == 8 and said["update_s"] > 0
    assert progress[-1]["loss"] < progress[0]["loss"]
    assert records[-1].tobytes() == job.state(8)
    assert sorted(p.name for p in job.checkpoints.iterdir()) == ["step-00000006", "step-00000008"]
    manifest = json.loads((job.checkpoints / "step-00000008/manifest.json").read_text())
    assert manifest["state_hash"] == progress[-1]["state_hash"]
    assert manifest["identity"] == {
        "config": hashlib.sha256((job.folder / "config.json").read_bytes()).hexdigest(),
        "program": job.config["program_sha256"], "data": job.config["data_sha256"]}
    assert events[-1]["step"] == 8

    observed = of_kind(events, "observed")[0]
    evidence = {e["what"]: e["value"] for e in observed["evidence"]}
    assert observed["platform"] == evidence["state.platform"] == "cpu"
    assert evidence["state.device"] == evidence["requested.device"] == started["devices"][0]
    assert evidence["state.memory"] == evidence["requested.memory"]
    assert evidence["state.device_listed"] == "yes"
    assert evidence["plugin_mapped"] == str(CPU_PLUGIN.resolve())
    assert evidence["plugin_sha256"] == hashlib.sha256(CPU_PLUGIN.read_bytes()).hexdigest()


def test_a_resumed_run_ends_in_the_same_state(world):
    whole = Job(world)
    assert whole.run(8)[0] == 0
    wanted, trajectory = whole.state(8), whole.trajectory()
    whole.folder.rename(world.folder / "whole")

    job = Job(world)
    assert job.run(4)[0] == 0
    # What a job that was killed in a step may leave behind the last checkpoint.
    with open(job.folder / "trajectory.bin", "ab") as file:
        file.write(b"x" * 43)
    status, events = job.run(8, resume=4)
    assert status == 0
    assert names(events)[:4] == ["started", "restored", "ready", "progress"]
    assert events[1]["step"] == 4
    assert events[1]["state_hash"] == hashlib.sha256(trajectory[96:124]).hexdigest()
    assert [p["step"] for p in of_kind(events, "progress")] == [5, 6, 7, 8]
    assert job.state(8) == wanted
    assert job.trajectory() == trajectory


def test_a_job_that_is_killed_leaves_no_worker_and_can_be_gone_on_with(job):
    job.config["checkpoint_every"] = 100
    process, events = job.start(10000)
    with events:
        for line in events:
            event = json.loads(line)
            if event["event"] == "progress" and event["step"] == 150:
                process.kill()
    assert process.wait(timeout=100) == -signal.SIGKILL
    job.world.await_no_process()
    newest = max(int(p.name[5:]) for p in job.checkpoints.glob("step-*"))
    before = job.trajectory()
    assert len(before) >= newest * 32 and newest >= 100
    assert job.run(newest + 50, resume=newest)[0] == 0
    after = job.trajectory()
    assert after[:newest * 32] == before[:newest * 32]
    shared = min(len(before), len(after)) // 32 * 32
    assert after[:shared] == before[:shared]  # the same steps once more, bit for bit


@pytest.mark.parametrize("spoil", [
    lambda text: text[:127],
    lambda text: text[:100] + bytes([text[100] ^ 1]) + text[101:]])
def test_a_trajectory_that_is_not_the_checkpoint_s_is_refused(job, spoil):
    assert job.run(4)[0] == 0
    spoilt = spoil(job.trajectory())
    (job.folder / "trajectory.bin").write_bytes(spoilt)
    status, events = job.run(8, resume=4)
    assert status == 2
    assert events[-1]["event"] == "failed" and events[-1]["kind"] == "input"
    assert "trajectory.bin" in events[-1]["message"]
    assert job.trajectory() == spoilt


def test_a_spoilt_checkpoint_is_refused(job):
    assert job.run(4)[0] == 0
    path = job.checkpoints / "step-00000004/state.bin"
    text = bytearray(path.read_bytes())
    text[13] ^= 1
    path.write_bytes(text)
    status, events = job.run(8, resume=4)
    assert status == 2
    assert events[-1]["kind"] == "input" and "state.bin" in events[-1]["message"]
    assert not of_kind(events, "progress")
    assert job.run(8, resume=6)[0] == 2  # which is not there


def test_a_start_from_nothing_drops_an_old_trajectory(job):
    (job.folder / "trajectory.bin").write_bytes(b"old" * 100)
    assert job.run(2)[0] == 0
    assert len(job.trajectory()) == 2 * 4 * WORDS


def test_sigterm_ends_with_a_checkpoint(job):
    job.config["checkpoint_every"] = 10000
    process, events = job.start(10000)
    said = []
    with events:
        for line in events:
            said.append(json.loads(line))
            if said[-1]["event"] == "progress" and said[-1]["step"] == 20:
                process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=100) == 75
    last = of_kind(said, "progress")[-1]["step"]
    assert 20 <= last < 10000
    assert names(said)[-2:] == ["checkpoint", "observed"]
    assert said[-2]["step"] == last
    assert job.state(last) == job.trajectory()[-32:]
    status, said = job.run(last + 2, resume=last)
    assert status == 0 and said[1]["step"] == last


def test_sigterm_before_the_first_step_leaves_something_to_go_on_from(job):
    process, events = job.start(4)
    with events:
        started = json.loads(events.readline())
        assert started["event"] == "started"
        process.send_signal(signal.SIGTERM)
        said = [json.loads(line) for line in events]
    assert process.wait(timeout=100) == 75
    assert names(said) == ["ready", "checkpoint", "observed"]
    # key (0, seed), step 0, parameters and velocity 0, no loss.
    assert job.state(0) == struct.pack("<8I", 0, 3, 0, 0, 0, 0, 0, 0)
    status, said = job.run(4, resume=0)
    assert status == 0 and [p["step"] for p in of_kind(said, "progress")] == [1, 2, 3, 4]


def test_the_ballast_goes_through_the_device_and_the_checkpoint(job):
    job.config["state_mib"] = 2
    assert job.run(2)[0] == 0
    wanted = (np.arange(2 << 18) + 3).astype("<f4").tobytes()
    assert (job.checkpoints / "step-00000002/ballast.bin").read_bytes() == wanted
    # Other bytes in the checkpoint, which says so of itself: they are what is gone on with.
    other = wanted[::-1]
    rewrite_checkpoint(job.checkpoints / "step-00000002", "ballast.bin", other)
    assert job.run(4, resume=2)[0] == 0
    assert (job.checkpoints / "step-00000004/ballast.bin").read_bytes() == other


@pytest.mark.parametrize("does, at, last, words", [
    ("crash", 1, 0, "signal 11"),  # in the warm-up
    ("crash", 4, 2, "signal 11"), ("hang", 4, 2, "within 8 s")])
def test_a_plugin_that_dies_in_an_execution(job, does, at, last, words):
    job.config["plugin"] = PROXY
    status, events = job.run(8, ONCHIP_PROXY_TO=str(CPU_PLUGIN), ONCHIP_PROXY_DOES=does,
                             ONCHIP_PROXY_AT=str(at), ONCHIP_DEVICE_TIMEOUT_MS="8000")
    assert status == 5
    assert names(events)[-2:] == ["observed", "failed"]
    assert events[-1]["kind"] == "execute" and words in events[-1]["message"]
    assert len(of_kind(events, "progress")) == last
    if last:
        assert job.state(last) == job.trajectory()[-32:]
    if does == "crash":
        assert "the proxy crashes" in job.log()


@pytest.mark.parametrize("name, status, kind, words", [
    ("init_fails", 3, "init", "No visible FAKE devices."),
    ("compile_error", 5, "compile", "first line of the fake's error"),
    ("segfault_in_compile", 5, "compile", "signal 11"),
    ("hangs_in_create", 5, "init", "no answer in init"),
    ("no_symbol", 5, "plugin", "GetPjrtApi")])
def test_a_plugin_that_does_not_get_far(job, name, status, kind, words):
    job.config["plugin"] = fake(name)
    got, events = job.run(8, ONCHIP_DEVICE_TIMEOUT_MS="3000")
    assert got == status
    assert events[-1]["event"] == "failed" and events[-1]["kind"] == kind
    assert words in events[-1]["message"]
    assert not list(job.checkpoints.iterdir())


def test_a_platform_that_is_absent_is_not_replaced(job):
    job.config.update(platform="tpu", plugin=None)
    status, events = job.run(8, PATH="/nowhere")
    assert status == 3
    assert names(events) == ["observed", "failed"]
    assert "tpu" in events[-1]["message"]


@pytest.mark.parametrize("change, words", [
    ({"format": "onchip.launch/2"}, "format"), ({"batch": 65}, "batch is 65"),
    ({"batch": 1.5}, "integer"), ({"seed": -1}, "seed is -1"), ({"extra": 1}, "extra"),
    ({"command": ["true"]}, "command"), ({"checkpoint_every": 0}, "checkpoint_every"),
    ({"program_sha256": "1" * 64}, "program_sha256"), ({"data_sha256": "1" * 64}, "data_sha256")])
def test_a_configuration_that_is_none(job, change, words):
    job.config.update(change)
    status, events = job.run(8)
    assert status == 2
    assert names(events) == ["failed"]
    assert events[0]["kind"] == "configuration" and words in events[0]["message"]
    assert not (job.folder / "trajectory.bin").exists()


@pytest.mark.parametrize("name, value", [
    ("ONCHIP_STEPS", "0"), ("ONCHIP_STEPS", "10001"), ("ONCHIP_STEPS", "8x"),
    ("ONCHIP_RUN_DIR", ""), ("ONCHIP_CONFIG_SHA256", "")])
def test_an_environment_that_is_none(job, name, value):
    status, events = job.run(8, **{name: value})
    assert status == 2
    assert events[-1]["kind"] == "configuration" and name in events[-1]["message"]


def test_without_a_pipe_nothing_is_done(job):
    status, events = job.run(8, events_fd=77)
    assert status == 2 and events == []
    assert "ONCHIP_EVENTS_FD" in job.log()
    assert not list(job.checkpoints.iterdir())


def test_a_launcher_that_is_gone_ends_the_job(job):
    job.config["checkpoint_every"] = 10000
    process, events = job.start(10000)
    with events:
        for line in events:
            if json.loads(line)["event"] == "progress":
                break
    assert process.wait(timeout=100) == 5
    assert not list(job.checkpoints.iterdir())


def test_a_trajectory_that_cannot_be_written(job):
    """A link is not followed: what it points to may be another's."""
    (job.folder / "trajectory.bin").symlink_to("/dev/full")
    status, said = job.run(8)
    assert status == 5 and said[-1]["kind"] == "evidence"
    assert "trajectory.bin" in said[-1]["message"]
