/** Counts the tokens of passages on their way to the embedding model. */
import { guessTokens } from "../backends/guess-tokens.ts"
import type { ChunkSource, TextChunk } from "../storage/document.ts"

export interface CountedChunks extends ChunkSource {
  /** Of the passages of the last reading. */
  readonly embeddedTokens: number
}

export function counted(source: ChunkSource): CountedChunks {
  let tokens = 0
  return {
    count: source.count,
    opening: source.opening,
    get embeddedTokens() {
      return tokens
    },
    async *batches(size: number) {
      tokens = 0
      for await (const batch of source.batches(size)) {
        for (const chunk of batch) tokens += tokensOf(chunk)
        yield batch
      }
    },
  }
}

/** The title of its section is embedded with it. */
const tokensOf = ({ text, context }: TextChunk): number => guessTokens(text) + (context ? guessTokens(context) : 0)
