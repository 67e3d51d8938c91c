"""Start vectors: `start.py VOCABULARY TEACHER.npy ENGLISH_MODEL OUT.npy`.

English words start as what the trained English model makes of them; every other piece where its teacher vector leads
through a linear map fitted on the English ones. So languages start aligned as the teacher aligns them, in a space in
which the length of a vector already is a term weight. TEACHER is what teacher.py wrote.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
from export import dequantized  # noqa: E402
from wordpiece import UNKNOWN, WordPiece  # noqa: E402

RIDGE = 30.0
# Longer words than this many pieces of the English model are no words of it.
MAX_PIECES = 2
SPACE = "▁"


def english_rows(pieces: list[str], folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """(which pieces are English words, their vectors)."""
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf8"))
    vocabulary = sorted(content["model"]["vocab"], key=content["model"]["vocab"].get)
    table, tokenizer = dequantized(folder), WordPiece(vocabulary)
    chosen, vectors = np.zeros(len(pieces), bool), np.zeros((len(pieces), table.shape[1]), np.float32)
    for at, piece in enumerate(pieces):
        word = piece.removeprefix(SPACE)
        if not (word.isascii() and word.strip()):
            continue
        if piece.startswith(SPACE) or not word.isalpha() or (len(word) > 3 and word.lower() in tokenizer.ids):
            ids = tokenizer.encode(word)
        else:
            inner = tokenizer.ids.get("##" + word.lower())
            ids = [inner] if inner is not None else []
        if ids and UNKNOWN not in ids and len(ids) <= MAX_PIECES:
            chosen[at] = True
            vectors[at] = table[ids].sum(0)
    return chosen, vectors


def main(vocabulary: Path, teacher: Path, english: Path, out: Path) -> None:
    content = json.loads((vocabulary / "tokenizer.json").read_text(encoding="utf8"))
    pieces, scores = map(list, zip(*content["model"]["vocab"]))
    taught = np.load(teacher)[np.load(vocabulary / "rows.npy")].astype(np.float32)
    shared = len(taught)
    taught = (taught - taught.mean(0)) / taught.std(0)
    scores = np.array(scores[:shared], np.float32)
    features = np.concatenate([taught, scores[:, None] / 4, np.ones((shared, 1), np.float32)], 1)
    known, vectors = english_rows(pieces, english)
    length = np.linalg.norm(vectors, axis=1)
    fit = known[:shared] & (length[:shared] > 1e-3) & np.char.startswith(np.array(pieces[:shared]), SPACE)
    target = np.concatenate([vectors[:shared][fit] / length[:shared][fit, None], np.log(length[:shared][fit, None])], 1)
    x = features[fit]
    mapping = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1], dtype=np.float32), x.T @ target)
    held = target - x @ mapping
    print(f"{fit.sum()} English pieces; direction explained {1 - (held[:, :-1] ** 2).mean() / target[:, :-1].var():.3f}, "
          f"length {1 - held[:, -1].var() / target[:, -1].var():.3f}")
    mapped = features @ mapping
    direction = mapped[:, :-1] / np.linalg.norm(mapped[:, :-1], axis=1, keepdims=True)
    start = np.zeros_like(vectors)
    start[:shared] = direction * np.exp(np.clip(mapped[:, -1:], *np.quantile(target[:, -1], [0.01, 0.99])))
    start[known] = vectors[known]
    _add_words(start, pieces, known, shared, vocabulary)
    start /= np.sqrt((start[4:] ** 2).mean()) * 16
    start[:4] = 0
    np.save(out, start.astype(np.float32))


def _add_words(start: np.ndarray, pieces: list[str], known: np.ndarray, shared: int, vocabulary: Path) -> None:
    """A whole word that the English model does not know starts as the sum of the pieces that it was cut into."""
    from tokenizers import Tokenizer, models  # here, as only this step needs the package
    content = json.loads((vocabulary / "tokenizer.json").read_text(encoding="utf8"))
    cutter = Tokenizer(models.Unigram([tuple(entry) for entry in content["model"]["vocab"][:shared]], unk_id=3))
    for at in range(shared, len(pieces)):
        if not known[at]:
            ids = cutter.encode(pieces[at]).ids
            start[at] = start[ids].sum(0) / np.sqrt(len(ids))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
