"""Makes src/redaction/lexicon/script-names.txt: first names and surnames in scripts other than Latin, a line each.

    bun names.ts ROWS.tsv --scripts
    python3 script_lexicon.py ROWS.tsv ../../../src/redaction/lexicon/script-names.txt

From the lists of the Python package Faker and of @faker-js/faker (both MIT), as the model's training had them, but without a part kept apart.
Of Chinese and Korean surnames alone: given names there are made of any characters.
"""
import sys
from script_names import FREQUENT, PYTHON, Names

rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1], encoding="utf8")]
found = set()
for language in PYTHON:
    for unseen in (False, True):
        names = Names(language, rows, unseen).all()
        kinds = ("surname",) if language in ("zh", "zh-Hant", "ko") else ("given", "surname")
        for kind in kinds:
            for name in names[kind]:
                for part in name.replace("-", " ").split():
                    if len(part) > 1 or language in ("zh", "zh-Hant", "ko"):
                        found.add(part.lower())
    found.update(FREQUENT.get(language, ""))
open(sys.argv[2], "w", encoding="utf8").write("\n".join(sorted(found)))
print(len(found))
