/** Texts as the inputs of a model that onnxruntime runs. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Tensor } from "@huggingface/transformers"
import type { EmbeddingFolder } from "./embedding-folder.ts"
import type { Library } from "./model-side.ts"
import { Unigram, type UnigramFile } from "./unigram.ts"
import { readWordPieces } from "./word-pieces.ts"

/** Both `[texts, tokens]`: shorter texts are padded at their end, longer ones than `maxTokens` cut there. */
export interface ModelInputs {
  input_ids: Tensor
  attention_mask: Tensor
}

export interface InputTokenizer {
  /** Ids of what says nothing: the unknown piece and the special tokens. */
  silent: ReadonlySet<number>
  inputs(texts: string[]): ModelInputs
}

/**
 * Our own tokenizer where it knows the kind, transformers.js' for all others. For the built-in quality model ours takes
 * 15 MB of memory (84), .012 CPU-ms for a question of 8 words (.18), .042 for a passage of 100 (.85), and .19 CPU-s to load (.41).
 */
export async function openTokenizer(library: Library, folder: EmbeddingFolder): Promise<InputTokenizer> {
  return openOwn(library, folder) ?? (await openTheirs(library, folder))
}

async function openTheirs(library: Library, { directory, maxTokens }: EmbeddingFolder): Promise<InputTokenizer> {
  const tokenizer = await library.AutoTokenizer.from_pretrained(directory, { local_files_only: true })
  return {
    silent: new Set<number>([tokenizer.unk_token_id, ...tokenizer.all_special_ids]),
    inputs: texts => tokenizer(texts, { padding: true, truncation: true, max_length: maxTokens }),
  }
}

/** What transformers.js reads in `tokenizer_config.json` that would change the ids. */
interface TokenizerConfig {
  tokenizer_class?: string
  pad_token?: string | { content: string } | null
  padding_side?: string
  remove_space?: boolean
  do_lowercase_and_remove_accent?: boolean
}

interface OwnTokenizer {
  /** Ids of a text with those around it. @param most of them */
  row(text: string, most: number): number[]
  paddingId: number
  silent: ReadonlySet<number>
}

function openOwn({ Tensor }: Library, { directory, maxTokens }: EmbeddingFolder): InputTokenizer | undefined {
  const config = JSON.parse(readFileSync(join(directory, "tokenizer_config.json"), "utf8")) as TokenizerConfig
  if ((config.padding_side ?? "right") !== "right") return
  const own = openUnigram(directory, config) ?? openWordPieces(directory, config)
  return (
    own && {
      silent: own.silent,
      inputs: texts => {
        const rows = texts.map(text => own.row(text, maxTokens))
        const width = Math.max(...rows.map(row => row.length))
        const ids = new BigInt64Array(rows.length * width).fill(BigInt(own.paddingId))
        const mask = new BigInt64Array(ids.length)
        for (const [at, row] of rows.entries()) {
          ids.set(row.map(BigInt), at * width)
          mask.fill(1n, at * width, at * width + row.length)
        }
        const dimensions = [rows.length, width]
        return {
          input_ids: new Tensor("int64", ids, dimensions),
          attention_mask: new Tensor("int64", mask, dimensions),
        }
      },
    }
  )
}

function openUnigram(directory: string, config: TokenizerConfig): OwnTokenizer | undefined {
  const { tokenizer_class, remove_space, do_lowercase_and_remove_accent } = config
  if (!tokenizer_class?.startsWith("XLMRobertaTokenizer") || remove_space || do_lowercase_and_remove_accent) return
  const file = JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8")) as UnigramFile
  if (!Unigram.reads(file)) return
  const tokenizer = new Unigram(file)
  const padding = config.pad_token
  const paddingId = tokenizer.idOf((typeof padding === "string" ? padding : padding?.content) ?? "")
  if (paddingId === undefined) return
  const { before, after } = tokenizer.around
  return {
    // The cut takes the closing token too, as it does in transformers.js.
    row: (text, most) => [...before, ...tokenizer.encode(text), ...after].slice(0, most),
    paddingId,
    silent: tokenizer.silent,
  }
}

function openWordPieces(directory: string, { tokenizer_class }: TokenizerConfig): OwnTokenizer | undefined {
  const pieces = tokenizer_class === "BertTokenizer" ? readWordPieces(directory) : undefined
  if (!pieces) return
  const { begin, end, padding, silent } = pieces
  return {
    // BERT was trained with its closing token behind what was cut.
    row: (text, most) => [begin, ...pieces.encode(text, most).ids.slice(0, most - 2), end],
    paddingId: padding,
    silent,
  }
}
