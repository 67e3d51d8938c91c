"""Puts a trained entity model into models/, with its card, and enters it into the manifest.

usage: publish.py TRAINED_FOLDER models/NAME REVISION
"""
import shutil, sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "embedding"))
from manifest import enter  # noqa: E402

trained, target, revision = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
shutil.rmtree(target, ignore_errors=True)
shutil.copytree(trained, target)
shutil.copy(HERE / "card.md", target / "README.md")
shutil.copy(HERE.parent / "embedding" / "wordnet-notice.txt", target / "WORDNET-NOTICE")
enter(target, revision, "Apache-2.0", "entities")
size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
print(f"{target}: {size / 1e6:.1f} MB")
assert size <= 12e6
