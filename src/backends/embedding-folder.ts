/** Reads what a folder of an embedding model says about itself: pooling, prefixes, length, weights file. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { AppError } from "../errors.ts"
import type { Cosines } from "./backend.ts"
import { languagesByName, languagesOfCard } from "./model-languages.ts"

export type Pooling = "mean" | "cls" | "last" | "max"

/** All that the worker needs to run the model; plain data, so that it crosses the thread boundary. */
export interface EmbeddingFolder {
  name: string
  directory: string
  /** transformers.js' name of the weights file's precision. */
  dtype: "fp32" | "q8" | "int8" | "uint8" | "fp16" | "q4"
  /** Folder of the weights inside `directory`: `onnx`, or empty. */
  subfolder: string
  /** Not used where the graph itself gives one vector per text. */
  pooling: Pooling
  /** The folder names a layer after pooling that only a graph with pooled output can hold. */
  needsPooledGraph: boolean
  dimensions: number
  /** One vector per piece and nothing else: StaticModel reads its table, without onnxruntime. */
  isStatic: boolean
  /** Longer input is cut here, in tokens, special tokens included. */
  maxTokens: number
  /** Most texts of one run; null where only time bounds them. */
  batchTexts: number | null
  prefix: { query: string; passage: string }
  /** Share of the vector leg in the fused score, 0..1. */
  fusionWeight: number
  /** ISO 639-1 codes of the languages whose meaning the model knows; null where the folder does not say. */
  languages: string[] | null
  cosines: Cosines | null
  /** See `Embedder.slope`. */
  slope: number
  /** See `Embedder.fastShare`. */
  fastShare: number
  /** The encoders whose vectors are joined, see `joint-space.ts`; null for a model that stands alone. */
  parts: JointParts | null
}

export interface JointParts {
  general: EmbeddingFolder
  english: EmbeddingFolder
}

/** Larger models find more than the built-in one; half is where MiniLM-sized models do well on the usual collections. */
export const DEFAULT_FUSION_WEIGHT = 0.5
/** What a small model finds far above its usual cosines lies less far above those of a better one. */
const DEFAULT_SLOPE = 0.8
/** BERT's window: what models without a stated length were trained with. */
const DEFAULT_MAX_TOKENS = 512
/** Tokenizer files write 1e30 for "no limit". */
const NO_LIMIT = 1_000_000

/** Full precision first; a quantized file is used where it is all there is. */
const WEIGHTS = [
  ["fp32", "model.onnx"],
  ["q8", "model_quantized.onnx"],
  ["int8", "model_int8.onnx"],
  ["uint8", "model_uint8.onnx"],
  ["fp16", "model_fp16.onnx"],
  ["q4", "model_q4.onnx"],
] as const

const BGE_QUERY = "Represent this sentence for searching relevant passages: "

interface Family {
  matches: RegExp
  query: string
  passage: string
  pooling?: Pooling
}

/** Families whose prefixes stand in their model cards and not in a file. First match on the model's name wins. */
const FAMILIES: Family[] = [
  { matches: /\be5\b.*instruct/i, query: "Instruct: Retrieve passages that answer the query\nQuery: ", passage: "" },
  { matches: /\be5\b/i, query: "query: ", passage: "passage: " },
  { matches: /\bbge\b.*\bzh\b/i, query: "为这个句子生成表示以用于检索相关文章：", passage: "", pooling: "cls" },
  { matches: /\bbge\b(?!.*\bm3\b)/i, query: BGE_QUERY, passage: "", pooling: "cls" },
  { matches: /\bbge\b/i, query: "", passage: "", pooling: "cls" },
  { matches: /\bnomic\b/i, query: "search_query: ", passage: "search_document: " },
  { matches: /arctic.embed.*v2/i, query: "query: ", passage: "", pooling: "cls" },
  { matches: /arctic.embed|\bmxbai\b/i, query: BGE_QUERY, passage: "", pooling: "cls" },
  { matches: /embeddinggemma/i, query: "task: search result | query: ", passage: "title: none | text: " },
]

type Json = Record<string, unknown>

/** What is missing is named: an operator copied the folder by hand. */
export function readEmbeddingFolder(directory: string): EmbeddingFolder {
  const own = readJson(directory, "carrel.json") ?? {}
  return own.parts ? readJoint(directory, own) : readSingle(directory, own)
}

/** The folders of the parts stand beside it. */
function readJoint(directory: string, own: Json): EmbeddingFolder {
  const name = basename(directory)
  const { general, english } = own.parts as Record<string, unknown>
  const part = (stated: unknown, role: string): EmbeddingFolder => {
    if (typeof stated !== "string" || !/^[^./\\][^/\\]*$/.test(stated))
      return incomplete(name, `the name of its ${role} part in carrel.json`)
    const folder = join(dirname(directory), stated)
    if (!existsSync(folder)) incomplete(name, `the folder "${stated}" beside it, its ${role} part,`)
    return readSingle(folder, readJson(folder, "carrel.json") ?? {})
  }
  const parts = { general: part(general, "general"), english: part(english, "english") }
  return {
    ...parts.general,
    name,
    directory,
    ...findWeights(directory, name),
    dimensions: firstNumber(own.dimensions) ?? incomplete(name, "the number of dimensions in carrel.json"),
    ...traits(directory, own, name),
    parts,
  }
}

