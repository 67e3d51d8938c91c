"""Cuts running text into sentences without labels: prose whose capital letters are seldom people.

usage: negatives.py OUT.jsonl PER_FILE FILE.jsonl.zst...     (each line a JSON list of strings)
"""
import json, random, re, subprocess, sys

out, per_file, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
rng = random.Random(1)
# A sentence with one of these probably names a person; nobody labelled it, so it would teach the wrong thing.
PERSON = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|said|says|born|director|author|by [A-Z]|[A-Z][a-z]+ [A-Z]\. [A-Z]|et al)\b")
kept = []
for name in files:
    found = []
    text = subprocess.run(["zstdcat", name], capture_output=True).stdout.decode("utf-8", "replace")
    for line in text.split("\n"):
        if not line:
            continue
        for part in json.loads(line):
            for sentence in re.split(r"(?<=[.!?])\s+", part):
                if 15 < len(sentence) < 240 and not PERSON.search(sentence):
                    found.append(sentence)
    kept += rng.sample(found, min(per_file, len(found)))
rng.shuffle(kept)
with open(out, "w") as target:
    for sentence in kept:
        target.write(json.dumps({"text": sentence, "spans": []}, ensure_ascii=False) + "\n")
print(len(kept), "sentences")
