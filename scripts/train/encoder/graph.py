"""The encoder as an ONNX graph from token ids to one unit vector per text: mean pooling and scaling are part of it.

The table keeps its blocks of 4 bits. The layers multiply in 8 bits with one scale per output; what multiplies in floats
is what that is measured against. 4 bits in blocks (`MatMulNBits`) are no faster than floats, in ONNX Runtime 1.32, and
4 bits from which it makes the 8 when it loads the graph take 550 MB of memory that it keeps."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from weights import BLOCK, Packed, Quantized

OPSET = 17
_FUSED = "com.microsoft"
# A machine without VNNI adds pairs of products in 16 bits, and cuts the sum: that of bytes in the middle still fits.
BYTE_LIMIT = 96
# How far the states of a layer are brought to one size at the expense of its weights; .7 to .85 are alike.
BALANCE = 0.8

# The largest value of each column of the states that a calibration saw, by the name of the states.
Form = dict[str, np.ndarray] | None
FLOAT: Final = None


class Graph:
    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def fused(self, kind: str, inputs: list[str], output: str, **attributes) -> str:
        return self.add(kind, inputs, output, _FUSED, **attributes)

    def model(self, name: str, inputs: list[onnx.ValueInfoProto], output: onnx.ValueInfoProto) -> onnx.ModelProto:
        proto = helper.make_graph(self.nodes, name, inputs, [output], list(self.constants.values()))
        imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(_FUSED, 1)]
        model = helper.make_model(proto, opset_imports=imports, producer_name="carrel")
        model.ir_version = 8
        return model


def build(packed: Packed, ids: np.ndarray, form: Form) -> onnx.ModelProto:
    """`ids`: the rows of the table that stay, in the order of the new ids."""
    graph = Graph()
    graph.add("Cast", ["attention_mask"], "mask32", to=TensorProto.INT32)
    states = _embedding(graph, packed, packed.matrices["emb.word"].rows(ids))
    for layer in range(packed.layers):
        states = layer_of(graph, packed, layer, states, form)
    pooling(graph, states)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", packed.hidden])
    return graph.model("sentence-encoder", inputs, output)


def _embedding(graph: Graph, packed: Packed, table: Quantized) -> str:
    rows = rows_of(graph, table)
    # All tokens are of the first type.
    places = packed.vectors["emb.pos"].reshape(-1, packed.hidden) + packed.vectors["emb.type"][:packed.hidden]
    return norm(graph, packed, "emb.ln", [rows, place_rows(graph, places)])


def rows_of(graph: Graph, table: Quantized) -> str:
    """The table's rows of the input ids."""
    graph.constant("table", nibbles(table))
    graph.constant("table_scales", table.scales.astype(np.float16))
    graph.fused("GatherBlockQuantized", ["table", "input_ids", "table_scales"], "half_rows",
                bits=4, block_size=BLOCK, gather_axis=0, quantize_axis=1)
    return graph.add("Cast", ["half_rows"], "rows", to=TensorProto.FLOAT)


def place_rows(graph: Graph, places: np.ndarray, tokens: str = "input_ids") -> str:
    """The first of these rows, as many as there are tokens."""
    graph.constant("places", places)
    graph.constant("zero", np.array([0], np.int64))
    graph.add("Shape", [tokens], "tokens", start=1, end=2)
    return graph.add("Slice", ["places", "zero", "tokens", "zero"], "place_rows")


def norm(graph: Graph, packed: Packed, name: str, inputs: list[str]) -> str:
    """LayerNorm of the sum. The fused operator for two takes ten times as long as these two, in ONNX Runtime 1.32."""
    gain = graph.constant(f"{name}.w", packed.vectors[f"{name}.w"])
    shift = graph.constant(f"{name}.b", packed.vectors[f"{name}.b"])
    both = graph.add("Add", inputs, f"{name}.sum")
    return graph.add("LayerNormalization", [both, gain, shift], f"{name}.out", epsilon=packed.epsilon)


