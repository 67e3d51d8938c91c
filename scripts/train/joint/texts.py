"""Writes the texts whose vectors `fit.py` fits the space to: TEXTS/english.json and TEXTS/others.json, lists of strings.

    python3 scripts/train/joint/texts.py PAIRS DJANGO TEXTS

PAIRS holds collections of headings and passages in English (`*.jsonl.zst`, a list of two strings a line), DJANGO the unpacked wheel of
Django, whose translations are the texts in other languages.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

PAIRS_EACH = 200
TRANSLATIONS_EACH = 45


def english(folder: Path) -> list[str]:
    """Headings first, then their passages."""
    pairs = {}
    for path in sorted(folder.glob("*.jsonl.zst")):
        if path.name.startswith("wordnet"):
            continue
        lines = subprocess.run(["zstdcat", path], capture_output=True, text=True, check=True).stdout.splitlines()
        found = [(heading[:300], passage[:900]) for heading, passage in map(json.loads, lines)
                 if len(passage) > 150 and 2 <= len(heading.split()) <= 25]
        random.shuffle(found)
        pairs.update(list(dict(found).items())[:PAIRS_EACH])
    return [*pairs, *pairs.values()]


def others(django: Path) -> list[str]:
    texts = []
    for path in sorted(django.glob("django/conf/locale/*/LC_MESSAGES/django.po")):
        if path.parts[-3].startswith("en"):
            continue
        written = re.findall(r'msgstr ((?:".*"\n?)+)', path.read_text(encoding="utf8"))
        found = ["".join(re.findall(r'"(.*)"', each)) for each in written]
        found = [each for each in found if len(each) > 25 and "charset" not in each]
        random.shuffle(found)
        texts += found[:TRANSLATIONS_EACH]
    return texts


if __name__ == "__main__":
    random.seed(5)
    pairs, django, out = map(Path, sys.argv[1:])
    for name, texts in (("english", english(pairs)), ("others", others(django))):
        (out / f"{name}.json").write_text(json.dumps(texts, ensure_ascii=False), encoding="utf8")
        print(name, len(texts))
