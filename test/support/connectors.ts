/** A connector as the engine uses it, for tests of connectors alone. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { allowListOf } from "../../src/egress/allow-list.ts"
import { Egress, type EgressOptions } from "../../src/egress/egress.ts"
import { fetchPolicy } from "../../src/egress/policy.ts"
import type { Connector, ConnectorParts, Entry, SourceKind } from "../../src/sources/connector.ts"
import { Fields } from "../../src/sources/fields.ts"

/** What a connector is given here, and the folder that it may write to. */
export function someParts(
  allowed: readonly string[] = ["127.0.0.1", "localhost"],
  options: Partial<EgressOptions> = {},
): { parts: ConnectorParts; directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "carrel-source-"))
  const egress = new Egress({ policy: fetchPolicy(allowListOf(allowed), false), ...options })
  return {
    parts: { egress, sourceRoots: [], directory: async () => directory },
    directory,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** For connectors that keep nothing on this machine. */
export const reaching = (...allowed: string[]): ConnectorParts => ({
  egress: new Egress({ policy: fetchPolicy(allowListOf(allowed), false) }),
  sourceRoots: [],
  directory: () => Promise.reject(new Error("no folder in this test")),
})

/** Opened as a request would: `config` and `credentials` are checked. */
export function opened<Config, Credentials>(
  kind: SourceKind<Config, Credentials>,
  parts: ConnectorParts,
  config: Record<string, unknown>,
  credentials?: Record<string, unknown>,
): Connector {
  return kind.open!({
    config: kind.config(new Fields("config", config)),
    credentials: credentials ? kind.credentials!(new Fields("credentials", credentials)) : null,
    parts,
  })
}

const forever = new AbortController().signal

/** Every entry by its key. */
export async function entriesOf(connector: Connector, signal = forever): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of connector.list(signal)) {
    if (entries.has(entry.key)) throw new Error(`listed twice: ${entry.key}`)
    entries.set(entry.key, entry)
  }
  return entries
}

/** Undefined where it is gone. */
export async function contentOf(connector: Connector, entry: Entry, signal = forever): Promise<Buffer | undefined> {
  const content = await connector.read(entry, signal)
  if (!content) return undefined
  const parts: Uint8Array[] = []
  for await (const part of content.bytes) parts.push(part)
  return Buffer.concat(parts)
}

/** Of the entry with this key, which is all that a connector may need of it. */
export const textOf = async (connector: Connector, key: string): Promise<string | undefined> =>
  (await contentOf(connector, { key, fingerprint: "" }))?.toString()
