"""Cuts running text into sentences without labels: prose whose capital letters are seldom people.

usage: negatives.py OUT.jsonl PRONOUNS.txt PER_FILE WORDS.tsv FILE.jsonl.zst...     (each line a JSON list of strings)
WORDS.tsv is what gazetteer.py makes.
PRONOUNS.txt gets sentences about he and she with slots instead, as templates for sentences.ts: names in natural places.
"""
import json, random, re, subprocess, sys

out, pronouns_out, per_file, words_file, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]
letters_of = {}
for line in open(words_file, encoding="utf-8"):
    letters, words = line.rstrip("\n").split("\t")
    letters_of.update((word, letters) for word in words.split(" "))
rng = random.Random(1)
# A sentence with one of these probably names a person; nobody labelled it, so it would teach the wrong thing.
PERSON = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|said|says|born|director|author|by [A-Z]|[A-Z][a-z]+ [A-Z]\. [A-Z]|et al)\b")


def names_somebody(sentence):
    """By the list of names: a given name, or a surname that does or has something."""
    words = re.findall(r"[^\W\d_]+|[^\w\s]", sentence)
    for at, word in enumerate(words):
        letters = letters_of.get(word.lower(), "")
        if not word[0].isupper() or "c" in letters or "t" in letters:
            continue
        if "g" in letters and "f" not in letters:
            return True
        after = words[at + 1] if at + 1 < len(words) else ""
        if "s" in letters and (re.fullmatch(r"\w+ed|has|had|was|is|who|and|will|would|argues|notes|says|writes|points", after) or after[:1].isupper()):
            return True
    return False


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
                    elif not re.search(r"\b(?:he|she|him|his|her|hers)\b", sentence, re.I) and not names_somebody(sentence):
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
