import { resolve } from "node:path"
import type { Config } from "../config.ts"
import { enginesOf } from "../configured-cluster.ts"
import { OperatorError } from "../errors.ts"
import type { PlainBlobs } from "../storage/blobs/blobs.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import type { Database } from "../storage/database.ts"
import { encryptAll } from "../storage/encryption/convert.ts"
import { readKeyFile } from "../storage/encryption/key-file.ts"
import { findRoot, keyringOf, rewrapRoot } from "../storage/encryption/keyring.ts"
import { readRequest, removeRequest, writeRequest } from "../storage/encryption/request.ts"
import { SealedBlobs } from "../storage/encryption/sealed-blobs.ts"
import { beginEncryption, unlock } from "../storage/encryption/unlock.ts"
import { isHeld, lockDirectory } from "../storage/sqlite/lock.ts"
import {
  type Command,
  needInstallation,
  parseArguments,
  print,
  refuseWords,
  UsageError,
  withPlainRecords,
} from "./command.ts"
import { scratch } from "./open-stores.ts"
import { withProgress } from "./progress.ts"
import { findRunning, forgetRunning } from "./running.ts"
import { openStoppedEngines } from "./stopped-engines.ts"
import { tellAll } from "./told.ts"

export const HELP = `Usage: carrel rekey --encryption-key-file OLD --new-encryption-key-file NEW [--data DIR]
       carrel rekey --new-encryption-key-file NEW [--data DIR]   encrypt what is stored in clear

With OLD, everything is opened by the key in NEW from now on: at once, also while the daemon runs, and nothing is written
anew. Backups made before need OLD still.

Without, an installation that is not encrypted becomes so. A daemon that runs does it beside its work, a stopped one's
directory is worked on here; cut short, the same command, or the next start, goes on. Several machines: stop the nodes.

Afterwards start the daemon with --encryption-key-file NEW (or CARREL_ENCRYPTION_KEY_FILE). A key file holds 32 bytes, raw,
in hex or in base64; without it nothing can be read any more, by nobody: keep a copy of it apart from the data.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["new-encryption-key-file"] })
  refuseWords(words)
  const given = options.get("new-encryption-key-file")
  if (!given) throw new UsageError("--new-encryption-key-file is required: the file with the new key")
  const next = resolve(given)
  readKeyFile(next).fill(0) // refused before anything is done
  const isEncrypted = await withPlainRecords(config, async plain => (await findRoot(plain))?.state === "sealed")
  if (isEncrypted) await rewrap(config, next)
  else await encrypt(config, next)
  await withPlainRecords(config, plain => tellAll(plain, "rekey", "installation.rekey"))
  print(
    `Start the daemon with --encryption-key-file ${next} from now on; keep a copy of that file apart from the data.`,
  )
  return 0
}

async function rewrap(config: Config, next: string): Promise<void> {
  if (config.encryption_key_file === "")
    throw new UsageError("--encryption-key-file is required: the file with the key that this installation has now")
  const [former, key] = [readKeyFile(config.encryption_key_file), readKeyFile(next)]
  await withPlainRecords(config, plain => rewrapRoot(plain, former, key)).finally(() => {
    former.fill(0)
    key.fill(0)
  })
  print("the installation is opened by the new key; the former one opens older backups alone")
}

async function encrypt(config: Config, next: string): Promise<void> {
  await withProgress("Encrypting what is stored", async progress => {
    const on = (count: number) => progress.update(count)
    progress.step("Encrypting what is stored", "rows")
    const engines = enginesOf(config)
    await using stack = new AsyncDisposableStack()
    if (engines) {
      const opened = await openStoppedEngines(engines, { ...config, data: scratch(stack) }, stack)
      return convert(opened, next, undefined, on)
    }
    needInstallation(config)
    if (isHeld(config.data) && findRunning(config.data)) return askDaemon(config, next)
    const lock = lockDirectory(config.data)
    stack.defer(() => lock.release())
    forgetRunning(config.data)
    removeRequest(config.data)
    await withPlainRecords(config, plain =>
      convert({ database: plain, blobs: new DiskBlobs(config.data) }, next, config.data, on),
    )
  })
  print("everything that is stored is encrypted")
}

async function convert(
  { database: plain, blobs }: { database: Database; blobs: PlainBlobs },
  next: string,
  dataDirectory: string | undefined,
  on: (count: number) => void,
): Promise<void> {
  const found = await findRoot(plain)
  const database = await unlock(plain, found ? next : "")
  if (!found) await beginEncryption(database, next)
  const stored = { database, blobs: new SealedBlobs(blobs, keyringOf(database)) }
  const never = new AbortController().signal
  await encryptAll(dataDirectory === undefined ? stored : { ...stored, dataDirectory }, never, on)
  keyringOf(database).close()
}

/** Between two looks how far the daemon is. */
const LOOK_MS = 250
/** Longest wait until it has begun. */
const BEGIN_MS = 30_000

async function askDaemon(config: Config, next: string): Promise<void> {
  const { data } = config
  const state = () => withPlainRecords(config, async plain => (await findRoot(plain))?.state)
  if ((await state()) === undefined) writeRequest(data, { key_file: next })
  for (const since = performance.now(); ; await Bun.sleep(LOOK_MS)) {
    const refusal = readRequest(data)?.refusal
    if (refusal !== undefined) {
      removeRequest(data)
      throw new OperatorError(`the daemon cannot encrypt what it holds: ${refusal}`)
    }
    const reached = await state()
    if (reached === "sealed") return
    if (!isHeld(data))
      throw new OperatorError("the daemon has ended before everything was encrypted", {
        hint: "give the same command again, or start the daemon with --encryption-key-file: either goes on",
      })
    if (reached === undefined && performance.now() - since > BEGIN_MS) {
      removeRequest(data)
      throw new OperatorError("the daemon does not answer", { hint: "stop it, and give the same command again" })
    }
  }
}
