/** The thread that runs one embedding model. */

import { join } from "node:path"
import type { AutoModel } from "@huggingface/transformers"
import { Moved } from "../threads/thread-side.ts"
import type { EmbeddingFolder, JointParts } from "./embedding-folder.ts"
import { isEnglish } from "./english.ts"
import { JointSpace } from "./joint-space.ts"
import { type InputTokenizer, type ModelInputs, openTokenizer } from "./model-inputs.ts"
import { loadLibrary, serveModel } from "./model-side.ts"
import { pool, toUnitLength } from "./pooling.ts"
import { StaticModel } from "./static-model.ts"
import { readWordPieces } from "./word-pieces.ts"

export interface EmbeddingModelPlace {
  folder: EmbeddingFolder
  /** `<data>/native`. */
  nativeDirectory: string
  /** Threads inside one operation of the model. */
  threads: number
}

type Model = Awaited<ReturnType<typeof AutoModel.from_pretrained>>

interface Tensor {
  data: Float32Array
  dims: number[]
}

serveModel<EmbeddingModelPlace, string[], Float32Array>(async place => {
  const embed = await open(place)
  return async texts => {
    const vectors = await embed(texts)
    return new Moved(vectors, [vectors.buffer])
  }
})

type Embed = (texts: string[]) => Promise<Float32Array>

async function open(place: EmbeddingModelPlace): Promise<Embed> {
  const { parts, isStatic } = place.folder
  if (parts) return await openJoint(place, parts)
  return isStatic ? openStatic(place) : await openWithLibrary(place)
}

/** English is read twice, which takes half as long again; all else once. */
async function openJoint(place: EmbeddingModelPlace, { general, english }: JointParts): Promise<Embed> {
  const { directory, subfolder, dimensions, prefix } = place.folder
  const space = JointSpace.open(join(directory, subfolder, "model.onnx"))
  const widths = [general.dimensions, english.dimensions, dimensions]
  if (space.widths.join() !== widths.join())
    throw new Error(
      `the space is one of ${space.widths.join(", ")} dimensions, its parts and configuration say ${widths.join(", ")}`,
    )
  if (!prefix.query || !prefix.passage)
    throw new Error(`${general.name} has no prefixes that tell queries from passages`)
  const pieces = readWordPieces(english.directory)
  if (!pieces) throw new Error(`the pieces of ${english.name} are of another kind`)
  const first = await openWithLibrary({ ...place, folder: general })
  const second = await openWithLibrary({ ...place, folder: english })
  return async texts => {
    const read = await first(texts)
    const joined = new Float32Array(texts.length * dimensions)
    for (const [at, text] of texts.entries()) {
      const vector = read.subarray(at * general.dimensions, (at + 1) * general.dimensions)
      if (vector.every(value => value === 0)) continue // it knows nothing of the text
      // Each text has one of the two prefixes, which are the first encoder's.
      const role = text.startsWith(prefix.query) ? "query" : "passage"
      const own = text.slice(prefix[role].length)
      const also = isEnglish(own, pieces) ? await second([own]) : undefined
      const known = also?.some(value => value !== 0) ? also : undefined
      joined.set(space.join(vector, known, role), at * dimensions)
    }
    return joined
  }
}

/** 110 words take an eighth of a millisecond so, and ten times as long by way of transformers.js. */
function openStatic({ folder }: EmbeddingModelPlace): Embed {
  const model = StaticModel.open(folder)
  return async texts => model.embed(texts)
}

async function openWithLibrary({ folder, nativeDirectory, threads }: EmbeddingModelPlace): Promise<Embed> {
  const library = await loadLibrary(nativeDirectory)
  const tokenizer = await openTokenizer(library, folder)
  const model = await library.AutoModel.from_pretrained(folder.directory, {
    local_files_only: true,
    dtype: folder.dtype,
    subfolder: folder.subfolder,
    device: "cpu",
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
  })
  const probe = await embed(tokenizer, model, folder, [""])
  if (probe.length !== folder.dimensions)
    throw new Error(`the model gives ${probe.length} dimensions, its configuration says ${folder.dimensions}`)
  return texts => embed(tokenizer, model, folder, texts)
}

async function embed(
  tokenizer: InputTokenizer,
  model: Model,
  folder: EmbeddingFolder,
  texts: string[],
): Promise<Float32Array> {
  const inputs = tokenizer.inputs(texts)
  const vectors = await vectorsOf(inputs, model, folder, texts.length)
  const ids: ArrayLike<number | bigint> = inputs.input_ids.data
  const tokens = ids.length / texts.length
  for (let text = 0; text < texts.length; text++) {
    let known = false
    for (let at = text * tokens; at < (text + 1) * tokens && !known; at++)
      known = !tokenizer.silent.has(Number(ids[at]))
    // All texts without a token that the model knows have one vector, and would be each other's nearest.
    if (!known) vectors.fill(0, text * folder.dimensions, (text + 1) * folder.dimensions)
  }
  return vectors
}

async function vectorsOf(
  inputs: ModelInputs,
  model: Model,
  folder: EmbeddingFolder,
  texts: number,
): Promise<Float32Array> {
  const outputs = (await model(inputs)) as Record<string, Tensor | undefined>
  const output = outputs.sentence_embedding ?? outputs.last_hidden_state ?? outputs.token_embeddings
  if (!output) throw new Error(`the model has no output to embed with, only ${Object.keys(outputs).join(", ")}`)
  const width = output.dims.at(-1)!
  // One vector per text comes out: pooling is part of the graph.
  if (output.dims.length === 2 || output.dims[1] === 1) return toUnitLength(output.data, width)
  if (folder.needsPooledGraph) throw new Error("the model has a dense layer after pooling that its graph leaves out")
  const tokens = output.dims[1]!
  return pool({ data: output.data, texts, tokens, width, mask: inputs.attention_mask.data }, folder.pooling)
}
