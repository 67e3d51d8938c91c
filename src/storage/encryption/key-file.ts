/** The file with the key of an installation that is encrypted at rest. */
import { readFileSync, statSync } from "node:fs"
import { OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import { OWN_UMASK } from "../file-modes.ts"
import { KEY_BYTES } from "./aead.ts"

const MAKING = "`openssl rand -hex 32 > FILE` makes one; keep a copy of it apart from the data and its backups"
/** More than any spelling of a key has. */
const MOST_BYTES = 1_024

/**
 * The key in a file: 32 bytes as they are, or in hex or base64, with or without a line break at the end.
 * @throws OperatorError that says what is wrong with the file, and nothing of what is in it
 */
export function readKeyFile(path: string): Buffer {
  const bytes = contentOf(path)
  const key = keyIn(bytes)
  if (!key) {
    const found = bytes.byteLength === 0 ? "is empty" : `holds ${bytes.byteLength} bytes that are no such key`
    throw new OperatorError(`the key file ${path} must hold 32 bytes, raw, in hex or in base64; it ${found}`, {
      hint: MAKING,
    })
  }
  bytes.fill(0)
  if ((statSync(path).mode & OWN_UMASK) !== 0)
    log.warn("other users of this machine may read the key file: chmod 600 it", { path })
  return key
}

function contentOf(path: string): Buffer {
  try {
    const found = statSync(path)
    if (!found.isFile()) throw new OperatorError(`the key file ${path} is not a file`, { hint: MAKING })
    if (found.size > MOST_BYTES)
      throw new OperatorError(`the key file ${path} must hold 32 bytes, raw, in hex or in base64; it is too large`, {
        hint: MAKING,
      })
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new OperatorError(`there is no key file ${path}`, {
        hint: "bring the file back from where its copy is kept: nothing else opens what was encrypted with it",
      })
    if (code) throw new OperatorError(`the key file ${path} cannot be read (${code})`, { cause: error })
    throw error
  }
}

function keyIn(bytes: Buffer): Buffer | undefined {
  if (bytes.byteLength === KEY_BYTES) return Buffer.from(bytes)
  const text = bytes.toString("latin1").trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex")
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64")
  return undefined
}
