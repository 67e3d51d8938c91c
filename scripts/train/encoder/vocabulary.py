"""Chooses which pieces of the model's vocabulary stay: the table of 250,002 pieces is two thirds of all weights, and most
of its rows stand for forms that few texts hold. Word lists serve as a measure alone: no word of theirs is kept."""

import unicodedata
from collections import defaultdict

import numpy as np
import wordfreq
from tokenizers import Tokenizer, models

from weights import Packed

SPECIAL = 4  # begin, pad, end, unknown; the mask, which stands last in the original, is never fed.
SPACE = "▁"
# Words per language; the lists hold up to 330,000, whose tail is misspelled.
WORDS = 100_000
# Share of a language's words, by the square root of their frequency, whose pieces stay. The root because rare words are
# what is searched for. Languages in Latin letters keep much of each other's pieces, the others have theirs to themselves.
LISTED_SHARE = {"LATIN": 0.80}
ALONE_SHARE = 0.92
# Share of the probability of a script that no list covers.
UNLISTED_SHARE = 0.85
# Log-probability from which a piece stays whatever the lists say: they lack half of the languages.
COMMON = -12.3
# Words that begin a sentence, or are names.
CAPITALIZED = 0.2
WITHOUT_SPACES = {"ja", "zh"}
# Scripts of which a list covers some language; for the others the model's own probabilities are all there is.
LISTED_SCRIPTS = {"LATIN", "CYRILLIC", "CJK", "ARABIC", "DEVANAGARI", "HANGUL", "GREEK", "HEBREW", "TAMIL", "BENGALI",
                  "HIRAGANA", "KATAKANA", ""}


def choose(packed: Packed) -> np.ndarray:
    """Ids in the original's order; the special pieces are the first four."""
    keep = np.array([len(piece.replace(SPACE, "")) <= 1 for piece in packed.pieces])
    keep |= packed.scores >= COMMON
    letters = np.array([script(piece) != "" for piece in packed.pieces])
    for usage in usages(packed).values():
        written = script(packed.pieces[int(np.argmax(usage * letters))])
        keep[_covering(usage, LISTED_SHARE.get(written, ALONE_SHARE))] = True
    scripts = defaultdict(list)
    for id in range(SPECIAL, len(packed.pieces) - 1):
        scripts[script(packed.pieces[id])].append(id)
    for name, ids in scripts.items():
        if name not in LISTED_SCRIPTS:
            keep[np.array(ids)[_covering(np.exp(packed.scores[ids]), UNLISTED_SHARE)]] = True
    keep[:SPECIAL] = True
    keep[-1] = False
    return np.flatnonzero(keep)


def usages(packed: Packed) -> dict[str, np.ndarray]:
    """How often the words of each language use each piece of the original."""
    tokenizer = segmenter(packed, np.arange(len(packed.pieces) - 1))
    found = {}
    for language in sorted(wordfreq.available_languages("small")):
        words, weights = word_list(language)
        usage = np.zeros(len(packed.pieces))
        for encoding, weight in zip(tokenizer.encode_batch(words, add_special_tokens=False), weights):
            usage[encoding.ids] += np.sqrt(weight)
        usage[:SPECIAL] = 0
        found[language] = usage
    return found


def word_list(language: str, count: int = WORDS) -> tuple[list[str], list[float]]:
    """The language's commonest words as they stand in text, with and without a capital or a space before them, and how
    frequent each form is."""
    listed = sorted(wordfreq.get_frequency_dict(language, "best").items(), key=lambda entry: -entry[1])[:count]
    forms, weights = [], []
    for word, frequency in listed:
        other = word if language in WITHOUT_SPACES else SPACE + word[:1].upper() + word[1:]
        share = {SPACE + word: 0, word: 0.9}.get(other, CAPITALIZED)
        forms += [SPACE + word, other]
        weights += [frequency * (1 - share), frequency * share]
    return forms, weights


def segmenter(packed: Packed, ids: np.ndarray) -> Tokenizer:
    """Splits words into these pieces, numbered by their place in `ids`."""
    return Tokenizer(models.Unigram([(packed.pieces[id], float(packed.scores[id])) for id in ids], unk_id=3))


def script(piece: str) -> str:
    """The first word of the Unicode name of its first letter; empty where it holds none."""
    letter = next((character for character in piece if character.isalpha()), None)
    return unicodedata.name(letter, "?").split(" ")[0] if letter else ""


def _covering(usage: np.ndarray, share: float) -> np.ndarray:
    """The fewest indexes that hold this share of the whole."""
    order = np.argsort(-usage, kind="stable")
    covered = np.cumsum(usage[order])
    return order[:int((covered < share * covered[-1]).sum()) + 1]
