"""Builds the WordPiece vocabulary from weighted word counts of the training text."""

from collections import Counter
from multiprocessing import Pool
from pathlib import Path

import sentencepiece

import pairs
from mixture import COUNT_WEIGHT, DEFAULT_COUNT_WEIGHT
from wordpiece import SPECIAL, words

# A word must be met this often (after weighting) to shape the vocabulary; rarer ones are mostly misspellings.
MIN_COUNT = 6
MIN_CHAR_COUNT = 60
MAX_WORD_CHARS = 30
MAX_PIECE_CHARS = 24
# Letters that English text rarely has, so that names in other alphabets are not [UNK].
OTHER_ALPHABETS = ((0x3B1, 0x3CA), (0x430, 0x460), (0x490, 0x492), (0x3041, 0x3097), (0x30A1, 0x30FB), (0x5D0, 0x5EB),
                   (0x621, 0x64B))
OTHER_LETTERS = "æøœßłđıðþ"


def _count(job: tuple[Path, str]) -> tuple[str, Counter[str]]:
    folder, source = job
    counts: Counter[str] = Counter()
    for query, passage in pairs.read(folder, source):
        counts.update(words(query))
        counts.update(words(passage))
    return source, counts


def count_words(folder: Path, threads: int) -> dict[str, int]:
    total: Counter[str] = Counter()
    with Pool(threads) as pool:
        for source, counts in pool.imap(_count, [(folder, source) for source in pairs.sources(folder)]):
            weight = COUNT_WEIGHT.get(source, DEFAULT_COUNT_WEIGHT)
            for word, count in counts.items():
                total[word] += count * weight
    return {word: int(count) for word, count in sorted(total.items())
            if count >= MIN_COUNT and len(word) <= MAX_WORD_CHARS}


def _byte_pairs(counts: dict[str, int], size: int, work: Path, threads: int) -> list[str]:
    table = work / "words.tsv"
    table.write_text("".join(f"{word}\t{count}\n" for word, count in counts.items()), encoding="utf8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(table), input_format="tsv", model_prefix=str(work / "pieces"), vocab_size=size, model_type="bpe",
        normalization_rule_name="identity", character_coverage=0.9997, max_sentencepiece_length=MAX_PIECE_CHARS,
        num_threads=threads, unk_id=0, bos_id=-1, eos_id=-1, input_sentence_size=0, minloglevel=1)
    lines = (work / "pieces.vocab").read_text(encoding="utf8").splitlines()
    return [line.split("\t")[0] for line in lines][1:]


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def build(folder: Path, size: int, work: Path, threads: int) -> list[str]:
    """`size` pieces: special tokens, every single letter in both forms, then byte pairs by frequency."""
    counts = count_words(folder, threads)
    letters: Counter[str] = Counter()
    for word, count in counts.items():
        for char in word:
            letters[char] += count
    frequent = sorted((char for char, count in letters.items() if count >= MIN_CHAR_COUNT), key=lambda c: -letters[c])
    others = [chr(code) for start, end in OTHER_ALPHABETS for code in range(start, end)] + list(OTHER_LETTERS)
    ascii_chars = [chr(code).lower() for code in range(33, 127)]
    vocabulary = dict.fromkeys(SPECIAL)
    for char in frequent + others + ascii_chars:
        vocabulary[char] = None
        if char.isalnum() and not _is_ideograph(char):
            vocabulary["##" + char] = None
    for piece in _byte_pairs(counts, size, work, threads):
        if piece != "▁":
            vocabulary[piece[1:] if piece.startswith("▁") else "##" + piece] = None
    return list(vocabulary)[:size]
