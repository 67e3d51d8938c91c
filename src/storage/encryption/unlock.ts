/** Opening what is encrypted at rest, or refusing to. */
import { OperatorError } from "../../errors.ts"
import { type Database, keepDirectReads } from "../database.ts"
import { SealedColumns } from "./columns.ts"
import { readKeyFile } from "./key-file.ts"
import { findRoot, Keyring, keepKeyring, keyringOf, makeRoot } from "./keyring.ts"

/** Tables of what would have been stored in clear. Keys, users and settings may have been made before the first start. */
const CONTENTS = ["files", "batch_files", "conversations", "agent_runs", "sources", "webhooks", "schedules"] as const

/**
 * The database as one whose encrypted columns are clear, with the keys of the installation.
 * @param keyFile empty for none
 * @throws OperatorError where the key file is missing, wrong, or not the one, and where there is one and nothing is encrypted
 */
export async function unlock(plain: Database, keyFile: string): Promise<Database> {
  const found = await findRoot(plain)
  const keyring = new Keyring(plain)
  if (keyFile !== "") {
    const key = readKeyFile(keyFile)
    const root = found ?? ((await isEmpty(plain)) ? await makeRoot(plain, key, "sealed") : undefined)
    if (!root) throw notEncrypted(keyFile)
    await keyring.unlock(key, root).finally(() => key.fill(0))
  } else if (found) throw noKey()
  const plugin = new SealedColumns(keyring)
  const database = plain.withPlugin(plugin)
  keepDirectReads(plain, database, rows => plugin.opened(rows))
  keepKeyring(database, keyring)
  return database
}

/** Makes a key for what is stored in clear; all that is written from here on is encrypted. @throws as `unlock` */
export async function beginEncryption(database: Database, keyFile: string): Promise<void> {
  const key = readKeyFile(keyFile)
  const plain = database.withoutPlugins()
  const root = (await findRoot(plain)) ?? (await makeRoot(plain, key, "mixed"))
  await keyringOf(database)
    .unlock(key, root)
    .finally(() => key.fill(0))
}

async function isEmpty(database: Database): Promise<boolean> {
  for (const table of CONTENTS)
    if (await database.selectFrom(table).select("id").limit(1).executeTakeFirst()) return false
  return true
}

const noKey = (): OperatorError =>
  new OperatorError("this installation is encrypted, and no key file is named", {
    hint: "give --encryption-key-file FILE, or CARREL_ENCRYPTION_KEY_FILE; without its key nothing of it can be read, by nobody",
  })

const notEncrypted = (keyFile: string): OperatorError =>
  new OperatorError(`a key file is named (${keyFile}), but what this installation holds is not encrypted`, {
    hint: "`carrel rekey --new-encryption-key-file FILE` encrypts it, also while the daemon runs without the setting",
  })