def layer_of(graph: Graph, packed: Packed, layer: int, states: str, form: Form, mask: str | None = "mask32") -> str:
    """@param mask which tokens are padding; None where none are"""
    at = f"l{layer}."
    matrices, vectors = packed.matrices, packed.vectors
    joined = np.concatenate([matrices[f"{at}{part}.w"].floats() for part in "qkv"])
    bias = np.concatenate([vectors[f"{at}{part}.b"] for part in "qkv"])
    asked = linear(graph, f"{at}qkv", joined, None, states, form)
    parts = [f"{at}{part}" for part in "qkv"]
    graph.constant("thirds", np.full(3, packed.hidden, np.int64))
    graph.nodes.append(helper.make_node("Split", [asked, "thirds"], parts, name=f"{at}split", axis=2))
    asking = [*parts, graph.constant(f"{at}qkv.b", bias), *([mask] if mask else [])]
    seen = graph.fused("MultiHeadAttention", asking, f"{at}seen", num_heads=packed.heads)
    attended = linear(graph, f"{at}ao", matrices[f"{at}ao.w"].floats(), vectors[f"{at}ao.b"], seen, form)
    states = norm(graph, packed, f"{at}aln", [attended, states])
    inner = linear(graph, f"{at}fi", matrices[f"{at}fi.w"].floats(), None, states, form)
    active = graph.fused("BiasGelu", [inner, graph.constant(f"{at}fi.b", vectors[f"{at}fi.b"])], f"{at}active")
    outer = linear(graph, f"{at}fo", matrices[f"{at}fo.w"].floats(), vectors[f"{at}fo.b"], active, form)
    return norm(graph, packed, f"{at}oln", [outer, states])


def linear(graph: Graph, name: str, floats: np.ndarray, bias: np.ndarray | None, states: str, form: Form) -> str:
    """states · floatsᵀ, and + bias where there is one."""
    extra = [] if bias is None else [graph.constant(f"{name}.b", bias)]
    if form is FLOAT:
        output = f"{name}.out"
        product = graph.add("MatMul", [states, graph.constant(f"{name}.w", floats.T)], f"{name}.product")
        return graph.add("Add", [product, *extra], output) if extra else product
    if states in form:
        divisors = balanced(form[states], np.abs(floats).max(0))
        states = graph.add("Mul", [states, graph.constant(f"{name}.even", 1 / divisors)], f"{name}.evened")
        floats = floats * divisors
    scales = np.abs(floats).max(1) / BYTE_LIMIT
    levels = np.round(floats / scales[:, None]).astype(np.int8)
    weights = [graph.constant(f"{name}.w", levels.T), graph.constant(f"{name}.scales", scales)]
    inputs = [states, *weights, *(["", *extra] if extra else [])]
    return graph.fused("DynamicQuantizeMatMul", inputs, f"{name}.out")


def pooling(graph: Graph, states: str) -> None:
    graph.constant("second", np.array([1], np.int64))
    graph.add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    graph.add("Unsqueeze", ["mask", "second"], "mask_row")
    graph.add("MatMul", ["mask_row", states], "sums")
    graph.add("Squeeze", ["sums", "second"], "sum")
    # The mean and the sum point the same way.
    graph.add("LpNormalization", ["sum"], "sentence_embedding", axis=1, p=2)


def nibbles(matrix: Quantized) -> np.ndarray:
    """Levels + 8, two to a byte, the first of a pair in the low half: [rows, columns / 2]."""
    levels = (matrix.levels + 8).astype(np.uint8)
    return levels[:, 0::2] | levels[:, 1::2] << 4


def balanced(states: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """What each column of the states is divided by, and of the weights multiplied with, given the largest of either:
    one state of a layer is often five times as large as all others, which leaves those a tenth of the 8 bits."""
    divisors = np.maximum(states, 1e-3) ** BALANCE / np.maximum(weights, 1e-4) ** (1 - BALANCE)
    return (divisors / np.exp(np.log(divisors).mean())).astype(np.float32)


def largest(model: onnx.ModelProto, layers: int, inputs: Iterable[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """How large the states become that a graph in floats computes of these inputs: the largest absolute value of each column,
    by the name of the states."""
    names = ["emb.ln.out"]
    names += [f"l{layer}.{part}" for layer in range(layers) for part in ("aln.out", "active", "oln.out")]
    observed = onnx.ModelProto()
    observed.CopyFrom(model)
    observed.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    session = onnxruntime.InferenceSession(observed.SerializeToString())
    found = {name: np.zeros(1, np.float32) for name in names}
    for each in inputs:
        for name, values in zip(names, session.run(names, each)):
            found[name] = np.maximum(found[name], np.abs(values[0]).max(0))
    return found
