/** What the feed of events takes and answers. */
import { t } from "elysia"
import { EVENT_TYPES } from "../../events/types.ts"
import { operation } from "../operation.ts"
import { nullable, oneOf, STREAM_TOKEN, StreamedError, Time } from "../schemas.ts"

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1_000

const EVENT_ID = "evt_01m7y48vkz3s85f1acdta2"
const EventId = t.String({ examples: [EVENT_ID] })

const EventSchema = t.Object(
  {
    id: EventId,
    type: oneOf(EVENT_TYPES),
    timestamp: Time,
    data: t.Record(t.String(), t.Any(), {
      description: "`id` of what it is about, and little more: ask for the rest by it",
      examples: [{ id: "file_01m7y48vkz3s85f1acdta2", context_id: null, external_id: null }],
    }),
  },
  { title: "Event" },
)

export const EventQuery = t.Object({
  after: t.Optional(
    t.String({ description: "Id of an event: only what came after it. Else from the oldest that is kept" }),
  ),
  types: t.Optional(t.String({ description: "Only these, with commas between them" })),
  limit: t.Optional(t.Integer({ default: DEFAULT_LIMIT, description: `1 to ${MAX_LIMIT}` })),
  stream_token: STREAM_TOKEN,
})

export const listEvents = operation({
  id: "listEvents",
  audit: "nothing",
  scope: "webhooks",
  summary: "Read or follow what happened",
  description: `In the order in which it happened, each event once. Pass \`next\` as \`after\` to go on. With
\`Accept: text/event-stream\` the stream stays open and each event is sent as it happens, the oldest that is kept first;
\`Last-Event-ID\` goes before \`after\`. Events are kept for 30 days unless the operator has set another time; an
\`after\` that is older is an error, since something may have been missed. What the caller may not see is not told:
of a file that is gone, narrowed keys and tokens hear where its context and its acl were theirs, those with a
\`filter\` do not; of work (runs, jobs, batches, schedules) whoever sees it; of sources, keys, storage and webhooks those
who are narrowed by nothing.`,
  tag: "Events",
  query: EventQuery,
  headers: [
    {
      name: "Last-Event-ID",
      description: "Only what came after this event of the stream",
      schema: { type: "string" },
    },
  ],
  answers: {
    200: {
      description: "The events",
      schema: t.Object(
        { data: t.Array(EventSchema), next: nullable(EventId, { description: "Null while there is no event" }) },
        { title: "EventList" },
      ),
      events: t.Union([
        ...EVENT_TYPES.map(type =>
          t.Object({ id: EventId, event: t.Literal(type), data: EventSchema }, { title: streamed(type) }),
        ),
        t.Object({ event: t.Literal("error"), data: StreamedError }, { title: "StreamError" }),
        t.Object({ event: t.Literal("done"), data: t.Object({}) }, { title: "StreamEnd" }),
      ]),
    },
  },
})

/** `file.searchable` gives `FileSearchableStreamed`. */
function streamed(type: string): string {
  return `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Streamed`
}
