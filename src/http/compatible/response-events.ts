/** The events of a response's stream, in the order that its clients expect, made from those of an answer. */
import type { NumberedEvent } from "../../chat/events.ts"
import type { Answer, AnswerEvent } from "../../chat/unstored.ts"
import { AppError, toErrorBody } from "../../errors.ts"
import type { Source } from "../../grounding/passages.ts"
import type { Wire } from "../sse.ts"
import {
  answeredState,
  callItem,
  errorOf,
  messageItem,
  NOTHING_YET,
  type ResponseHead,
  type ResponseState,
  responseOf,
  type Shown,
  searchItem,
  textOf,
} from "./response-object.ts"
import type { OutputItem, ResponseEvent } from "./response-schemas.ts"

/** What a stream is made from: what is told of an answer, and at its end how it stands. */
export type Told =
  | { event: "searching" }
  | { event: "sources"; sources: readonly Source[] }
  | { event: "text"; text: string }
  | { event: "end"; state: ResponseState }

const ended = (answer: Answer): Told => ({ event: "end", state: answeredState(answer) })

/** Of an answer that nobody keeps. Its failure is its end, once anything is told. @throws what it fails with before */
export async function* toldUnstored(events: AsyncIterable<AnswerEvent>): AsyncGenerator<Told> {
  let hasBegun = false
  try {
    for await (const told of events)
      for (const item of told.event === "answered" ? [ended(told.data)] : toldOf(told)) {
        hasBegun = true
        yield item
      }
  } catch (error) {
    if (!hasBegun || !(error instanceof AppError)) throw error
    yield { event: "end", state: { ...NOTHING_YET, status: "failed", error: errorOf(toErrorBody(error)) } }
  }
}

/** Of a kept one. @param end how it stands when it is over */
export async function* toldKept(
  events: AsyncIterable<NumberedEvent>,
  end: () => Promise<ResponseState>,
): AsyncGenerator<Told> {
  for await (const told of events)
    if (told.event === "done") yield { event: "end", state: await end() }
    else yield* toldOf(told)
}

function* toldOf({ event, data }: AnswerEvent | NumberedEvent): Generator<Told> {
  if (event === "status" && data.phase === "retrieving") yield { event: "searching" }
  else if (event === "sources") yield { event: "sources", sources: data.sources }
  else if (event === "message_delta" && data.text) yield { event: "text", text: data.text }
}

/** @throws what is told fails with */
export async function* eventsOf(
  told: AsyncIterable<Told>,
  head: ResponseHead,
  shown: Shown,
): AsyncGenerator<ResponseEvent> {
  const response = responseOf(head, NOTHING_YET, shown)
  yield { type: "response.created", response }
  yield { type: "response.in_progress", response }
  const output = new Output(head, shown)
  for await (const item of told)
    if (item.event === "searching" || item.event === "sources") {
      if (!head.echo.searches) continue // a stored reply tells that there are no sources
      yield* item.event === "searching" ? output.search() : output.found(item.sources)
    } else if (item.event === "text") yield* output.text(item.text)
    else {
      yield* output.end(item.state)
      yield { type: ENDS[item.state.status], response: responseOf(head, item.state, shown) }
    }
}

/** There is no event of its own for one that was stopped. */
const ENDS = {
  completed: "response.completed",
  failed: "response.failed",
  incomplete: "response.incomplete",
  cancelled: "response.incomplete",
  in_progress: "response.in_progress",
} as const satisfies Record<ResponseState["status"], ResponseEvent["type"]>

const IS_END = new Set<string>(["error", ENDS.completed, ENDS.failed, ENDS.incomplete])

/** The items of the output as they come: the search, the message, calls. */
class Output {
  private index = -1
  private search_: "none" | "open" | "done" = "none"
  private hasText = false
  private sources: readonly Source[] = []

  constructor(
    private readonly head: ResponseHead,
    private readonly shown: Shown,
  ) {}

  *search(): Generator<ResponseEvent> {
    if (this.search_ !== "none") return
    this.search_ = "open"
    const item = searchItem(this.head, "in_progress", [], { ...this.shown, withResults: false })
    yield this.added(item)
    yield { type: "response.file_search_call.in_progress", ...this.at(item) }
    yield { type: "response.file_search_call.searching", ...this.at(item) }
  }

  *found(sources: readonly Source[]): Generator<ResponseEvent> {
    yield* this.search()
    this.sources = sources
    yield* this.endSearch("completed")
  }

  *text(delta: string): Generator<ResponseEvent> {
    if (!this.hasText) {
      yield* this.endSearch("completed")
      this.hasText = true
      const empty = textOf({ content: "", citations: [] }, this.shown)
      yield this.added({ ...messageItem(this.head, false, empty), status: "in_progress", content: [] })
      yield { type: "response.content_part.added", ...this.part, part: empty }
    }
    yield { type: "response.output_text.delta", ...this.part, delta, logprobs: [] }
  }

  *end(state: ResponseState): Generator<ResponseEvent> {
    yield* this.endSearch(state.status === "failed" ? "incomplete" : "completed")
    if (this.hasText) {
      const part = textOf(state, this.shown)
      for (const [annotation_index, annotation] of part.annotations.entries())
        yield { type: "response.output_text.annotation.added", ...this.part, annotation_index, annotation }
      yield { type: "response.output_text.done", ...this.part, text: part.text, logprobs: [] }
      yield { type: "response.content_part.done", ...this.part, part }
      yield this.done(messageItem(this.head, state.status === "completed", part))
    }
    for (const [at, call] of state.calls.entries()) {
      const item = callItem(this.head, call, at)
      const { name, arguments: text } = item
      yield this.added({ ...item, arguments: "", status: "in_progress" })
      yield { type: "response.function_call_arguments.delta", ...this.at(item), delta: text }
      yield { type: "response.function_call_arguments.done", ...this.at(item), name, arguments: text }
      yield this.done(item)
    }
  }

  private *endSearch(status: "completed" | "incomplete"): Generator<ResponseEvent> {
    if (this.search_ !== "open") return
    this.search_ = "done"
    const item = searchItem(this.head, status, this.sources, this.shown)
    if (status === "completed") yield { type: "response.file_search_call.completed", ...this.at(item) }
    yield this.done(item)
  }

  private added(item: OutputItem): ResponseEvent {
    return { type: "response.output_item.added", output_index: ++this.index, item }
  }

  private done(item: OutputItem): ResponseEvent {
    return { type: "response.output_item.done", output_index: this.index, item }
  }

  private at({ id }: OutputItem) {
    return { output_index: this.index, item_id: id }
  }

  private get part() {
    return { output_index: this.index, item_id: this.head.messageId, content_index: 0 }
  }
}

/** Made anew for each stream: it counts. @param after number of the last event that the client has */
export function responseWire(after = -1): Wire<ResponseEvent> {
  let next = 0
  const spelled = (event: ResponseEvent) => {
    const sequence_number = next++
    if (sequence_number <= after && !IS_END.has(event.type)) return ""
    return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`
  }
  return {
    event: spelled,
    failure(error, requestId) {
      const { code, message } = toErrorBody(error, requestId)
      return spelled({ type: "error", code, message, param: null })
    },
  }
}
