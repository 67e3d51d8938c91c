/** A reply as somebody reads it to whom it is not their own. */
import type { View } from "../access/view.ts"
import { whileSeen } from "../access/while-seen.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { NumberedEvent } from "./events.ts"

interface Reader {
  view: View
  /** Whether it is still shared. */
  isSeen(): Promise<boolean>
}

/** Until it is not shared any more, without the passages of files that its reader does not see. */
export async function* asShared(
  follow: (signal: AbortSignal) => AsyncIterable<NumberedEvent>,
  { files }: Pick<ChatDependencies, "files">,
  { view, isSeen }: Reader,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  for await (const event of whileSeen(follow, isSeen, signal)) {
    if (event.event !== "sources") yield event
    else {
      const found = await files.existing(view, [...new Set(event.data.sources.map(({ file_id }) => file_id))])
      const seen = new Set(found.map(({ id }) => id))
      const sources = event.data.sources.filter(({ file_id }) => seen.has(file_id))
      yield { ...event, data: { sources } as typeof event.data } // fewer of what has passed the guard
    }
  }
}
