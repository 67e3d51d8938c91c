/** What `carrel rekey` asks of the daemon of its directory: to encrypt what it holds. It names the key file, never the key. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface RekeyRequest {
  /** Of the new key; absolute. */
  key_file: string
  /** Why the daemon could not do it. */
  refusal?: string
}

const pathIn = (dataDirectory: string): string => join(dataDirectory, "rekey.json")

export function writeRequest(dataDirectory: string, request: RekeyRequest): void {
  const path = pathIn(dataDirectory)
  writeFileSync(`${path}.new`, `${JSON.stringify(request)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Undefined where there is none. */
export function readRequest(dataDirectory: string): RekeyRequest | undefined {
  const path = pathIn(dataDirectory)
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as RekeyRequest) : undefined
}

export const removeRequest = (dataDirectory: string): void => rmSync(pathIn(dataDirectory), { force: true })
