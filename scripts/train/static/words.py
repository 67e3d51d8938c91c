"""Makes the vocabulary: `words.py TOKENIZER_FOLDER ENGLISH_MODEL PARALLEL OUT`.

The shared pieces in lower case, text split around punctuation, and whole words added: those of the English model, those of
the thesaurus, and the commonest that the pieces cut in other languages. A transformer puts "▁in vo ice" together again, and
knows that "Invoice" and "(invoice" are the same; a static model cannot. `OUT/rows.npy` says which row of the shared
vocabulary each piece came from, for teacher.py's vectors.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
import thesaurus  # noqa: E402
from records import read as read_records  # noqa: E402

SPECIAL = 4
OTHER_WORDS = 9_000
MIN_LETTERS, MAX_LETTERS = 4, 20
# Above any sum of two pieces' log-probabilities, below that of the commonest words: a listed word stays whole.
SCORE, INNER_SCORE = -10.0, -10.5
SPACE, INNER = "▁", "##"
_WORD = re.compile(r"[^\W\d_]{%d,%d}" % (MIN_LETTERS, MAX_LETTERS))


class Vocabulary:
    def __init__(self, content: dict):
        self.entries: list[list] = []
        self.rows: list[int] = []
        self.known: dict[str, int] = {}
        for row, (piece, score) in enumerate(content["model"]["vocab"]):
            self._fold(row, piece if row < SPECIAL else piece.lower(), score, piece)

    def _fold(self, row: int, lower: str, score: float, piece: str) -> None:
        at = self.known.setdefault(lower, len(self.entries))
        if at == len(self.entries):
            self.entries.append([lower, score])
            self.rows.append(row)
        elif lower == piece:
            self.rows[at] = row
        self.entries[at][1] = max(self.entries[at][1], score)

    def add(self, piece: str, score: float) -> None:
        if self.known.setdefault(piece, len(self.entries)) == len(self.entries):
            self.entries.append([piece, score])


def other_words(folder: Path, tokenizer: Tokenizer) -> list[str]:
    """The words whose wholeness saves most pieces, in languages other than English."""
    counts: Counter[str] = Counter()
    for _, record in read_records(folder):
        for language, text in record.items():
            if not language.startswith("en"):
                counts.update(word for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower())
                              if not word.isascii())
    words = [word for word, _ in counts.most_common(OTHER_WORDS * 12)]
    saved = [(counts[word] * (len(found.ids) - 1), word)
             for word, found in zip(words, tokenizer.encode_batch(words, add_special_tokens=False))]
    return [word for gain, word in sorted(saved, reverse=True)[:OTHER_WORDS] if gain > 0]


def main(base: Path, english: Path, parallel: Path, out: Path) -> None:
    content = json.loads((base / "tokenizer.json").read_text(encoding="utf8"))
    vocabulary = Vocabulary(content)
    content["model"]["vocab"] = vocabulary.entries
    content["normalizer"] = {"type": "Sequence", "normalizers": [content["normalizer"], {"type": "Lowercase"}]}
    white, space = content["pre_tokenizer"]["pretokenizers"]
    content["pre_tokenizer"]["pretokenizers"] = [white, {"type": "Punctuation", "behavior": "Contiguous"}, space]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    for word in json.loads((english / "tokenizer.json").read_text(encoding="utf8"))["model"]["vocab"]:
        letters = word.removeprefix(INNER)
        if letters.isascii() and letters.isalpha() and len(letters) >= MIN_LETTERS:
            vocabulary.add(letters if letters != word else SPACE + word, INNER_SCORE if letters != word else SCORE)
    office = {word for line in thesaurus.lines() for phrase in line for word in phrase.split() if word.isalpha()}
    for word in [*other_words(parallel, tokenizer), *sorted(office)]:
        vocabulary.add(SPACE + word.lower(), SCORE)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    (out / "tokenizer.json").write_text(text, encoding="utf8")
    np.save(out / "rows.npy", np.array(vocabulary.rows))
    print(len(vocabulary.rows), "shared pieces,", len(vocabulary.entries), "in all")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
