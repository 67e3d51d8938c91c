/** Passages as they are shown, each with the link that opens it. Made for whoever asks, at that moment: links end, records stay. */
import type { Links } from "../access/links.ts"
import type { Principal } from "../access/principal.ts"
import type { RunEvent, RunRecord } from "../agents/run-record.ts"
import type { NumberedEvent } from "../chat/events.ts"
import type { Message } from "../chat/types.ts"
import type { Citation, Position } from "../grounding/passages.ts"
import type { Hit } from "../search/types.ts"

type Holder = Pick<Principal, "holderId">

type WithLinks<Record extends { citations: Citation[] }> = Omit<Record, "citations"> & {
  citations: (Record["citations"][number] & { url: string })[]
}
type LinkedMessages<Record> = Omit<Record, "messages"> & { messages: WithLinks<Message>[] }

/** What adds the links of one caller. */
export class Linked {
  constructor(
    private readonly links: Links,
    private readonly holder: Holder,
  ) {}

  hit = <Given extends Pick<Hit, "file" | "position">>(hit: Given) => ({
    ...hit,
    url: this.links.linkTo(this.holder, hit.file.id, hit.position),
  })

  passage = <Given extends { file_id: string; position: Position }>(passage: Given) => ({
    ...passage,
    url: this.links.linkTo(this.holder, passage.file_id, passage.position),
  })

  /** A message, an answer or a run. */
  cited = <Given extends { citations: Citation[] }>(record: Given): WithLinks<Given> => ({
    ...record,
    citations: record.citations.map(this.passage),
  })

  /** A conversation, or what a turn has added to it. */
  messages = <Given extends { messages: Message[] }>(record: Given): LinkedMessages<Given> => ({
    ...record,
    messages: record.messages.map(this.cited),
  })

  /** Of the stream of a reply. */
  chatEvent = (event: NumberedEvent) => {
    if (event.event === "sources") return { ...event, data: { sources: event.data.sources.map(this.passage) } }
    return event.event === "message_completed" ? { ...event, data: this.cited(event.data) } : event
  }

  /** Of the stream of a run. */
  runEvent = (event: RunEvent) =>
    event.event === "run_finished" ? { ...event, data: this.cited<RunRecord>(event.data) } : event
}
