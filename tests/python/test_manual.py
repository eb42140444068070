"""The man page and --help name the same options, and every verb's help has an example.

What the two agree on is read from the program and from docs/onchip.1, both ways.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BIN = os.environ["ONCHIP_BIN"]
PAGE = Path(__file__).parents[2] / "docs/onchip.1"
ARGP = {"--help", "--usage", "-?"}  # every verb has them; the page says so once


def run(*args):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("ARGP_HELP_FMT", "COLUMNS")}
    return subprocess.run([BIN, *args], capture_output=True, text=True, timeout=60,
                          env=environment, check=True).stdout


def verbs():
    return re.findall(r"^  ([a-z]+) +\S", run("--help"), re.M)


def options_of_help(verb):
    """The options in the list of `--help`, each as (short or None, long, argument or None)."""
    found = set()
    for short, name, argument in re.findall(
            r"^ +(?:(-\S), +)?(--[a-z-]+)(?:=([A-Z]+))?(?: |$)", run(verb, "--help"), re.M):
        if name not in ARGP:
            found.add((short or None, name, argument or None))
    return found


def section(verb):
    """The page's subsection on a verb."""
    match = re.search(rf"^\.Ss {verb}\n(.*?)(?=^\.S[sh] )", PAGE.read_text(), re.M | re.S)
    assert match, f"docs/onchip.1 has no subsection '{verb}'"
    return match.group(1)


def options_of_page(verb):
    """`.It Fl p , Fl -platform Ns = Ns Ar PLATFORM`, in the same form."""
    found = set()
    for line in re.findall(r"^\.It (Fl .*)$", section(verb), re.M):
        match = re.fullmatch(r"(?:Fl (\S) , )?Fl (-[a-z-]+)(?: Ns = Ns Ar ([A-Z]+))?", line)
        assert match, f"docs/onchip.1: '{line}' is not understood"
        short, name, argument = match.groups()
        found.add((f"-{short}" if short else None, f"-{name}", argument))
    return found


def synopsis_of(verb):
    """The options in the page's synopses of a verb, short where they have a short form."""
    text = re.search(r"^\.Sh SYNOPSIS\n(.*?)(?=^\.Sh )", PAGE.read_text(), re.M | re.S).group(1)
    parts = [part for part in re.split(r"^\.Nm\n", text, flags=re.M)
             if re.match(rf"\.Cm {verb}\b", part)]
    return {f"-{name}" for name in re.findall(r"\bFl (-?[a-zA-Z-]+)", "".join(parts))}


def test_the_page_has_a_subsection_for_each_verb_and_for_no_other():
    assert verbs() == re.findall(r"^\.Ss (\S+)$", PAGE.read_text(), re.M)
    assert len(verbs()) >= 4


@pytest.mark.parametrize("verb", verbs())
def test_help_and_page_name_the_same_options(verb):
    assert options_of_help(verb), "no option was read from --help"
    assert options_of_page(verb) == options_of_help(verb)


@pytest.mark.parametrize("verb", verbs())
def test_the_synopsis_names_every_option(verb):
    assert synopsis_of(verb) == {short or name for short, name, _ in options_of_help(verb)}


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_an_example_in_both(verb):
    example = re.search(rf"^Example:\n +onchip {verb}\b", run(verb, "--help"), re.M)
    assert example, f"'onchip {verb} --help' has no example"
    assert re.search(rf"^\.Dl \$ onchip {verb}\b", section(verb), re.M)


@pytest.mark.parametrize("verb", verbs())
def test_the_examples_use_options_that_exist(verb):
    known = {name for _, name, _ in options_of_help(verb)}
    for text in (run(verb, "--help"), section(verb)):
        for line in re.findall(rf"^(?:\.Dl \$| ) *onchip {verb}\b(.*)$", text, re.M):
            assert set(re.findall(r"--[a-z-]+", line)) <= known


def test_the_page_has_every_exit_status():
    statuses = re.search(r"^\.Sh EXIT STATUS\n(.*?)(?=^\.Sh )", PAGE.read_text(), re.M | re.S)
    assert re.findall(r"^\.It (\d)$", statuses.group(1), re.M) == list("012345")


def test_the_page_is_well_formed():
    checkers = {"mandoc": ["-Tlint", "-Wwarning"], "man": ["--warnings", "-l"]}
    program = next((name for name in checkers if shutil.which(name)), None)
    if not program:
        pytest.skip("skip: man: neither mandoc nor man is installed")
    done = subprocess.run([program, *checkers[program], PAGE], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "MANPAGER": "cat"}, check=False)
    assert done.stderr == ""
    if program == "mandoc":
        assert done.stdout == ""
