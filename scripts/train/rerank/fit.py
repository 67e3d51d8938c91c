"""Fits `RELEVANCE` of src/search/rerank/reorder.ts: how relevance and the reranking model's score together tell that a passage
answers. Reads pairs of files that `scripts/bench/rerank.ts --keep DIR` writes. Every third question loses its right passages, as
one that the library cannot answer.

    python3 scripts/train/rerank/fit.py DIR/NAME.json …
"""

import json
import math
import sys

BEST = 30


def logit(share, least):
    held = min(1 - least, max(least, share))
    return math.log(held / (1 - held))


def examples(path):
    with open(path, encoding="utf8") as file:
        for number, question in enumerate(json.load(file)):
            for hit in question["hits"][:BEST]:
                if hit["rerank"] is None or (number % 3 == 0 and hit["right"]):
                    continue
                yield (1.0, logit(hit["relevance"], 0.0005), logit(hit["rerank"], 1e-7)), hit["right"]


def solve(matrix, right):
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    for at in range(len(rows)):
        pivot = max(range(at, len(rows)), key=lambda i: abs(rows[i][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for i, row in enumerate(rows):
            if i != at:
                factor = row[at] / rows[at][at]
                rows[i] = [x - factor * y for x, y in zip(row, rows[at])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit(data):
    weights = [0.0, 0.0, 0.0]
    for _ in range(30):
        gradient, curvature = [0.0] * 3, [[1e-3 * (i == j) for j in range(3)] for i in range(3)]
        for features, right in data:
            said = 1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, features))))
            for i in range(3):
                gradient[i] += (right - said) * features[i]
                for j in range(3):
                    curvature[i][j] += said * (1 - said) * features[i] * features[j]
        weights = [w + step for w, step in zip(weights, solve(curvature, gradient))]
    return weights


if __name__ == "__main__":
    sets = {path: list(examples(path)) for path in sys.argv[1:]}
    for path, data in sets.items():
        print(path.rsplit("/", 1)[-1], len(data), sum(right for _, right in data), ["%.3f" % w for w in fit(data)])
    print("all", ["%.3f" % w for w in fit([each for data in sets.values() for each in data])])