function readSingle(directory: string, own: Json): EmbeddingFolder {
  const name = basename(directory)
  const config = readJson(directory, "config.json") ?? incomplete(name, "config.json")
  if (!existsSync(join(directory, "tokenizer.json"))) incomplete(name, "tokenizer.json")
  const tokenizer = readJson(directory, "tokenizer_config.json") ?? incomplete(name, "tokenizer_config.json")
  const pooling = readJson(directory, "1_Pooling/config.json")
  const family = FAMILIES.find(({ matches }) => matches.test(`${name} ${config._name_or_path ?? ""}`))
  const modules = readJson(directory, "modules.json") as unknown as { type?: string }[] | undefined
  return {
    name,
    directory,
    ...findWeights(directory, name),
    pooling: pooling ? statedPooling(pooling, name) : (family?.pooling ?? "mean"),
    needsPooledGraph: modules?.some(({ type }) => type?.endsWith(".Dense")) ?? false,
    dimensions:
      firstNumber(own.dimensions, pooling?.word_embedding_dimension, hiddenSize(config)) ??
      incomplete(name, "a hidden_size in config.json"),
    isStatic: own.static === true,
    maxTokens: maxTokens(directory, config, tokenizer),
    batchTexts: firstNumber(own.batchTexts) ?? null,
    prefix: prefixes(directory, own, family),
    ...traits(directory, own, name),
    parts: null,
  }
}

/** How the scores of the model's vectors are taken. */
function traits(directory: string, own: Json, name: string) {
  return {
    fusionWeight: firstNumber(own.fusionWeight) ?? DEFAULT_FUSION_WEIGHT,
    languages: statedLanguages(directory, own, name),
    cosines: statedCosines(own.cosines),
    slope: firstNumber(own.slope) ?? DEFAULT_SLOPE,
    fastShare: firstNumber(own.fastShare) ?? 0,
  }
}

function statedCosines(stated: unknown): Cosines | null {
  const { mean, deviation } = (stated ?? {}) as Partial<Cosines>
  return typeof mean === "number" && typeof deviation === "number" ? { mean, deviation } : null
}

function incomplete(name: string, missing: string): never {
  throw new AppError("model_unavailable", {
    message: `the embedding model folder "${name}" is incomplete: ${missing} is missing`,
    hint: "a model folder holds config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx or onnx/model_quantized.onnx",
  })
}

function readJson(directory: string, file: string): Json | undefined {
  const path = join(directory, file)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Json
  } catch (cause) {
    throw new AppError("model_unavailable", {
      message: `the embedding model folder "${basename(directory)}" is damaged: ${file} is not valid JSON`,
      cause,
    })
  }
}

function findWeights(directory: string, name: string): Pick<EmbeddingFolder, "dtype" | "subfolder"> {
  for (const subfolder of ["onnx", ""])
    for (const [dtype, file] of WEIGHTS) {
      const path = join(directory, subfolder, file)
      if (existsSync(path) && statSync(path).size > 0) return { dtype, subfolder }
    }
  return incomplete(name, "onnx/model.onnx or onnx/model_quantized.onnx")
}

function statedPooling(pooling: Json, name: string): Pooling {
  if (pooling.pooling_mode_cls_token) return "cls"
  if (pooling.pooling_mode_lasttoken) return "last"
  if (pooling.pooling_mode_max_tokens) return "max"
  if (pooling.pooling_mode_mean_tokens) return "mean"
  throw new AppError("model_unavailable", {
    message: `the embedding model "${name}" asks for a pooling that is not supported`,
    hint: "1_Pooling/config.json must choose cls, mean, max or lasttoken",
  })
}

function prefixes(directory: string, own: Json, family: Family | undefined): EmbeddingFolder["prefix"] {
  const stated = readJson(directory, "config_sentence_transformers.json")?.prompts as Json | undefined
  const query = firstText(own.queryPrefix, stated?.query, family?.query)
  const passage = firstText(own.passagePrefix, stated?.passage, stated?.document, family?.passage)
  return { query: query ?? "", passage: passage ?? "" }
}

function maxTokens(directory: string, config: Json, tokenizer: Json): number {
  const positions = firstNumber(config.max_position_embeddings, config.n_positions)
  // RoBERTa counts positions from the padding index on, so two of them are never used.
  const usable = positions && /roberta|camembert/.test(String(config.model_type)) ? positions - 2 : positions
  const stated = [usable, tokenizer.model_max_length, readJson(directory, "sentence_bert_config.json")?.max_seq_length]
  const limits = stated.filter((value): value is number => typeof value === "number" && value > 0 && value < NO_LIMIT)
  return limits.length ? Math.min(...limits) : DEFAULT_MAX_TOKENS
}

/** What the folder says, else its model card, else the name of the model. */
function statedLanguages(directory: string, own: Json, name: string): string[] | null {
  if (Array.isArray(own.languages)) return own.languages.map(String)
  const card = join(directory, "README.md")
  const stated = existsSync(card) ? languagesOfCard(readFileSync(card, "utf8")) : undefined
  return stated === undefined ? languagesByName(name) : stated
}

const hiddenSize = (config: Json): unknown => config.hidden_size ?? config.d_model ?? config.dim ?? config.n_embd

const firstNumber = (...values: unknown[]): number | undefined => values.find(value => typeof value === "number")

const firstText = (...values: unknown[]): string | undefined => values.find(value => typeof value === "string")
