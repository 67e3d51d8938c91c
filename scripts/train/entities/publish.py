"""Puts a trained entity model into models/, with its card, and enters it into the manifest.

usage: publish.py TRAINED_FOLDER models/NAME REVISION      (NAME: carrel-entities-v1, carrel-entities-scripts-v1)
"""
import shutil, sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "embedding"))
from manifest import enter  # noqa: E402

trained, target, revision = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
# words.tsv of the one holds words of WordNet, that of the other words of several works.
CARDS = {
    "carrel-entities-v1": ("card.md", HERE.parent / "embedding" / "wordnet-notice.txt", "WORDNET-NOTICE"),
    "carrel-entities-scripts-v1": ("card-scripts.md", HERE / "scripts-notice.txt", "NOTICE"),
}
card, notice, notice_name = CARDS[target.name]
shutil.rmtree(target, ignore_errors=True)
shutil.copytree(trained, target)
shutil.copy(HERE / card, target / "README.md")
shutil.copy(notice, target / notice_name)
enter(target, revision, "Apache-2.0", "entities")
size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
print(f"{target}: {size / 1e6:.1f} MB")
assert size <= 12e6
