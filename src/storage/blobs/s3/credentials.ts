/**
 * What an object storage is entered with. The client's own chain of places is never asked: it ends at a metadata host
 * that nobody configured.
 */
import { readFile } from "node:fs/promises"
import { OperatorError } from "../../../errors.ts"

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Whoever renews credentials writes the file well before the former ones end. */
const FILE_KEPT_MS = 60_000
/** The client asks for new ones so long before those it has expire. */
const RENEWED_BEFORE_MS = 300_000

/**
 * Credentials from a file such as Amazon's tools write, looked at again every minute: its section `default`, or its only one.
 * @throws OperatorError where it cannot be read or lacks a key
 */
export async function credentialsIn(path: string): Promise<S3Credentials & { expiration: Date }> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`the file of credentials ${path} cannot be read (${error.code})`)
  })
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = sectionOf(text)
  if (!accessKeyId || !secretAccessKey)
    throw new OperatorError(`the file of credentials ${path} lacks aws_access_key_id or aws_secret_access_key`)
  const expiration = new Date(Date.now() + RENEWED_BEFORE_MS + FILE_KEPT_MS)
  return { accessKeyId, secretAccessKey, expiration, ...(sessionToken ? { sessionToken } : {}) }
}

function sectionOf(text: string): Partial<Record<string, string>> {
  const sections = new Map<string, Record<string, string>>([["", {}]])
  let current = sections.get("")!
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (section !== undefined) {
      current = {}
      sections.set(section, current)
    } else if (name) current[name] = value!
  }
  return sections.get("default") ?? [...sections.values()].at(-1)!
}
