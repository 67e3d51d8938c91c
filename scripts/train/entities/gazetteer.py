"""Makes the model's list of known words, words.tsv: what a word may be, besides what its sentence says.

usage: gazetteer.py OUT.tsv COMMON.txt FOREIGN.txt FAKER_NAMES.tsv CENSUS_FOLDER WORDNET.jsonl.zst TEXT.jsonl.zst...

FAKER_NAMES.tsv: `given` or `surname`, a tab, the name (sentences.ts writes it); CENSUS_FOLDER: dist.all.last,
dist.female.first, dist.male.first as in the PyPI package `names` (US census 1990, public domain). One line per class in
OUT: its letters, a tab, the words. Letters: g given name, s surname, c common English word, f common word of another
language, t thing or place (WordNet; brands.txt, companies, clubs and programs; words that the TEXTs write with a capital amid sentences).
"""
import collections, json, re, subprocess, sys, zlib
from pathlib import Path

out, common_file, foreign_file, faker_file, census, wordnet, texts = *sys.argv[1:7], sys.argv[7:]
CENSUS_SURNAMES, MIN_THING = 40_000, 6
classes = collections.defaultdict(set)


def lines(path):
    return open(path, encoding="utf-8").read().split("\n")


def records(path):
    with subprocess.Popen(["zstdcat", path], stdout=subprocess.PIPE, text=True, encoding="utf-8") as pipe:
        for line in pipe.stdout:
            yield json.loads(line)


def add(letter, name):
    for word in re.split(r"[ -]", name):
        word = re.sub(r"['’]s$", "", word.lower())
        if re.fullmatch(r"[^\W\d_][^\W\d_\u0300-\u036f'’]+", word) and len(word) > 1:
            classes[word].add(letter)


# One name in ten is kept out, so that the model also sees names that no list holds.
known = lambda name: zlib.crc32(name.lower().encode()) % 10 != 0
for line in lines(faker_file):
    if line:
        kind, name = line.split("\t")
        if known(name):
            add(kind[0], name)
for file, letter, most in (("dist.all.last", "s", CENSUS_SURNAMES), ("dist.female.first", "g", None), ("dist.male.first", "g", None)):
    for line in lines(f"{census}/{file}")[:most]:
        if line and known(line.split()[0]):
            add(letter, line.split()[0])
for word in lines(common_file):
    if word:
        classes[word].add("c")
for word in lines(foreign_file):
    if word:
        classes[word].add("f")

# WordNet writes proper nouns with a capital; those of persons say so in their gloss.
PERSON = re.compile(r"\(\d{3,4}|\(born|\bborn in\b|century (?:BC|B\.C\.)|\b(?:king|queen|emperor|saint|pope|writer|painter|composer|poet|philosopher|leader|author|physicist|general|actor|actress|singer|statesman)\b")
for record in records(wordnet):
    lemmas, gloss = record[0], record[-1]
    if PERSON.search(gloss):
        continue
    for lemma in lemmas.split(", "):
        parts = lemma.replace("genus ", "").replace("family ", "").replace("order ", "").split()
        for part in parts:
            if re.match(r"[A-Z][a-z]{2,}", part) and (len(parts) == 1 or not classes[part.lower()] & {"g", "s"}):
                add("t", part)
for word in open(Path(__file__).parent / "brands.txt", encoding="utf-8").read().split():
    for part in re.split(r"[-']", word):
        add("t", part)
amid, small = collections.Counter(), collections.Counter()
for path in texts:
    for number, record in enumerate(records(path)):
        if number > 30_000:
            break
        for text in record[1:]:
            for sentence in re.split(r"[.!?:;\n]\s+", text):
                words = re.findall(r"(?<![\w'’.@/-])[A-Za-z][\w'’]*(?![\w.@/-]\w)", sentence)
                for before, word in zip(words, words[1:]):
                    if word[0].islower():
                        small[word.lower()] += 1
                    # After a capital it may be a surname.
                    elif re.fullmatch(r"[A-Z][A-Za-z]{2,}", word) and before[0].islower() and before not in ("by", "and", "with"):
                        amid[word.lower()] += 1
for word, n in amid.items():
    if n >= MIN_THING and n > small[word] and not classes.get(word, set()) & {"g", "s"}:
        classes[word].add("t")

by_class = collections.defaultdict(list)
for word, letters in classes.items():
    letters = "".join(sorted(letters))
    if letters and "\t" not in word:
        by_class[letters].append(word)
with open(out, "w", encoding="utf-8") as target:
    for letters, words in sorted(by_class.items()):
        target.write(f"{letters}\t{' '.join(sorted(words))}\n")
print({letters: len(words) for letters, words in by_class.items()})
