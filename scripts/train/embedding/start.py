"""Start vectors: latent semantic analysis (tf-idf, truncated SVD) over a sample of the passages."""

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.extmath import randomized_svd

from encoded import Source, Texts
from mixture import DEFAULT_START_SAMPLE, START_SAMPLE

# Passages per source that document frequencies are counted on.
FREQUENCY_SAMPLE = 60_000
MIN_IDF = 0.05


def _counts(texts: Texts, rows: np.ndarray, size: int) -> sparse.csr_matrix:
    tokens, offsets = texts.take(rows, limit=1 << 30)
    matrix = sparse.csr_matrix((np.ones(len(tokens), np.float32), tokens.astype(np.int32), offsets),
                               shape=(len(rows), size))
    matrix.sum_duplicates()
    return matrix


def inverse_document_frequency(sources: dict[str, Source], size: int) -> np.ndarray:
    frequency, documents = np.zeros(size), 0
    for source in sources.values():
        rows = np.arange(min(len(source.passages), FREQUENCY_SAMPLE))
        frequency += np.bincount(_counts(source.passages, rows, size).indices, minlength=size)
        documents += len(rows)
    return np.clip(np.log((documents + 1) / (frequency + 1)), MIN_IDF, None)


def start_vectors(sources: dict[str, Source], size: int, dimensions: int, seed: int) -> np.ndarray:
    """One row per token: a unit direction from the SVD, times the token's IDF (mean 1)."""
    chance = np.random.default_rng(seed)
    idf = inverse_document_frequency(sources, size)
    blocks = []
    for name, source in sources.items():
        sample = START_SAMPLE.get(name, DEFAULT_START_SAMPLE)
        rows = np.sort(chance.permutation(len(source.passages))[:sample])
        blocks.append(_counts(source.passages, rows, size))
    matrix = sparse.vstack(blocks).tocsr()
    matrix.data = np.log1p(matrix.data) * idf[matrix.indices].astype(np.float32)
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
    matrix = (sparse.diags(1 / np.maximum(length, 1e-6)) @ matrix).astype(np.float32)
    _, strength, directions = randomized_svd(matrix, dimensions, n_iter=3, random_state=seed)
    vectors = directions.T * np.sqrt(strength)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    noise = chance.standard_normal(vectors.shape) / np.sqrt(dimensions)
    # Tokens that no sampled passage has get a random direction.
    unit = np.where(length < 1e-6, noise, vectors / np.maximum(length, 1e-8))
    return (unit * (idf / idf.mean())[:, None]).astype(np.float32)
