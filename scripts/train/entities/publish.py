"""Puts a trained entity model into models/, with its card, and enters it into the manifest.

usage: publish.py TRAINED_FOLDER models/carrel-entities-v1 REVISION
"""
import shutil, sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
from manifest import enter  # noqa: E402

trained, target, revision = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
shutil.rmtree(target, ignore_errors=True)
shutil.copytree(trained, target)
shutil.copy(Path(__file__).parent / "card.md", target / "README.md")
# words.tsv holds words of WordNet.
shutil.copy(Path(__file__).parent.parent / "embedding" / "wordnet-notice.txt", target / "WORDNET-NOTICE")
enter(target, revision, "Apache-2.0", "entities")
size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
print(f"{target}: {size / 1e6:.1f} MB")
assert size <= 10e6
