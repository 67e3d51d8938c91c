"""Rewords text with phrases that mean nearly the same: the model then meets "vacation" where the text said "leave"."""

import random
from collections.abc import Iterator
from pathlib import Path

from wordpiece import words

FILE = Path(__file__).with_name("office-thesaurus.txt")
# Not every match: a query keeps some of its own words.
SWAP_SHARE = 0.75
# Pairs of phrases per line of the thesaurus.
PAIRS_PER_LINE = 40

Phrase = tuple[str, ...]


def lines() -> list[list[str]]:
    rows = FILE.read_text(encoding="utf8").splitlines()
    return [row.split(", ") for row in rows if row and not row.startswith("#")]


def phrase_pairs(seed: int) -> Iterator[tuple[str, str]]:
    """Two phrases of each line, then of each line again …: neighbouring pairs never come from the same line."""
    chance = random.Random(seed)
    groups = lines()
    for _ in range(PAIRS_PER_LINE):
        for group in groups:
            left, *right = chance.sample(group, min(len(group), 3))
            yield left, " ".join(right)


class Rewording:
    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        self.others: dict[Phrase, list[Phrase]] = {}
        for group in lines():
            for phrases in ([tuple(words(phrase)) for phrase in group], [_plural(words(phrase)) for phrase in group]):
                for phrase in phrases:
                    self.others.setdefault(phrase, []).extend(other for other in phrases if other != phrase)
        self.longest = max(map(len, self.others))

    def reword(self, text: str) -> str | None:
        """The text with known phrases swapped, or None where it has none."""
        given, out, changed, at = words(text), [], False, 0
        while at < len(given):
            for length in range(min(self.longest, len(given) - at), 0, -1):
                others = self.others.get(tuple(given[at:at + length]))
                if others and self.chance.random() < SWAP_SHARE:
                    out += self.chance.choice(others)
                    at += length
                    changed = True
                    break
            else:
                out.append(given[at])
                at += 1
        return " ".join(out) if changed else None

    def pairs(self, pairs: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for query, passage in pairs:
            reworded = self.reword(query)
            if reworded is not None:
                yield reworded, passage


def _plural(phrase: list[str]) -> Phrase:
    return (*phrase[:-1], phrase[-1] + "s")
