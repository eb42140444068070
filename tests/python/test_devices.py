"""`onchip devices`: what a plugin says of its platform, as text and as JSON."""

import hashlib
import json
from pathlib import Path

import pytest

from conftest import CPU_PLUGIN, OLDER_CPU_PLUGIN, fake, no_duplicates

DEVICE_KEYS = {"id", "kind", "string", "process_index", "local_hardware_id", "addressable",
               "memories"}


def describe(world, *args, **options):
    done = world.run("devices", "--json", *args, **options)
    return done, json.loads(done.stdout, object_pairs_hook=no_duplicates)


@pytest.mark.parametrize("plugin", [CPU_PLUGIN, OLDER_CPU_PLUGIN], ids=["default", "older"])
def test_cpu_is_described(world, plugin):
    done, told = describe(world, "--platform", "cpu", "--plugin", str(plugin))
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["requested"], told["platform"]) == ("cpu", "cpu")
    assert (told["process_index"], told["process_count"]) == (0, 1)
    assert told["pjrt_api"] == {CPU_PLUGIN: "0.115", OLDER_CPU_PLUGIN: "0.81"}[plugin]
    assert [len(told["stablehlo"].split(".")), told["platform_version"]] == [3, "cpu"]
    with plugin.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert told["plugin"] == {"name": plugin.name, "path": str(plugin), "source": "--plugin",
                              "sha256": digest, "build_id": None}
    assert [device["id"] for device in told["devices"]] == list(range(len(told["devices"])))
    for device in told["devices"]:
        assert set(device) == DEVICE_KEYS
        assert (device["kind"], device["process_index"], device["addressable"]) == ("cpu", 0, True)
        assert f"(id={device['id']})" in device["string"]
        kinds = {memory["kind"]: memory["default"] for memory in device["memories"]}
        assert sum(kinds.values()) == 1 and "device" in kinds
        for memory in device["memories"]:
            assert memory["size_bytes"] is None or memory["size_bytes"] > 0


def test_default_is_the_cpu_plugin_of_onchip(world):
    done, told = describe(world)
    assert (done.returncode, told["requested"], told["platform"]) == (0, "cpu", "cpu")
    assert Path(told["plugin"]["path"]).samefile(CPU_PLUGIN)


def test_text_says_what_the_json_says(world):
    _, told = describe(world, "--plugin", fake("honest"))
    text = world.run("devices", "--plugin", fake("honest")).stdout
    plugin = told["plugin"]
    for word in (told["platform"], told["platform_version"], told["pjrt_api"], told["stablehlo"],
                 plugin["path"], plugin["sha256"], plugin["build_id"], plugin["source"]):
        assert word in text
    for device in told["devices"]:
        assert f"  {device['id']}  {device['string']}  kind {device['kind']}" in text
    assert f"devices    {len(told['devices'])}, {len(told['devices'])} of them" in text


def test_another_platform_is_shown_and_is_no_success(world):
    done, told = describe(world, "--platform", "tpu", "--plugin", fake("honest"))
    assert (done.returncode, told["requested"], told["platform"]) == (3, "tpu", "cpu")
    assert done.stderr == ("onchip: error: [discovery] requested and observed platform disagree: "
                           "requested tpu, observed cpu\n")


def test_plugin_without_a_platform_asked_for_is_what_it_is(world):
    done, told = describe(world, "--plugin", fake("reports_other_platform"))
    assert (done.returncode, told["platform"]) == (0, "interpreter")


@pytest.mark.parametrize("platform, status", [("tpu", 3), ("frobnicator", 2), ("", 2)])
def test_platform_without_a_plugin(world, platform, status):
    done = world.run("devices", "--platform", platform)
    assert (done.returncode, done.stdout) == (status, "")
    assert platform in done.stderr


@pytest.mark.parametrize("name, status, words", [
    ("init_fails", 3, "[init] PJRT_Client_Create failed with code 9: No visible FAKE devices."),
    ("init_fails_other", 5, "[init] PJRT_Plugin_Initialize failed with code 10"),
    ("major_1", 5, "[plugin]"), ("short_table", 5, "[plugin]"), ("null_api", 5, "[plugin]"),
    ("lying_short_table", 5, "[plugin]"), ("overstated_table", 5, "[plugin]"),
    ("no_symbol", 5, "exports no GetPjrtApi"), ("not_elf.so", 5, "is no ELF file"),
    ("truncated_elf.so", 5, "is cut")])
def test_broken_plugin(world, name, status, words):
    done = world.run("devices", "--json", "--plugin", fake(name))
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr and done.stderr.count("\n") == 1


def test_plugin_that_hangs(world):
    done = world.run("devices", "--plugin", fake("hangs_in_create"), "--timeout", "1")
    assert (done.returncode, done.stdout) == (5, "")
    assert "no answer in init within 1 s" in done.stderr


def test_plugin_without_devices_or_with_one(world):
    done, told = describe(world, "--plugin", fake("few_devices"))
    assert (done.returncode, len(told["devices"])) == (0, 1)
    done, told = describe(world, "--plugin", fake("no_devices"))
    assert (done.returncode, told["devices"]) == (0, [])
