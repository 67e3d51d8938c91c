/** Speaks to the engine of a test as the product does not: without the product's client. */
import { readFileSync } from "node:fs"
import type { openSearch } from "../../support/engines.ts"

export type Engine = NonNullable<Awaited<ReturnType<typeof openSearch>>>

/** An answer of the engine's, whatever its status. A body that is an array goes as lines. */
export async function ask({ url, caFile }: Engine, method: string, path: string, body?: object): Promise<unknown> {
  const { origin, username, password } = new URL(url)
  const isLines = Array.isArray(body)
  const response = await fetch(`${origin}/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${username}:${password}`)}`,
      "content-type": isLines ? "application/x-ndjson" : "application/json",
    },
    tls: { ca: readFileSync(caFile, "utf8") },
    ...(body ? { body: isLines ? body.map(line => `${JSON.stringify(line)}\n`).join("") : JSON.stringify(body) } : {}),
  })
  return response.json()
}
