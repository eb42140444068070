"""An independent reader of the checkpoints of docs/launch-protocol.md."""

import hashlib
import json
import re

MEMBERS = ["format", "step", "state_hash", "identity", "files", "parent_sha256", "sha256"]


class Damaged(Exception):
    """Why a folder is not a checkpoint."""


def require(condition, why):
    if not condition:
        raise Damaged(why)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def manifest_text(document):
    """The one text of a manifest: members in their order, two blanks a level, a newline."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def seal(document):
    """The document with its digest, for making one by hand."""
    document = {name: document[name] for name in MEMBERS if name != "sha256"}
    return {**document, "sha256": sha256(manifest_text(document).encode())}


def read(folder, config_sha256=None):
    """The manifest of a checkpoint that is whole; Damaged says what is wrong."""
    require(folder.is_dir() and not folder.is_symlink(), f"{folder.name} is no folder")
    path = folder / "manifest.json"
    require(path.is_file() and not path.is_symlink(), f"{folder.name} has no manifest")
    text = path.read_bytes()
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Damaged(f"{folder.name}: the manifest is no JSON: {error}") from error
    require(isinstance(document, dict) and list(document) == MEMBERS,
            f"{folder.name}: the manifest's members")
    require(seal(document)["sha256"] == document["sha256"], f"{folder.name}: the digest")
    require(manifest_text(document).encode() == text, f"{folder.name}: the manifest's text")
    require(document["format"] == "onchip.checkpoint/1", f"{folder.name}: the format")
    require(folder.name == f"step-{document['step']:08d}", f"{folder.name}: the step")
    if config_sha256:
        require(document["identity"].get("config") == config_sha256,
                f"{folder.name}: the configuration")
    names = {file["name"] for file in document["files"]} | {"manifest.json"}
    require({entry.name for entry in folder.iterdir()} == names, f"{folder.name}: its files")
    for file in document["files"]:
        require(not (folder / file["name"]).is_symlink(), f"{folder.name}: a symbolic link")
        data = (folder / file["name"]).read_bytes()
        require(len(data) == file["size"], f"{folder.name}: the size of {file['name']}")
        require(sha256(data) == file["sha256"], f"{folder.name}: the bytes of {file['name']}")
    return document


def steps(folder):
    """The step-* folders, newest first."""
    found = [path for path in folder.glob("step-*") if re.fullmatch(r"step-\d{8}", path.name)]
    return sorted(found, reverse=True)


def is_good(folder, config_sha256=None):
    try:
        read(folder, config_sha256)
    except Damaged:
        return False
    return True
