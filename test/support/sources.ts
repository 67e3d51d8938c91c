/** Sources over the API, as tests use them. */
import type { Client } from "./app.ts"
import { until } from "./until.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

export class SourceClient {
  constructor(private readonly client: Client) {}

  /** @returns its id @throws where it is refused */
  async create(settings: object): Promise<string> {
    const { status, body } = await this.client.post("/sources", { name: "shared", ...settings })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.id
  }

  /** The source, once no sync is going on. */
  idle(id: string): Promise<Body> {
    return until(async () => {
      const { body } = await this.client.get(`/sources/${id}`)
      return body.status !== "syncing" && body
    })
  }

  /** Asks for a sync of its own, waits for its end, and returns the source. */
  async sync(id: string, options: object = {}): Promise<Body> {
    await this.idle(id)
    const { status, body } = await this.client.post(`/sources/${id}/sync`, options)
    if (status !== 202) throw new Error(JSON.stringify(body))
    return this.idle(id)
  }

  /** The coverage, once every entry has come to its end. */
  covered(id: string): Promise<Body> {
    return until(async () => {
      const { body } = await this.client.get(`/sources/${id}/coverage?page_size=100`)
      return body.pending === 0 && body
    })
  }

  /** A hundred of its files at most. */
  async files(id: string): Promise<Body[]> {
    const filter = JSON.stringify({ type: "eq", key: "file.source_id", value: id })
    const { body } = await this.client.get(`/libraries?page_size=100&filter=${encodeURIComponent(filter)}`)
    return body.data
  }

  async keys(id: string): Promise<string[]> {
    return (await this.files(id)).map(({ source }) => source.key).sort()
  }
}
