"""The tokenizer in Python: BERT's normalizer, its pre-tokenizer and greedy WordPiece.

Kept equal to what `tokenizer.json` makes transformers.js do; `parity.ts` compares the two on the finished model.
"""

import re
import unicodedata
from collections.abc import Callable

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNKNOWN, CLS = 0, 1, 2
MAX_WORD_CHARS = 100


def _char_class(belongs: Callable[[str], bool]) -> str:
    """A regular-expression character class of every code point below U+20000 that belongs."""
    ranges, start = [], None
    for code in range(0x20001):
        inside = code < 0x20000 and belongs(chr(code))
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)


_category = unicodedata.category
_PUNCTUATION = r"!-/:-@\[-`{-~" + _char_class(lambda c: _category(c)[0] == "P")
_CJK = "\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff\\U00020000-\\U0002ceaf"
_WORD = re.compile(f"[{_CJK}]|[^\\s{_PUNCTUATION}{_CJK}]+|[{_PUNCTUATION}]")
_MARK = re.compile("[" + _char_class(lambda c: _category(c) == "Mn") + "]")
_CONTROL = re.compile("[" + _char_class(lambda c: _category(c) in ("Cc", "Cf", "Co") and c not in "\t\n\r") + "\ufffd]")


def words(text: str) -> list[str]:
    text = _CONTROL.sub("", text)
    if not text.isascii():
        text = _MARK.sub("", unicodedata.normalize("NFD", text))
    return _WORD.findall(text.lower())


class WordPiece:
    def __init__(self, vocabulary: list[str]):
        self.ids = {piece: index for index, piece in enumerate(vocabulary)}
        self.longest = max(map(len, vocabulary))
        self.known: dict[str, list[int]] = {}

    def word(self, word: str) -> list[int]:
        pieces = self.known.get(word)
        if pieces is None:
            pieces = self.known[word] = self._split(word)
        return pieces

    def _split(self, word: str) -> list[int]:
        if len(word) > MAX_WORD_CHARS:
            return [UNKNOWN]
        pieces, start = [], 0
        while start < len(word):
            end = min(len(word), start + self.longest)
            while end > start:
                piece = self.ids.get(("##" if start else "") + word[start:end])
                if piece is not None:
                    break
                end -= 1
            else:
                return [UNKNOWN]
            pieces.append(piece)
            start = end
        return pieces

    def encode(self, text: str, limit: int | None = None) -> list[int]:
        out: list[int] = []
        for word in words(text):
            out += self.word(word)
            if limit is not None and len(out) >= limit:
                return out[:limit]
        return out
