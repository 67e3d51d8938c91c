/** The thread that runs one cross-encoder. */
import type { AutoModelForSequenceClassification, AutoTokenizer } from "@huggingface/transformers"
import { type Library, loadLibrary, serveModel } from "../../backends/model-side.ts"
import { foreignTo, maySpeak, PassageLanguages } from "../text/language.ts"
import type { Judged } from "./scorer.ts"
import { chosenWindows } from "./windows.ts"

export interface CrossEncoderPlace {
  /** Model folder: config.json, tokenizer.json, onnx/model_quantized.onnx. */
  directory: string
  /** See `RerankFolder`. */
  languages: string[] | null
  nativeDirectory: string
}

export interface CrossEncoderBatch {
  query: string
  texts: string[]
  /** See `Reranker.score`. */
  foreign: "pass over" | "score"
}

type Tokenizer = Awaited<ReturnType<typeof AutoTokenizer.from_pretrained>>
type Model = Awaited<ReturnType<typeof AutoModelForSequenceClassification.from_pretrained>>

/** Of query, passage and the three marks together: text of a window that is dense in tokens loses its end. */
const MAX_TOKENS = 320
/** Of a query that is itself a passage. */
const MAX_QUERY_TOKENS = 96

serveModel<CrossEncoderPlace, CrossEncoderBatch, Judged>(async ({ directory, languages, nativeDirectory }) => {
  const library = await loadLibrary(nativeDirectory)
  const tokenizer = await library.AutoTokenizer.from_pretrained(directory, { local_files_only: true })
  const model = await library.AutoModelForSequenceClassification.from_pretrained(directory, {
    local_files_only: true,
    dtype: "q8",
    device: "cpu",
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  })
  const encoder = new CrossEncoder(library, tokenizer, model)
  return ({ query, texts, foreign }) => encoder.judge(query, texts, foreign === "score" ? null : languages)
})

class CrossEncoder {
  private readonly begin: number
  private readonly end: number

  constructor(
    private readonly library: Library,
    private readonly tokenizer: Tokenizer,
    private readonly model: Model,
  ) {
    const [begin, ...rest] = tokenizer.encode("a")
    this.begin = begin!
    this.end = rest.at(-1)!
  }

  async judge(query: string, texts: string[], languages: string[] | null): Promise<Judged> {
    const scores = new Float32Array(texts.length).fill(Number.NaN)
    const judged: Judged = { scores, tokens: 0 }
    if (languages && !maySpeak(query, languages)) return judged
    const asked = [this.begin, ...this.idsOf(query).slice(0, MAX_QUERY_TOKENS), this.end]
    const foreign = languages && foreignTo(languages)
    for (const [at, text] of texts.entries()) {
      if (foreign?.has(new PassageLanguages().next(text))) continue
      for (const window of chosenWindows(query, text)) {
        const passage = this.idsOf(window).slice(0, MAX_TOKENS - asked.length - 1)
        // One at a time: together they would be padded to the longest, and take longer.
        const score = await this.scoreOf(asked, [...passage, this.end])
        judged.tokens += asked.length + passage.length + 1
        if (!(score <= scores[at]!)) scores[at] = score
      }
    }
    return judged
  }

  /** A text that holds `[SEP]` must not end before its end. */
  private idsOf(text: string): number[] {
    const ids = this.tokenizer.encode(text, { add_special_tokens: false })
    return ids.filter(id => id !== this.begin && id !== this.end)
  }

  private async scoreOf(asked: number[], passage: number[]): Promise<number> {
    const dims = [1, asked.length + passage.length]
    const tensor = (values: number[]) => new this.library.Tensor("int64", BigInt64Array.from(values, BigInt), dims)
    const { logits } = (await this.model({
      input_ids: tensor([...asked, ...passage]),
      token_type_ids: tensor([...asked.map(() => 0), ...passage.map(() => 1)]),
    })) as { logits: { data: Float32Array } }
    return 1 / (1 + Math.exp(-logits.data[0]!))
  }
}
