import { isGenuine, type Receipt, type ReceiptKey, ReceiptSigner } from "../governance/receipts/receipt.ts"
import { type Command, parseArguments, print, UsageError, withExistingDatabase } from "./command.ts"

export const HELP = `Usage: carrel verify-receipt FILE [--key FILE] [--data DIR]

Checks the signature of the receipt of a deletion. FILE is the JSON of \`GET /external/receipts/{id}\`; - reads standard
input. It is held against the key of this installation or, with --key, against the one in that file, as
\`GET /external/receipts/key\` has it, and against no other. Exit status: 0 genuine, 1 not, 2 no receipt or no key.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["key"] })
  const [file, ...others] = words
  if (file === undefined || others.length > 0)
    throw new UsageError("verify-receipt takes one FILE with a receipt; `carrel verify-receipt --help` says more")
  const receipt = asReceipt(await readJson(file), file)
  const keyFile = options.get("key")
  const key =
    keyFile === undefined
      ? await withExistingDatabase(config, async database => (await ReceiptSigner.of(database)).key)
      : asKey(await readJson(keyFile), keyFile)
  if (!isGenuine(receipt, key)) {
    process.stderr.write(`carrel: ${receipt.id} was changed, or signed with another key\n`)
    return 1
  }
  print(`${receipt.id} is genuine: ${receipt.what}, ${receipt.ids.length} removed, ${receipt.at}`)
  return 0
}

/** More is no receipt: one of a million ids has 30 MB. */
const MAX_BYTES = 64 * 2 ** 20

async function readJson(path: string): Promise<unknown> {
  const file = path === "-" ? Bun.stdin : Bun.file(path)
  if (path !== "-" && (!(await file.exists()) || file.size > MAX_BYTES))
    throw new UsageError(`${path} is no file, or too large for a receipt`)
  try {
    return JSON.parse(await file.text())
  } catch {
    throw new UsageError(`${path} holds no JSON`)
  }
}

function asReceipt(value: unknown, path: string): Receipt {
  const { id, what, at, ids, signature } = (value ?? {}) as Partial<Receipt>
  const isReceipt = [id, what, at, signature].every(text => typeof text === "string") && Array.isArray(ids)
  if (!isReceipt) throw new UsageError(`${path} holds no receipt`)
  return value as Receipt
}

function asKey(value: unknown, path: string): ReceiptKey {
  const { kty, crv, x } = (value ?? {}) as Partial<ReceiptKey>
  const isKey = kty === "OKP" && crv === "Ed25519" && typeof x === "string" && Buffer.from(x, "base64url").length === 32
  if (!isKey) throw new UsageError(`${path} holds no Ed25519 key as JWK`)
  return value as ReceiptKey
}
