"""Trains the static vectors: `train.py ENCODED START.npy OUT.npy [--english-start FIRST.npy] [--steps N …]`.

Multiple-negatives ranking, both ways, as for the English model (../embedding/contrastive.py). A batch is English pairs
of one group, or texts of one parallel source in two languages each; in the latter every language is in the batch, so
that a text must find its meaning among texts of its own language.
"""

import argparse
import dataclasses
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
from contrastive import Batches, Settings  # noqa: E402
from encoded import Source, Texts  # noqa: E402
from mixture import THESAURUS, Group, groups_of  # noqa: E402

# How often each parallel source is drawn, beside the groups of mixture.py.
PARALLEL = {"android-apps": 1, "bibles": 4, "django": 0.4, "electron-docs": 1, "home-assistant-core": 1.5,
            "home-assistant-frontend": 1, "react-docs": 2, "superset": 0.8, "tatoeba": 4, "wagtail": 0.6, "wordnets": 6}
# Share of the rows of a parallel batch with English on one side.
WITH_ENGLISH = 0.6


@dataclass(frozen=True)
class Mixed(Settings):
    batch: int = 768
    steps: int = 500
    query_tokens: int = 48
    passage_tokens: int = 64
    learning_rate: float = 0.005
    threads: int = 1
    # Share of the batches that are parallel text.
    parallel: float = 0.7
    # How much of the learning rate English rows get: they come trained, and the other languages are to come to them.
    english: float = 0.15


class Parallel:
    """Two languages of a record, by chance."""

    def __init__(self, path: Path):
        saved = np.load(path)
        self.texts, self.records = Texts(saved["t"], saved["o"]), saved["records"]

    def draw(self, chance: np.random.Generator, size: int, tokens: int):
        total = len(self.records) - 1
        rows = chance.choice(total, min(size, total), replace=False)
        first, count = self.records[rows], np.diff(self.records)[rows]
        left = np.where(chance.random(len(rows)) < WITH_ENGLISH, 0, chance.integers(0, count))
        right = (left + 1 + chance.integers(0, count - 1)) % count
        swap = chance.random(len(rows)) < 0.5
        left, right = np.where(swap, right, left), np.where(swap, left, right)
        return self.texts.take(first + left, tokens), self.texts.take(first + right, tokens)


class Rows:
    """Adam that visits only the rows that a batch uses: of 150,000 a batch holds a tenth."""

    def __init__(self, start: np.ndarray, rates: np.ndarray):
        self.vectors = torch.from_numpy(start.copy())
        self.first, self.second = torch.zeros_like(self.vectors), torch.zeros_like(self.vectors)
        self.seen = torch.zeros(len(start), 1)
        self.rates = torch.from_numpy(rates[:, None].astype(np.float32))

    def update(self, rows: torch.Tensor, gradient: torch.Tensor, share: float) -> None:
        seen = self.seen[rows] + 1
        first = self.first[rows].mul_(0.9).add_(gradient, alpha=0.1)
        second = self.second[rows].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        step = (first / (1 - 0.9 ** seen)) / ((second / (1 - 0.99 ** seen)).sqrt_() + 1e-8)
        self.vectors[rows] -= self.rates[rows] * share * step
        self.first[rows], self.second[rows], self.seen[rows] = first, second, seen


def _sums(texts, rows: np.ndarray, vectors: torch.Tensor) -> torch.Tensor:
    tokens, offsets = texts
    local = torch.from_numpy(np.searchsorted(rows, tokens))
    bags = functional.embedding_bag(local, vectors, torch.from_numpy(offsets[:-1]), mode="sum")
    return functional.normalize(bags, dim=1)


def english_share(english: dict, parallel: dict[str, Parallel], size: int) -> np.ndarray:
    """Of each piece's uses, how many stand in English text."""
    inside = sum(np.bincount(texts.tokens, minlength=size) for source in english.values()
                 for texts in (source.queries, source.passages))
    outside = np.zeros(size)
    for source in parallel.values():
        rows = np.setdiff1d(np.arange(len(source.texts)), source.records[:-1])
        outside += np.bincount(source.texts.take(rows, 1 << 30)[0], minlength=size)
    inside = inside / inside.sum()
    outside = outside / outside.sum()
    return inside / np.maximum(inside + outside, 1e-12)


def keep(start: np.ndarray, vectors: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The English rows as they started, the others as they were trained, and rows of both in proportion."""
    weight = np.clip((share - 0.1) / 0.4, 0, 1)[:, None]
    return (start * weight + vectors * (1 - weight)).astype(np.float32)


def train(english: Batches, parallel: dict[str, Parallel], start: np.ndarray, rates: np.ndarray,
          settings: Mixed) -> np.ndarray:
    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads)
    chance = np.random.default_rng(settings.seed + 1)
    names = list(parallel)
    weights = np.array([PARALLEL.get(name, 1) for name in names], float)
    rows_of = Rows(start, rates)
    began, losses = time.time(), {True: [], False: []}
    for step in range(settings.steps):
        is_parallel = chance.random() < settings.parallel
        if is_parallel:
            name = names[chance.choice(len(names), p=weights / weights.sum())]
            left, right = parallel[name].draw(chance, settings.batch, settings.passage_tokens)
        else:
            left, right = english.draw()
        rows = np.unique(np.concatenate([left[0], right[0]]))
        picked = torch.from_numpy(rows)
        vectors = rows_of.vectors[picked].requires_grad_()
        scores = settings.scale * _sums(left, rows, vectors) @ _sums(right, rows, vectors).T
        truth = torch.arange(len(scores))
        loss = (functional.cross_entropy(scores, truth) + functional.cross_entropy(scores.T, truth)) / 2
        loss.backward()
        share = min(1, (step + 1) / (0.05 * settings.steps)) * max(0.02, 1 - step / settings.steps)
        rows_of.update(picked, vectors.grad, share)
        losses[is_parallel].append(loss.item())
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}: English {np.mean(losses[False][-40:]):.3f}, parallel "
                  f"{np.mean(losses[True][-40:]):.3f}, {time.time() - began:.0f} s", flush=True)
    return rows_of.vectors.numpy()


def _source(path: Path) -> Source:
    saved = np.load(path)
    return Source(Texts(saved["q"], saved["qo"]), Texts(saved["p"], saved["po"]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("encoded", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--english-start", type=Path, help="where English rows end: START unless it was trained itself")
    for field in dataclasses.fields(Mixed):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default), default=field.default)
    options = parser.parse_args()
    settings = Mixed(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Mixed)})
    files = {tuple(path.stem.rsplit(".", 1)): path for path in options.encoded.glob("*.npz")
             if not path.name.startswith("parallel.")}
    groups = groups_of(sorted({source for source, _ in files if source != THESAURUS}))
    groups = {name: Group(tuple(source for source in group.sources if (source, group.form) in files), group.weight,
                          group.runs, group.form, group.block) for name, group in groups.items()}
    groups = {name: group for name, group in groups.items() if group.sources}
    start = np.load(options.start)
    sources = {key: _source(path) for key, path in files.items()}
    parallel = {path.stem.split(".", 1)[1]: Parallel(path) for path in sorted(options.encoded.glob("parallel.*.npz"))}
    share = english_share(sources, parallel, len(start))
    rates = settings.learning_rate * np.where(share > 0.5, settings.english, 1)
    vectors = train(Batches(groups, sources, len(start), settings), parallel, start, rates, settings)
    np.save(options.out, keep(np.load(options.english_start or options.start), vectors, share))


if __name__ == "__main__":
    main()
