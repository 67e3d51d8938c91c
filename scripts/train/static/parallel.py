"""Makes the parallel text of the multilingual model: `parallel.py INPUTS OUT`.

A record is one text in several languages, `{"en": "…", "de": "…"}`; a source is `OUT/<name>.jsonl.zst`. INPUTS has a
folder per source, as README.md lists; a source whose folder is missing is left out. Every source is under a permissive
licence or in the public domain; sources.tsv says which.
"""

import gettext
import html
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as tree
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

Record = dict[str, str]
# Shorter texts ("OK") are in every language the same; longer ones are cut when they are encoded.
MIN_LETTERS = 3
_PLACEHOLDER = re.compile(r"%\d*\$?[\w(][\w)]*|\{[^{}]*\}|<[^<>]*>|\[%key:[^%]*%\]|\\n|\\")


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(_PLACEHOLDER.sub(" ", text)).replace("\\'", "'")).strip()


def _language(name: str) -> str:
    """A language tag without its country, except where the script depends on it."""
    name = name.replace("_", "-").replace("-r", "-")
    if name.lower().startswith("zh"):
        return "zh-hant" if re.search(r"hant|tw|hk", name, re.I) else "zh"
    return {"iw": "he", "in": "id", "ji": "yi", "no": "nb", "nb": "nb"}.get(name.split("-")[0], name.split("-")[0])


def _flat(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}")
    elif isinstance(value, str):
        yield key, value


def _joined(texts: dict[str, dict[str, str]]) -> Iterator[Record]:
    """Records from `{language: {key: text}}`, where the English text has something to say."""
    keys: defaultdict[str, Record] = defaultdict(dict)
    for language, entries in texts.items():
        for key, text in entries.items():
            if text := _clean(text):
                keys[key].setdefault(language, text)
    seen = set()
    for record in keys.values():
        english = record.get("en", "")
        if sum(char.isalpha() for char in english) < MIN_LETTERS or english in seen:
            continue
        seen.add(english)
        # An untranslated entry repeats the English one.
        record = {language: text for language, text in record.items() if language == "en" or text != english}
        if len(record) > 1:
            yield record


def json_files(folder: Path) -> Iterator[Record]:
    """Home Assistant: one JSON of nested keys per language, `<language>.json` or `<language>-<hash>.json`."""
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(folder.rglob("*.json")):
        name = re.sub(r"-[0-9a-f]{32}$", "", file.stem)
        if not re.fullmatch(r"[a-z]{2,3}([-_]\w+)?", name):
            continue
        for key, text in _flat(json.loads(file.read_text(encoding="utf8")), str(file.parent)):
            if _language(name) != "en" or name == "en":
                texts[_language(name)].setdefault(key, text)
    return _joined(texts)


def catalogs(folder: Path) -> Iterator[Record]:
    """Django and friends: compiled gettext catalogs, `<language>/LC_MESSAGES/*.mo`; the key is the English text."""
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(folder.rglob("LC_MESSAGES/*.mo")):
        language = _language(file.parent.parent.name)
        with open(file, "rb") as stream:
            messages = gettext.GNUTranslations(stream)._catalog
        for key, text in messages.items():
            key = key[0] if isinstance(key, tuple) else key
            key = key.split("\x04")[-1]
            if key and text and language != "en":
                texts["en"][key] = key
                texts[language].setdefault(key, text)
    return _joined(texts)


def android(folder: Path) -> Iterator[Record]:
    """Android apps: `res/values-<language>/*strings.xml`."""
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(folder.rglob("values*/*strings.xml")):
        suffix = file.parent.name.removeprefix("values").removeprefix("-").replace("b+", "").replace("+", "-")
        if suffix and not re.fullmatch(r"[a-z]{2,3}(-\w+)?", suffix):
            continue
        language = _language(suffix) if suffix else "en"
        if suffix and language == "en":
            continue
        try:
            root = tree.parse(file).getroot()
        except tree.ParseError:
            continue
        where = str(file.parent.parent)
        for entry in root.iter("string"):
            texts[language].setdefault(f"{where}.{entry.get('name')}", "".join(entry.itertext()).strip('"'))
    return _joined(texts)


def _blocks(text: str) -> list[str]:
    """The paragraphs of a Markdown page without its code; a code block counts, so that two languages stay in step."""
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```", "```", text, flags=re.S)
    text = re.sub(r"\{/\*.*?\*/\}", "", text, flags=re.S)
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def _prose(block: str) -> str:
    block = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
    block = re.sub(r"<[^<>]*>|[`*#>|_]+", " ", block)
    return re.sub(r"\s+", " ", html.unescape(block)).strip()


def pages(folder: Path) -> Iterator[Record]:
    """Markdown in `<language>/…`, the same page under the same path: paragraphs of pages that have as many as the English."""
    names = {_language(path.name): path for path in sorted(folder.iterdir()) if path.is_dir()}
    english = names.pop("en")
    for file in sorted(english.rglob("*.md*")):
        original = _blocks(file.read_text(encoding="utf8"))
        records: list[Record] = [{"en": _prose(block)} for block in original]
        for language, root in names.items():
            other = root / file.relative_to(english)
            blocks = _blocks(other.read_text(encoding="utf8")) if other.exists() else []
            if len(blocks) != len(original):
                continue
            for record, block in zip(records, blocks):
                if (text := _prose(block)) and text != record["en"]:
                    record[language] = text
        yield from (record for record in records if len(record) > 1 and len(record["en"]) > 20)


