/** The events of streams: schemas that name each, and the type of what a source may send. */
import { type Static, type TSchema, t } from "elysia"
import { integer, StreamedError, titled } from "./schemas.ts"

/** What stands in the lines `id:`, `event:` and `data:` of one event. */
export const event = <Name extends string, Data extends TSchema>(name: Name, data: Data) =>
  t.Object({ id: integer({ minimum: 1 }), event: t.Literal(name), data }, { title: `${titled(name)}Event` })

/** How a stream ends that fails, or whose credential ends, after it began. */
export const FAILURE = [
  event("error", StreamedError),
  event("done", t.Object({}, { description: "Always the last event of a reply and of a run" })),
] as const

/** What a source of such a stream yields; events are numbered on their way where they bring no number. */
export type Sent<Schema extends TSchema> = Static<Schema> extends infer Event ? Numbered<Event> : never
type Numbered<Event> = Event extends { id: number } ? Omit<Event, "id"> & { id?: number } : never
