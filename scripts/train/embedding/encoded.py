"""Token ids of all pairs as flat arrays: small enough (about 250 MB) to keep in memory while training."""

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import pairs
import thesaurus
from mixture import THESAURUS
from wordpiece import WordPiece

# Longer texts are cut: the training looks at 128 tokens of a passage at most, and drops some on the way.
MAX_TOKENS = 160
SEED = 7


@dataclass
class Texts:
    """`tokens[offsets[i]:offsets[i + 1]]` is text i."""
    tokens: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
        """The named texts, each cut at `limit` tokens, as (tokens, offsets)."""
        start = self.offsets[rows]
        length = np.minimum(self.offsets[rows + 1] - start, limit)
        offsets = np.concatenate([[0], np.cumsum(length)])
        position = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - start, length)
        return self.tokens[position].astype(np.int64), offsets


@dataclass
class Source:
    queries: Texts
    passages: Texts


def join(parts: list[Source]) -> Source:
    """The pairs of several sources as one."""
    def one(texts: list[Texts]) -> Texts:
        shifts = np.cumsum([0] + [len(part.tokens) for part in texts[:-1]])
        offsets = [np.zeros(1, np.int64)] + [part.offsets[1:] + shift for part, shift in zip(texts, shifts)]
        return Texts(np.concatenate([part.tokens for part in texts]), np.concatenate(offsets))
    return Source(one([part.queries for part in parts]), one([part.passages for part in parts]))


def _flat(texts: list[list[int]]) -> Texts:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return Texts(np.fromiter((token for text in texts for token in text), np.uint16, offsets[-1]), offsets)


def rows(folder: Path, source: str, form: str) -> Iterator[tuple[str, str]]:
    if source == THESAURUS:
        return thesaurus.phrase_pairs(SEED)
    rows = pairs.read(folder, source)
    if form == "cloze":
        return pairs.cloze(rows, SEED)
    return thesaurus.Rewording(SEED).pairs(rows) if form == "reworded" else rows


def _encode(job: tuple[Path, str, str, list[str], Path]) -> Path:
    folder, source, form, vocabulary, path = job
    tokenizer = WordPiece(vocabulary)
    queries, passages = [], []
    for query, passage in rows(folder, source, form):
        left, right = tokenizer.encode(query, MAX_TOKENS), tokenizer.encode(passage, MAX_TOKENS)
        if left and right:
            queries.append(left)
            passages.append(right)
    left_flat, right_flat = _flat(queries), _flat(passages)
    np.savez(path, q=left_flat.tokens, qo=left_flat.offsets, p=right_flat.tokens, po=right_flat.offsets)
    return path


def encode_all(folder: Path, wanted: set[tuple[str, str]], vocabulary: list[str], work: Path,
               threads: int) -> dict[tuple[str, str], Source]:
    """Encodes every wanted (source, form), or reads what an earlier run left in `work`."""
    path = {key: work / f"{key[0]}.{key[1]}.npz" for key in sorted(wanted)}
    jobs = [(folder, *key, vocabulary, file) for key, file in path.items() if not file.exists()]
    with Pool(threads) as pool:
        for done in pool.imap_unordered(_encode, jobs):
            print("encoded", done.stem, flush=True)
    sources = {}
    for key, file in path.items():
        saved = np.load(file)
        sources[key] = Source(Texts(saved["q"], saved["qo"]), Texts(saved["p"], saved["po"]))
    return sources
