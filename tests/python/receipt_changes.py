"""Receipts with files beside them, changed: what the tests of `onchip verify` on them share."""

import hashlib
import json
import re
import tempfile
from pathlib import Path


def link_but(run, folder, name, parts):
    """Makes `folder` of links to the parts of `run`, without the file `name`."""
    folder.mkdir()
    for part in parts:
        if part == name.split("/")[0]:
            if part != name:
                rest = [path.name for path in (run / part).iterdir()]
                link_but(run / part, folder / part, name.split("/", 1)[1], rest)
        else:
            (folder / part).symlink_to(run / part)


def verdicts_of(desk, run, changes, parts=None):
    """What `verify` says of the run folder for each (file, new bytes; None: without it). `parts`:
    what it may look at in there; all when None."""
    run = desk.folder / run
    parts = parts or [path.name for path in run.iterdir()]
    with tempfile.TemporaryDirectory(dir=desk.folder) as top:
        folders = [Path(top) / str(k) for k in range(len(changes))]
        for folder, (name, data) in zip(folders, changes):
            link_but(run, folder, name, parts)
            if data is not None:
                (folder / name).write_bytes(data)
        done = desk.run("verify", *map(str, folders), "--require", "cpu", "--json")
        assert done.returncode in (0, 1, 2, 4), done.stderr
        answers = json.loads(done.stdout)
        return answers if isinstance(answers, list) else [answers]


def changed(value):
    """Another value that a receipt might hold there."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if value is None:
        return "1"
    swaps = {"PASS": "UNKNOWN", "exact": "hard", "numeric": "placement", "none": "numeric"}
    if value in swaps:
        return swaps[value]
    digits = value.translate(str.maketrans("0123456789abcdef", "1032547698badcfe"))
    return digits if digits != value else value + "!"


def members(value, path=()):
    """Every member that is no container, as its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, (dict, list)):
            yield from members(inner, (*path, key))
        else:
            yield (*path, key)


def altered(receipt, path, change):
    """The bytes of a copy in which `change` was called on the container and key of a member."""
    copy = json.loads(json.dumps(receipt))
    at = copy
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return json.dumps(copy, indent=2).encode()


def receipt_as_written(run):
    """The receipt, its fractions as texts: JSON has many for one number."""
    return json.loads((run / "receipt.json").read_text(), parse_float="@{}".format)


def written(receipt):
    """As the pages of the receipts say that one is laid out."""
    text = json.dumps(receipt, indent=2, ensure_ascii=False)
    return re.sub(r'"@([^"]*)"', r"\1", text) + "\n"


def with_new_digest(receipt):
    without = {key: member for key, member in receipt.items() if key != "sha256"}
    return written(without | {"sha256": hashlib.sha256(written(without).encode()).hexdigest()})
