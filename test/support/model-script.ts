/** How a stand-in for a model server behaves, one turn at a time. */
export interface ScriptedTurn {
  /** Words of the answer; each is one line of the stream. */
  text?: string
  pieces?: string[]
  thinking?: string
  tools?: { name: string; arguments: Record<string, unknown> }[]
  firstDelayMs?: number
  delayMs?: number
  reason?: "stop" | "length"
  promptTokens?: number
  /** Answers with this status and error instead. */
  status?: number
  /** Tells the status and error only to who asks without a stream: the stream is empty, as llama-cpp-python's is. */
  emptyStream?: boolean
  /** Says nothing about tokens. */
  uncounted?: boolean
  error?: string
  /** The connection is reset after so many pieces. */
  resetAfter?: number
  /** An error line comes after so many pieces. */
  errorAfter?: number
  /** The stream ends after so many pieces, without its last line. */
  endAfter?: number
  /** Something that is not JSON comes after so many pieces. */
  garbageAfter?: number
  /** Nothing is ever sent; with `hangAfter` only after so many pieces. */
  hang?: boolean
  hangAfter?: number
  /** Waits for this before it sends anything; with `holdAfter` only after so many pieces. */
  held?: Promise<unknown>
  holdAfter?: number
  /** The stream is cut into chunks of so many bytes, across lines and characters. */
  chunkBytes?: number
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape
export type RecordedRequest = any

export type Script = (request: RecordedRequest, count: number) => ScriptedTurn

/** Picks the turn whose name the newest `case-NAME` in the request has. */
export class Scenes {
  private readonly turns = new Map<string, Script>()
  private readonly requests = new Map<string, RecordedRequest[]>()

  add(name: string, turn: ScriptedTurn | Script): void {
    this.turns.set(name, typeof turn === "function" ? turn : () => turn)
  }

  /** The requests that a scene got. */
  got(name: string): RecordedRequest[] {
    return this.requests.get(name) ?? []
  }

  readonly script: Script = request => {
    const name = [...JSON.stringify(request.messages ?? []).matchAll(/case-([a-z0-9]+)/g)].at(-1)?.[1] ?? "none"
    const earlier = this.got(name)
    this.requests.set(name, [...earlier, request])
    return this.turns.get(name)?.(request, earlier.length) ?? { text: "Hello from the model." }
  }
}

export const piecesOf = (turn: ScriptedTurn): string[] => turn.pieces ?? turn.text?.match(/\s*\S+/g) ?? []
