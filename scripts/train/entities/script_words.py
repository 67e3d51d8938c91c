"""Makes the list of known words for scripts other than Latin, words.tsv, as gazetteer.py does for Latin.

usage: script_words.py OUT.tsv SEGMENTED.tsv TEXTS.jsonl…     (SOURCES as for script_sentences.py; SEGMENTED by script-words.ts)
"""
import collections, json, os, re, subprocess, sys

SOURCES = os.environ["SOURCES"]
sys.path.insert(0, f"{SOURCES}/faker")
from script_names import FREQUENT, Names, inflect  # noqa: E402
from script_places import Places  # noqa: E402
from script_sentences import LANGUAGES  # noqa: E402
from wordpieces import SINGLE_ATOM, plain  # noqa: E402

out, segmented, texts = sys.argv[1], sys.argv[2], sys.argv[3:]
PARTICLE = re.compile("(?:으로|에서|에게|부터|까지|이다|하다|하는|합니다|입니다|[을를이가은는에의로과와도])$")
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
    for name in places.things:
        add("c", name)
small = collections.Counter()
for path in texts:
    for line in open(path, encoding="utf-8"):
        text = plain(json.loads(line)["text"])
        for word in re.findall(r"[^\W\d_]+(?:[\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*", text):
            if not re.search("[A-Za-z]", word) and (word.islower() or word.lower() == word) and "{" not in text:
                small[word] += 1
for word, n in small.items():
    if n >= 2 and len(word) > 1:
        if SINGLE_ATOM.match(word):
            # Of scripts of single characters only Korean writes words apart; its particles cling to them.
            if re.fullmatch("[\uac00-\ud7a3]+", word):
                for form in {word, PARTICLE.sub("", word)}:
                    if len(form) > 1:
                        classes[form].add("c")
        else:
            classes[word].add("c")
for line in open(segmented, encoding="utf-8"):
    word, n = line.rstrip("\n").split("\t")
    if int(n) >= 2 and (len(word) > 1 or word not in classes):
        classes[word].add("c")
# Open wordnets that may be shipped: Chinese and Hebrew (licence of WordNet), Greek (Apache-2.0). Persons have a capital in English.
for line in subprocess.run(["zstdcat", f"{SOURCES}/pairs/wordnets.jsonl.zst"], capture_output=True).stdout.decode().split("\n"):
    record = json.loads(line) if line else {}
    if record.get("en", "").islower():
        for code in ("cmn", "heb", "ell"):
            for word in record.get(code, "").split(", "):
                word = re.sub("[\u0591-\u05c7]", "", plain(word)).lower()
                if len(word) > 1 and " " not in word and not re.search("[A-Za-z0-9+-]", word):
                    classes[word].add("c")
by_class = collections.defaultdict(list)
for word, letters in classes.items():
    # Both a name and an ordinary word: where no capital tells, the ordinary word is meant more often.
    by_class["".join(sorted(letters))].append(word)
with open(out, "w", encoding="utf-8") as target:
    for letters, words in sorted(by_class.items()):
        target.write(f"{letters}\t{' '.join(sorted(words))}\n")
print({letters: len(words) for letters, words in by_class.items()}, os.path.getsize(out))