def sentences(folder: Path) -> Iterator[Record]:
    """Tatoeba sentences as LASER pairs them: `tatoeba.<xxx>-eng.<xxx>` beside `.eng`, line by line."""
    for file in sorted(folder.glob("tatoeba.*-eng.eng")):
        code = file.name.split(".")[1].split("-")[0]
        other = file.with_suffix("." + code)
        for english, text in zip(file.read_text(encoding="utf8").splitlines(),
                                 other.read_text(encoding="utf8").splitlines()):
            yield {"en": english.strip(), code: text.strip()}


def _senses(folder: Path) -> dict[str, tuple[list[str], str]]:
    """`{"00001740-n": (lemmas, gloss)}` of WordNet 3.0's data files."""
    found = {}
    for kind, name in {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}.items():
        for line in (folder / f"data.{name}").read_text(encoding="utf8").splitlines():
            if line.startswith("  "):
                continue
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            lemmas = [fields[4 + 2 * at].replace("_", " ").split("(")[0] for at in range(int(fields[3], 16))]
            found[f"{fields[0]}-{kind}"] = (lemmas, gloss.split('; "')[0].strip())
    return found


def wordnets(folder: Path) -> Iterator[Record]:
    """Open Multilingual Wordnet: the words of each sense in every language, and the English gloss as one more."""
    words: defaultdict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(folder.rglob("wn-data-*.tab")):
        language = file.stem.rsplit("-", 1)[1]
        for line in file.read_text(encoding="utf8").splitlines():
            fields = line.split("\t")
            if len(fields) >= 3 and not line.startswith("#") and fields[1].split(":")[-1] == "lemma":
                word = fields[2].replace("_", " ").strip()
                if word and word not in words[fields[0]][language]:
                    words[fields[0]][language].append(word)
    for sense, (lemmas, gloss) in _senses(folder / "english").items():
        others = words.get(sense) or words.get(sense.replace("-a", "-s"), {})
        record = {language: ", ".join(found[:4]) for language, found in others.items()}
        yield {"en": ", ".join(lemmas[:4]), "en-gloss": f"{lemmas[0]}: {gloss}", **record}


# Verses of the public-domain Bibles that make one text, several together: longer than a screen's strings.
VERSES = 3


def _verses(module: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """(testament and number, text) of each verse of a compressed SWORD module: `.bzv` says where in which block of
    `.bzz` it stands, `.bzs` where the blocks are. Modules of one versification number alike; KJV and NRSV differ by two verses near the end."""
    names = {Path(name).name: name for name in module.namelist()}
    for testament in ("ot", "nt"):
        if f"{testament}.bzv" not in names:
            continue
        blocks, verses, data = (module.read(names[f"{testament}.{end}"]) for end in ("bzs", "bzv", "bzz"))
        texts = [zlib.decompress(data[offset:offset + size])
                 for offset, size, _ in struct.iter_unpack("<III", blocks)]
        for number, (block, start, length) in enumerate(struct.iter_unpack("<IIH", verses)):
            if length:
                yield f"{testament}{number}", texts[block][start:start + length].decode("utf8", "replace")


def bibles(folder: Path) -> Iterator[Record]:
    """SWORD modules as zip files named `<language>.zip`, all in the public domain by their own .conf."""
    texts: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(file) as module:
            conf = module.read(next(name for name in module.namelist() if name.endswith(".conf"))).decode("latin1")
            if not re.search(r"^Versification=(?!(KJV|NRSV)A?\s*$)", conf, re.M):
                for key, text in _verses(module):
                    testament, number = key[:2], int(key[2:])
                    texts[f"{testament}{number // VERSES}"][file.stem].append(_prose(text))
    for found in texts.values():
        record = {language: " ".join(parts).strip() for language, parts in found.items()}
        record = {language: text for language, text in record.items() if len(text) > 20}
        if "en" in record and len(record) > 1:
            yield record


SOURCES: dict[str, Callable[[Path], Iterator[Record]]] = {
    "home-assistant-frontend": json_files,
    "home-assistant-core": json_files,
    "django": catalogs,
    "wagtail": catalogs,
    "superset": catalogs,
    "android-apps": android,
    "electron-docs": pages,
    "react-docs": pages,
    "tatoeba": sentences,
    "wordnets": wordnets,
    "bibles": bibles,
}


def main(inputs: Path, out: Path, *only: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, read in SOURCES.items():
        if not (inputs / name).exists() or (only and name not in only):
            continue
        lines = [json.dumps(record, ensure_ascii=False) for record in read(inputs / name)]
        compressor = ["zstd", "-q", "-f", "-o", str(out / f"{name}.jsonl.zst")]
        subprocess.run(compressor, input="\n".join(lines).encode(), check=True)
        print(name, len(lines), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
