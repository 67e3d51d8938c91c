"""Trains one vector per token so that the sum over a query points where the sum over its passage points.

Multiple-negatives ranking, both ways: every other passage of the batch is a negative. The length that a token's
vector ends up with is its term weight; nothing else is added at run time.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as functional

from encoded import Source, join
from mixture import Group


@dataclass(frozen=True)
class Settings:
    steps: int = 1500
    batch: int = 2048
    learning_rate: float = 0.01
    # Softmax temperature is 1 / scale. 12 beat 20 by .003 nDCG@10, alone and in hybrid.
    scale: float = 12
    query_tokens: int = 64
    passage_tokens: int = 128
    # Share of the batches of a group with `runs` that are made of contiguous runs.
    run_share: float = 0.5
    runs_per_batch: int = 4
    # Share of the pairs whose common tokens are taken out of one side, so that meaning has to do what the same
    # words did: without it the model leans on exact matches, which the keyword leg has anyway.
    unmatched: float = 0.3
    seed: int = 0
    threads: int = 2


class Batches:
    def __init__(self, groups: dict[str, Group], sources: dict[tuple[str, str], Source], size: int,
                 settings: Settings):
        self.names = list(groups)
        self.groups = groups
        self.pairs = {name: join([sources[source, group.form] for source in group.sources])
                      for name, group in groups.items()}
        weights = np.array([group.weight for group in groups.values()])
        self.shares = weights / weights.sum()
        self.size = size
        self.settings = settings
        self.chance = np.random.default_rng(settings.seed)

    def draw(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """(tokens, offsets) of the queries and of their passages; one group per batch."""
        name = self.names[self.chance.choice(len(self.names), p=self.shares)]
        pairs, settings = self.pairs[name], self.settings
        rows = self._rows(len(pairs.queries), self.groups[name])
        queries = pairs.queries.take(rows, settings.query_tokens)
        passages = pairs.passages.take(rows, settings.passage_tokens)
        return self._unmatch(queries, passages) if settings.unmatched else (queries, passages)

    def _rows(self, total: int, group: Group) -> np.ndarray:
        if group.block:
            return self.chance.integers(0, total - group.block) + np.arange(group.block)
        batch = min(self.settings.batch, total)
        if group.runs and total > 8 * batch and self.chance.random() < self.settings.run_share:
            length = batch // self.settings.runs_per_batch
            starts = self.chance.integers(0, total - length, self.settings.runs_per_batch)
            return np.unique((starts[:, None] + np.arange(length)).ravel())
        if total < 50_000:
            return self.chance.choice(total, batch, replace=False)
        return np.unique(self.chance.integers(0, total, batch))

    def _unmatch(self, queries, passages):
        """Takes the common tokens of chosen pairs out of the query or of the passage, where something remains."""
        rows = len(queries[1]) - 1
        chosen = self.chance.random(rows) < self.settings.unmatched
        from_query = self.chance.random(rows) < 0.5
        keys = [np.repeat(np.arange(rows), np.diff(offsets)) * self.size + tokens
                for tokens, offsets in (queries, passages)]
        sides = ((queries, keys[0], keys[1], chosen & from_query), (passages, keys[1], keys[0], chosen & ~from_query))
        return tuple(self._without(*side, rows) for side in sides)

    def _without(self, texts, own, other, chosen, rows):
        tokens, offsets = texts
        row = own // self.size
        keep = ~(chosen[row] & np.isin(own, other))
        left = np.bincount(row[keep], minlength=rows)
        keep |= (left < 2)[row]
        return tokens[keep], np.concatenate([[0], np.cumsum(np.bincount(row[keep], minlength=rows))])


def _sums(texts: tuple[np.ndarray, np.ndarray], vectors: torch.Tensor) -> torch.Tensor:
    tokens, offsets = texts
    bags = functional.embedding_bag(torch.from_numpy(tokens), vectors, torch.from_numpy(offsets[:-1]), mode="sum")
    return functional.normalize(bags, dim=1)


def train(batches: Batches, start: np.ndarray, settings: Settings) -> np.ndarray:
    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads)
    vectors = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimizer = torch.optim.Adam([vectors], lr=settings.learning_rate, betas=(0.9, 0.99))
    began, losses = time.time(), []
    for step in range(settings.steps):
        warm_up = min(1, (step + 1) / (0.05 * settings.steps))
        for parameters in optimizer.param_groups:
            parameters["lr"] = settings.learning_rate * warm_up * max(0.02, 1 - step / settings.steps)
        queries, passages = batches.draw()
        scores = settings.scale * _sums(queries, vectors) @ _sums(passages, vectors).T
        truth = torch.arange(len(scores))
        loss = (functional.cross_entropy(scores, truth) + functional.cross_entropy(scores.T, truth)) / 2
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % 100 == 0:
            print(f"step {step + 1}: loss {np.mean(losses[-100:]):.3f}, {time.time() - began:.0f} s", flush=True)
    return vectors.detach().numpy()
