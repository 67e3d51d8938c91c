"""Makes the list of known words for scripts other than Latin, words.tsv, as gazetteer.py does for Latin.

usage: script_words.py OUT.tsv IMPERSONAL.jsonl SEGMENTED.tsv     (SOURCES as for script_sentences.py)
"""
import collections, json, os, re, sys

SOURCES = os.environ["SOURCES"]
sys.path.insert(0, f"{SOURCES}/faker")
from script_names import FREQUENT, Names, inflect  # noqa: E402
from script_places import Places  # noqa: E402
from script_sentences import LANGUAGES  # noqa: E402
from wordpieces import SINGLE_ATOM, plain  # noqa: E402

out, impersonal, segmented = sys.argv[1:4]
# Places of fewer people are left to the sentences.
classes = collections.defaultdict(set)
rows = [line.rstrip("\n").split("\t") for line in open(f"{SOURCES}/fakerjs.tsv", encoding="utf-8")]


def add(letter, name):
    for word in re.split(r"[ \-·・'’\"]", plain(name)):
        if word and not re.search(r"[A-Za-z0-9(),.]", word) and (len(word) > 1 or letter == "s" and SINGLE_ATOM.match(word)):
            classes[word.lower()].add(letter)


for language in LANGUAGES:
    names = Names(language, rows)
    for kind, by_gender in names.lists.items():
        letter = "s" if kind == "surname" else "g"
        for gender, listed in by_gender.items():
            for name in listed:
                if not (letter == "g" and len(name) == 1):
                    for case in {"ru": "ngdi", "uk": "ngdi", "el": "ngv"}.get(language, "n"):
                        add(letter, inflect(name, case, gender, kind, language))
    for name in FREQUENT.get(language, ""):
        add("s", name)
    places = Places(language, SOURCES)
    for name in places.home + places.world[:: 2 if language not in ("ru", "uk", "bg", "ar", "fa") else 12] + places.countries:
        add("t", name)
small = collections.Counter()
capital = collections.Counter()
for line in open(impersonal, encoding="utf-8"):
    text = plain(json.loads(line)["text"])
    for word in re.findall(r"[^\W\d_]+(?:[\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*", text):
        if not re.search("[A-Za-z]", word) and not SINGLE_ATOM.match(word):
            (small if word.islower() or word.lower() == word else capital)[word.lower()] += 1
for word, n in small.items():
    if n >= 3 and len(word) > 1:
        classes[word].add("c")
for line in open(segmented, encoding="utf-8"):
    word, n = line.rstrip("\n").split("\t")
    if int(n) >= 3 and (len(word) > 1 or word not in classes):
        classes[word].add("c")
by_class = collections.defaultdict(list)
for word, letters in classes.items():
    # Both a name and an ordinary word: where no capital tells, the ordinary word is meant more often.
    by_class["".join(sorted(letters))].append(word)
with open(out, "w", encoding="utf-8") as target:
    for letters, words in sorted(by_class.items()):
        target.write(f"{letters}\t{' '.join(sorted(words))}\n")
print({letters: len(words) for letters, words in by_class.items()}, os.path.getsize(out))
