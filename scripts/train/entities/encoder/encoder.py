"""The lower layers of multilingual-e5-small as a token classifier. The table of pieces is not trained: the product reads its
rows from the embedding model that ships anyway, and names that training never saw keep what pretraining knows of them."""
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(1, str(Path(__file__).parents[2] / "encoder"))
import weights  # noqa: E402

LABELS = ["O", "B-NAME", "I-NAME", "B-ADDRESS", "I-ADDRESS"]


class Layer(nn.Module):
    def __init__(self, hidden, heads, inner, epsilon):
        super().__init__()
        self.heads = heads
        self.qkv, self.ao = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.fi, self.fo = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.aln, self.oln = nn.LayerNorm(hidden, epsilon), nn.LayerNorm(hidden, epsilon)
        self.drop = nn.Dropout(0.1)

    def forward(self, states, mask):
        texts, tokens, hidden = states.shape
        q, k, v = (part.view(texts, tokens, self.heads, -1).transpose(1, 2) for part in self.qkv(states).chunk(3, -1))
        seen = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(texts, tokens, hidden)
        states = self.aln(states + self.drop(self.ao(seen)))
        return self.oln(states + self.drop(self.fo(nn.functional.gelu(self.fi(states)))))


class EntityEncoder(nn.Module):
    """From rows of the table, [texts, tokens, hidden], and 1 for tokens, 0 for padding, to logits, [texts, tokens, labels]."""

    def __init__(self, packed, layers):
        super().__init__()
        hidden, vectors = packed.hidden, packed.vectors
        tensor = lambda name: torch.from_numpy(np.array(vectors[name]))
        self.places = nn.Parameter(tensor("emb.pos").view(-1, hidden) + tensor("emb.type")[:hidden])
        self.ln = nn.LayerNorm(hidden, packed.epsilon)
        self.layers = nn.ModuleList(Layer(hidden, packed.heads, packed.inner, packed.epsilon) for _ in range(layers))
        self.leave = nn.Linear(hidden, len(LABELS))
        self.drop = nn.Dropout(0.1)
        with torch.no_grad():
            self.ln.weight.copy_(tensor("emb.ln.w")), self.ln.bias.copy_(tensor("emb.ln.b"))
            for at, layer in enumerate(self.layers):
                floats = lambda part: torch.from_numpy(packed.matrices[f"l{at}.{part}.w"].floats())
                layer.qkv.weight.copy_(torch.cat([floats(part) for part in "qkv"]))
                layer.qkv.bias.copy_(torch.cat([tensor(f"l{at}.{part}.b") for part in "qkv"]))
                for part in ("ao", "fi", "fo"):
                    getattr(layer, part).weight.copy_(floats(part)), getattr(layer, part).bias.copy_(tensor(f"l{at}.{part}.b"))
                for part in ("aln", "oln"):
                    getattr(layer, part).weight.copy_(tensor(f"l{at}.{part}.w")), getattr(layer, part).bias.copy_(tensor(f"l{at}.{part}.b"))

    def forward(self, rows, mask):
        bias = torch.zeros_like(mask, dtype=rows.dtype).masked_fill(mask == 0, -1e4)[:, None, None, :]
        states = self.drop(self.ln(rows + self.places[: rows.shape[1]]))
        for layer in self.layers:
            states = layer(states, bias.to(states.dtype))
        return self.leave(self.drop(states))


def table_of(packed, pieces):
    """Rows of the shipped vocabulary, as floats."""
    place = {piece: at for at, piece in enumerate(packed.pieces)}
    ids = np.array([place[piece] for piece in pieces.ids])
    return torch.from_numpy(packed.matrices["emb.word"].rows(ids).floats())
