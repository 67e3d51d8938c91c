"""Enters a finished model folder into `models/manifest.json`: what it is, under which licence, the hash of each file."""

import hashlib
import json
from pathlib import Path


def enter(folder: Path, revision: str, licence: str, kind: str = "embedding") -> None:
    """Replaces the entry of this folder's name; the other models' entries stay as they are."""
    path = folder.parent / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf8")) if path.exists() else {"models": []}
    files = {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
             for file in sorted(folder.rglob("*")) if file.is_file()}
    entry = {"name": folder.name, "kind": kind, "revision": revision, "license": licence, "sha256": files}
    others = [model for model in manifest["models"] if model["name"] != folder.name]
    manifest["models"] = sorted([*others, entry], key=lambda model: model["name"])
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf8")
