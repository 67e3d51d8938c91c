"""Token ids of all training text: `encode.py VOCABULARY ENGLISH PARALLEL OUT`. Every HELD_OUTth pair or record goes into
`dev.json` as text and is not trained on.
"""

import json
import random
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parent.parent / "embedding"))
import pairs  # noqa: E402
from encoded import rows  # noqa: E402
from mixture import groups_of  # noqa: E402
from records import read as read_records  # noqa: E402

HELD_OUT = 20
SEED = 7
# Pairs per English source and form; more of one source adds little.
DEFAULT_SAMPLE = 1_200
SAMPLE = {"arxiv150k": 4_000, "wordnet": 15_000, "medquad": 3_000, "thesaurus": 1 << 30}
# Languages per record: the English one and as many more by chance.
LANGUAGES = 7
# Records of a source.
MOST_RECORDS = 25_000
MOST_BY_SOURCE = {"bibles": 4_000, "home-assistant-core": 8_000, "wordnets": 120_000, "tatoeba": 50_000}
# Cut before encoding; the training looks at fewer tokens than this holds.
QUERY_CHARS, PASSAGE_CHARS = 250, 600


class Encoder:
    def __init__(self, vocabulary: Path):
        self.tokenizer = Tokenizer.from_file(str(vocabulary / "tokenizer.json"))

    def flat(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """(tokens, offsets) of all texts, without special tokens."""
        tokens, lengths = [], []
        for start in range(0, len(texts), 10_000):
            for found in self.tokenizer.encode_batch(texts[start:start + 10_000], add_special_tokens=False):
                lengths.append(len(found.ids))
                tokens.append(np.array(found.ids, np.uint32))
        return np.concatenate(tokens), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def encode_english(folder: Path, encoder: Encoder, out: Path, dev: dict) -> None:
    groups = groups_of(pairs.sources(folder))
    for source, form in sorted({(source, group.form) for group in groups.values() for source in group.sources}):
        path = out / f"{source}.{form}.npz"
        if path.exists():
            continue
        queries, passages, held = [], [], []
        for at, (query, passage) in enumerate(rows(folder, source, form)):
            if len(queries) == SAMPLE.get(source, DEFAULT_SAMPLE):
                break
            query, passage = query[:QUERY_CHARS], passage[:PASSAGE_CHARS]
            if form == "pair" and source != "thesaurus" and at % HELD_OUT == 0:
                held.append([query, passage])
                continue
            queries.append(query)
            passages.append(passage)
        q, qo = encoder.flat(queries)
        p, po = encoder.flat(passages)
        np.savez(path, q=q, qo=qo, p=p, po=po)
        if held:
            dev["english"][source] = held[:200]
        print(source, form, len(queries), len(q) + len(p), flush=True)


def encode_parallel(folder: Path, encoder: Encoder, out: Path, dev: dict) -> None:
    """Per source: the texts, and `records[i]:records[i + 1]`, which of them say the same."""
    chance = random.Random(SEED)
    texts: defaultdict[str, list[str]] = defaultdict(list)
    starts: defaultdict[str, list[int]] = defaultdict(lambda: [0])
    for at, (source, record) in enumerate(read_records(folder)):
        if at % HELD_OUT == 0:
            dev["parallel"].setdefault(source, []).append({key: text[:PASSAGE_CHARS] for key, text in record.items()})
            continue
        if len(starts[source]) > MOST_BY_SOURCE.get(source, MOST_RECORDS):
            continue
        others = [language for language in record if language != "en"]
        chosen = ["en", *chance.sample(others, min(LANGUAGES, len(others)))]
        texts[source] += [record[language][:PASSAGE_CHARS] for language in chosen]
        starts[source].append(len(texts[source]))
    for source, found in texts.items():
        tokens, offsets = encoder.flat(found)
        np.savez(out / f"parallel.{source}.npz", t=tokens, o=offsets, records=np.array(starts[source]))
        print("parallel", source, len(found), len(tokens), flush=True)


def main(vocabulary: Path, english: Path, parallel: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder(vocabulary)
    dev: dict = {"english": {}, "parallel": {}}
    encode_parallel(parallel, encoder, out, dev)
    encode_english(english, encoder, out, dev)
    (out / "dev.json").write_text(json.dumps(dev, ensure_ascii=False), encoding="utf8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
