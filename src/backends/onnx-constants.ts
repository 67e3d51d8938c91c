/** Reads the constants of an ONNX file: a static model is a table in one, and needs no runtime to add its rows up. */

export interface OnnxConstant {
  /** ONNX's number of the element type: 1 float32, 2 uint8, 3 int8, 10 float16. */
  type: number
  shape: number[]
  /** The little-endian elements, a view into the file. */
  bytes: Uint8Array
}

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7
const GRAPH_INITIALIZER = 5
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 } as const

/** By name. @throws Error where the bytes are no protocol buffer */
export function readOnnxConstants(file: Uint8Array): Map<string, OnnxConstant> {
  const constants = new Map<string, OnnxConstant>()
  for (const graph of messages(file, MODEL_GRAPH))
    for (const tensor of messages(graph, GRAPH_INITIALIZER)) {
      const constant: OnnxConstant = { type: 0, shape: [], bytes: new Uint8Array() }
      let name = ""
      for (const { field, value } of fields(tensor))
        if (typeof value === "number") {
          if (field === TENSOR.dims) constant.shape.push(value)
          if (field === TENSOR.type) constant.type = value
        } else if (field === TENSOR.dims) constant.shape.push(...numbers(value))
        else if (field === TENSOR.name) name = new TextDecoder().decode(value)
        else if (field === TENSOR.raw) constant.bytes = value
      constants.set(name, constant)
    }
  return constants
}

function* messages(bytes: Uint8Array, wanted: number): Generator<Uint8Array> {
  for (const { field, value } of fields(bytes)) if (field === wanted && typeof value !== "number") yield value
}

/** Each field of a message: a number, or the bytes of a string or of an inner message. */
function* fields(bytes: Uint8Array): Generator<{ field: number; value: number | Uint8Array }> {
  const cursor = { at: 0 }
  while (cursor.at < bytes.length) {
    const key = varint(bytes, cursor)
    const [field, wire] = [Math.floor(key / 8), key % 8]
    if (wire === 0) yield { field, value: varint(bytes, cursor) }
    else {
      const length = wire === 2 ? varint(bytes, cursor) : wire === 1 ? 8 : wire === 5 ? 4 : Number.NaN
      if (!(cursor.at + length <= bytes.length)) throw new Error("the file is damaged: a field goes beyond its end")
      yield { field, value: bytes.subarray(cursor.at, cursor.at + length) }
      cursor.at += length
    }
  }
}

function numbers(packed: Uint8Array): number[] {
  const found: number[] = []
  for (const cursor = { at: 0 }; cursor.at < packed.length; ) found.push(varint(packed, cursor))
  return found
}

/** Exact below 2^53, which no size in a file reaches. */
function varint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (let scale = 1; cursor.at < bytes.length; scale *= 128) {
    const byte = bytes[cursor.at++]!
    value += (byte % 128) * scale
    if (byte < 128) return value
  }
  throw new Error("the file is damaged: it ends in the middle of a number")
}
