"""Everyday sentences of Tatoeba (CC BY 2.0 FR, its contributors; as selected in facebookresearch/LASER): those that name nobody, and those
about Tom as templates.

usage: tatoeba.py PAIRS.jsonl.zst OUT.jsonl        PAIRS: {language code: text} a line, made by ../static/parallel.py
A line of OUT: `text` with `{n}` where Tom stood, `language`, and `held_out` for the sentences that training does not see.
"""
import json, re, subprocess, sys, zlib

LANGUAGES = {"rus": "ru", "ukr": "uk", "bul": "bg", "mkd": "bg", "srp": "bg", "ell": "el", "ara": "ar", "pes": "fa", "heb": "he", "hin": "hi", "mar": "hi", "tha": "th", "cmn": "zh", "jpn": "ja", "kor": "ko"}
TOM = {"ru": "Том", "uk": "Том", "bg": "Том", "el": "Τομ", "ar": "توم|سامي|ليلى", "fa": "تام", "he": "טום|תום", "hi": "टॉम|टाँम", "th": "ทอม", "zh": "汤姆|湯姆", "ja": "トム", "ko": "톰"}
ENGLISH = re.compile(r"\b(?:Tom|Sami|Layla)\b")
# Words with a capital that are no persons.
PLAIN = re.compile(r"\b(?:I|I'm|I'll|I've|I'd|English|French|German|Japanese|Chinese|Spanish|American|Boston|Australia|Japan|Tokyo|Paris|London|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|TV|God|Christmas)\b")

pairs, out = sys.argv[1:3]
counts, seen = {}, set()
with open(out, "w", encoding="utf-8") as target:
    for line in subprocess.run(["zstdcat", pairs], capture_output=True).stdout.decode().split("\n"):
        record = json.loads(line) if line else {}
        english = record.get("en", "")
        rest = PLAIN.sub("", ENGLISH.sub("", english))
        # After the first word any other capital may be somebody's.
        if re.search(r"\S\s+\S*[A-Z]", re.sub(r"[.!?]\s+[A-Z]", ". x", rest)) or re.match(r"(?:Mary|John|Fadil|Bob|Jim|Mike|Ken|Jane|Bill|Nancy|Mennad|Ziri|Yanni)\b", english):
            continue
        for code, language in LANGUAGES.items():
            text = record.get(code)
            if not text or text in seen or re.search("[A-Za-z{]", text):
                continue
            seen.add(text)
            tom = re.compile(TOM[language] if language in ("th", "zh", "ja", "ko") else rf"(?<!\w)(?:{TOM[language]})(?!\w)")
            named = bool(ENGLISH.search(english))
            # An inflected Tom, or another name: neither a template nor impersonal.
            if named != bool(tom.search(text)):
                continue
            text = tom.sub("{n}", text)
            held_out = zlib.crc32(text.encode()) % 7 == 0
            counts.setdefault(language, [0, 0])[named] += 1
            target.write(json.dumps({"text": text, "language": language, "held_out": held_out}, ensure_ascii=False) + "\n")
print(counts)
