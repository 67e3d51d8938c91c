"""Cuts running text into sentences without labels: prose whose capital letters are seldom people.

usage: negatives.py OUT.jsonl PRONOUNS.txt PER_FILE FILE.jsonl.zst...     (each line a JSON list of strings)
PRONOUNS.txt gets sentences about he and she with slots instead, as templates for sentences.ts: names in natural places.
"""
import json, random, re, subprocess, sys

out, pronouns_out, per_file, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
rng = random.Random(1)
# A sentence with one of these probably names a person; nobody labelled it, so it would teach the wrong thing.
PERSON = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|said|says|born|director|author|by [A-Z]|[A-Z][a-z]+ [A-Z]\. [A-Z]|et al)\b")
# `her` may be object or possessive; only clear uses are turned into slots.
SLOTS = [
    (re.compile(r"\b[Hh]e(?= (?:was|is|had|has|would|could|did|[a-z]+ed|[a-z]+s)\b)"), "{person}"),
    (re.compile(r"\b[Ss]he(?= (?:was|is|had|has|would|could|did|[a-z]+ed|[a-z]+s)\b)"), "{person}"),
    (re.compile(r"\bhim\b"), "{person}"),
    (re.compile(r"\b[Hh]is(?= [a-z]{3,})"), "{person}'s"),
    (re.compile(r"\b[Hh]er(?= (?:own|first|new|work|life|father|mother|family|book|book|team|job|name|own|second|career|son|friend)\b)"), "{person}'s"),
    (re.compile(r"\b(?:a|the) (?:man|woman|patient|customer|employee|student|doctor|author|manager|researcher|employer|owner)(?= (?:was|is|had|has|who|can|may|must|will|should|[a-z]+ed)\b)"), "{person}"),
    (re.compile(r"\b(by|for|from|with|to) (?:a|the) (?:man|woman|patient|customer|employee|student|doctor|author|manager|researcher|employer|owner)\b"), r"\1 {person}"),
    # Places and companies in natural sentences, unlabelled: a capital alone makes no person.
    (re.compile(r"\bin the (?:country|city|state|region|area|world|community|office|market|field|system)\b"), "in {place}"),
    (re.compile(r"\b(from|to|across|near|throughout) the (?:country|city|state|region|area|world|office|market|hospital|school)\b"), r"\1 {place}"),
    (re.compile(r"\b[Tt]he (?:company|agency|organization|organisation|university|government|bank|team|business|department|firm|system|project|software|library)(?= (?:is|was|has|had|can|may|must|will|should|[a-z]+ed|[a-z]+s)\b)"), "{org}"),
    (re.compile(r"\b(by|for|from|with|to|at|of|and|in) the (?:company|agency|organization|organisation|university|government|bank|team|business|department|firm|project|software|library|database|server)\b"), r"\1 {org}"),
]


def with_slots(sentence):
    # Any other capital may be somebody's name that would stay unlabelled.
    if re.search(r"\w\S* +[\"“(']*[A-Z][a-z]", sentence):
        return None
    for pattern, slot in rng.sample(SLOTS, len(SLOTS)):
        if pattern.search(sentence):
            return pattern.sub(slot, sentence, count=rng.choice([1, 1, 2]))
    return None


# Books full of real people: only their slotted sentences are of use.
ABOUT_PEOPLE = re.compile(r"history|psychology|sociology|anthropology|ethics|nursing|philosophy|entrepreneurship|artsy|writing")
kept, pronouns = [], []
for name in files:
    found = []
    text = subprocess.run(["zstdcat", name], capture_output=True).stdout.decode("utf-8", "replace")
    for line in text.split("\n"):
        if not line:
            continue
        for part in json.loads(line):
            for sentence in re.split(r"(?<=[.!?])\s+", part):
                if 15 < len(sentence) < 240 and not PERSON.search(sentence):
                    slotted = with_slots(sentence) if "{" not in sentence else None
                    if slotted:
                        pronouns.append(slotted)
                    elif not re.search(r"\b(?:he|she|him|his|her|hers)\b", sentence, re.I):
                        found.append(sentence)
    if ABOUT_PEOPLE.search(name):
        continue
    kept += rng.sample(found, min(per_file, len(found)))
rng.shuffle(kept)
with open(out, "w") as target:
    for sentence in kept:
        target.write(json.dumps({"text": sentence, "spans": []}, ensure_ascii=False) + "\n")
rng.shuffle(pronouns)
with open(pronouns_out, "w") as target:
    target.write("\n".join(s.replace("\n", " ") for s in pronouns[:30000]))
print(len(kept), "sentences,", len(pronouns), "with slots")
