/** Passages as they are shown, each with the link that opens it. Made for whoever asks, at that moment: links end, records stay. */
import type { Links } from "../access/links.ts"
import type { Principal } from "../access/principal.ts"
import type { RunEvent, RunRecord } from "../agents/run-record.ts"
import type { ChatEvent } from "../chat/events.ts"
import type { AnswerRecord } from "../chat/record/answer-record.ts"
import type { Difference } from "../chat/record/difference.ts"
import type { Message, Variant } from "../chat/types.ts"
import type { Citation, Position } from "../grounding/passages.ts"
import type { Hit } from "../search/types.ts"

type Holder = Pick<Principal, "holderId">

type WithLinks<Record extends { citations: Citation[] }> = Omit<Record, "citations"> & {
  citations: (Record["citations"][number] & { url: string })[]
}
type LinkedMessage = Omit<WithLinks<Message>, "images" | "variants"> & {
  images: (Message["images"][number] & { url: string })[]
  variants: WithLinks<Variant>[]
}
type LinkedMessages<Record> = Omit<Record, "messages"> & { messages: LinkedMessage[] }

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
  messages = <Given extends { conversation_id: string; messages: Message[] }>(
    record: Given,
  ): LinkedMessages<Given> => ({
    ...record,
    messages: record.messages.map(message => ({
      ...this.cited(message),
      variants: message.variants.map(this.cited),
      images: message.images.map((image, place) => ({
        ...image,
        url: `/external-docs/external/conversations/${record.conversation_id}/messages/${message.id}/images/${place}`,
      })),
    })),
  })

  /** What made an answer; passages that are not shown have no link. */
  answerRecord = ({ difference, ...record }: AnswerRecord) => ({
    ...record,
    passages: record.passages.map(passage => {
      const { file_id, position } = passage
      return position ? { ...passage, url: this.links.linkTo(this.holder, file_id, position) } : passage
    }),
    ...(difference ? { difference: this.difference(difference) } : {}),
  })

  difference = (difference: Difference) => ({ ...difference, added: difference.added.map(this.passage) })

  /** Of the stream of a reply. */
  chatEvent = (event: ChatEvent & { id: number }) => {
    if (event.event === "sources") return { ...event, data: { sources: event.data.sources.map(this.passage) } }
    return event.event === "message_completed" ? { ...event, data: this.cited(event.data) } : event
  }

  /** Of the stream of a run. */
  runEvent = (event: RunEvent) =>
    event.event === "run_finished" ? { ...event, data: this.cited<RunRecord>(event.data) } : event
}
