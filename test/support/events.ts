/** Reads server-sent events from a response. */
export interface ReadEvent {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every event
  data: any
}

/** All events, or those up to the first for which `until` says so; then the connection is closed. */
export async function readEvents(response: Response, until?: (event: ReadEvent) => boolean): Promise<ReadEvent[]> {
  const events: ReadEvent[] = []
  const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader()
  let rest = ""
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return events
    rest += value
    const blocks = rest.split("\n\n")
    rest = blocks.pop()!
    for (const block of blocks) {
      if (block.startsWith(":")) continue
      const field = (name: string) =>
        block
          .split("\n")
          .find(line => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? ""
      const event = { id: Number(field("id")), event: field("event"), data: JSON.parse(field("data")) }
      events.push(event)
      if (until?.(event)) {
        await reader.cancel()
        return events
      }
    }
  }
}

export const textOf = (events: ReadEvent[]): string =>
  events.map(({ event, data }) => (event === "message_delta" ? data.text : "")).join("")

// biome-ignore lint/suspicious/noExplicitAny: payloads of every event
export const dataOf = (events: ReadEvent[], name: string): any => events.find(({ event }) => event === name)?.data
