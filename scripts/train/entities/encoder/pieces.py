"""How a text reaches the entity encoder: atoms as the product cuts them, and the pieces of multilingual-e5-small that each is made of.

The same cut as src/backends/entity-pieces.ts, which also reads words in capitals as if they had one; test/backends/entity-encoder.test.ts compares both.
"""
import json, re, unicodedata
from pathlib import Path

from tokenizers import Tokenizer, models

SPACE = "▁"
BEGIN, PAD, END, UNKNOWN = range(4)
# Han, kana and Hangul: each character is an atom, since names have no edges in white space there. Thai letters say
# nothing alone: a run of them is cut into pieces, and each piece is an atom.
SINGLE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
THAI = "\u0e00-\u0e7f"


def atoms(text):
    """(start, end, written) of each atom, before Thai runs are cut."""
    found, at = [], 0
    while at < len(text):
        character = text[at]
        kind = _kind(character)
        end = at + 1
        if kind in ("letters", "digits", "thai"):
            while end < len(text) and _kind(text[end]) == kind:
                end += 1
        if kind != "blank":
            found.append((at, end, text[at:end]))
        at = end
    return found


def _kind(character):
    if character == "\n":
        return "newline"
    if re.match(f"[{SINGLE}]", character):
        return "single"
    if re.match(f"[{THAI}]", character):
        return "thai"
    if character.isspace():
        return "blank"
    category = unicodedata.category(character)
    if category[0] in "LM":
        return "letters"
    return "digits" if category == "Nd" else "sign"


class Pieces:
    def __init__(self, folder):
        """@param folder models/multilingual-e5-small"""
        vocabulary = json.loads((Path(folder) / "tokenizer.json").read_text(encoding="utf8"))["model"]["vocab"]
        self.ids = {piece: at for at, (piece, _) in enumerate(vocabulary)}
        self._unigram = Tokenizer(models.Unigram([(piece, score) for piece, score in vocabulary], unk_id=UNKNOWN))
        self._known = {}

    def encode(self, text):
        """(start, end, ids) of each atom."""
        result = []
        for start, end, word in atoms(text):
            kind = _kind(word[0])
            if kind == "newline":
                result.append((start, end, [END]))
            elif kind == "single":
                result.append((start, end, [self.ids.get(word, UNKNOWN)]))
            elif kind == "thai":
                result += [(start + a, start + b, [id]) for a, b, id in self._cut(word)]
            else:
                result.append((start, end, self._word(word)))
        return result

    def _word(self, word):
        known = self._known.get(word)
        if known is None:
            encoding = self._unigram.encode(SPACE + unicodedata.normalize("NFKC", word))
            ids = encoding.ids
            # A lone mark of the space says nothing.
            known = self._known[word] = ids[1:] if len(ids) > 1 and encoding.tokens[0] == SPACE else ids
        return known

    def _cut(self, run):
        """(start, end, id) of the pieces of a run; their edges are those of its characters, normalized one by one."""
        forms = [unicodedata.normalize("NFKC", character) for character in run]
        encoding = self._unigram.encode(SPACE + "".join(forms))
        ends, total = [], 0
        for form in forms:
            total += len(form)
            ends.append(total)
        pieces, at, start = [], 0, 0
        for id, token in zip(encoding.ids, encoding.tokens):
            at += len(token) - (token.startswith(SPACE))
            # A piece may end amid a character that normalizes to two.
            end = sum(1 for e in ends if e <= at)
            if end > start:
                pieces.append((start, end, id))
                start = end
        return pieces


# What test/backends/entity-encoder.test.ts compares with.
SAMPLES = [
    "Иван Петров-Водкин, д. 17", "Ελένη Δημητρίου\n10563 Αθήνα", "طلبت مريم الخطيب تأجيل الاجتماع.", "ב־3 במאי חתם דוד כהן (מנכ\"ל)", "अनीता जोशी ने ४५ पन्ने पढ़े।",
    "น.ส.สมศรี ทองคำ ทำงานที่นี่ 3 วัน", "买卖合同由王建国和John Smith签署。", "「佐藤さん」は ﾃｽﾄ ㌔を読む", "강현우는 2024년에 ½ 이사했다", "ﬁne Ｗｉｄｅ text, e\u0301 ☺ \u0600",
]

if __name__ == "__main__":
    import sys

    from encoder import table_of, weights

    folder, packed, out = sys.argv[1:]
    pieces = Pieces(folder)
    table = table_of(weights.read(Path(packed)), pieces)
    rows = {id: [round(value, 6) for value in table[id][:40].tolist()] for id in (3, 4, 777, len(table) - 1)}
    samples = [{"text": text, "atoms": pieces.encode(text)} for text in SAMPLES]
    json.dump({"samples": samples, "rows": rows}, open(out, "w", encoding="utf8"), ensure_ascii=False)
