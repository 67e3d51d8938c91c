/**
 * The keys of an installation. The key file's wraps the root key, which wraps one data key for each workspace and one for
 * the records that are of no workspace alone. A new key file rewraps one row; a workspace whose row is gone cannot be read
 * any more, by nobody and from nowhere.
 */
import { randomBytes } from "node:crypto"
import { OperatorError } from "../../errors.ts"
import type { Database, Executor } from "../database.ts"
import { derived, KEY_BYTES, open, seal } from "./aead.ts"
import type { EncryptionState } from "./keys-table.ts"
import { type KeyringState, SharedRoot } from "./shared-root.ts"

export interface DataKey {
  /** 16 hexadecimal digits, or `records`. */
  id: string
  key: Buffer
}

/** The key is not there any more: that of a workspace that was deleted. */
class DestroyedKeyError extends Error {
  override name = "DestroyedKeyError"
}

const ROOT = "root"
const RECORDS = "records"

/** Reads what a row of `encryption_keys` holds under the root key. */
export const unwrapDataKey = (root: Uint8Array, id: string, wrapped: string): Buffer =>
  open(root, Buffer.from(wrapped, "base64"), `data key ${id}`)

const wrapDataKey = (root: Uint8Array, id: string, key: Uint8Array): string =>
  seal(root, key, `data key ${id}`).toString("base64")

const wrapRoot = (fileKey: Uint8Array, root: Uint8Array): string => seal(fileKey, root, "root key").toString("base64")

export class Keyring {
  readonly root = new SharedRoot()
  private readonly byId = new Map<string, DataKey>()
  private readonly byWorkspace = new Map<string, DataKey>()
  private macKey: Buffer | undefined

  constructor(private readonly database: Database) {}

  get state(): KeyringState {
    return this.root.state
  }

  /** Tells headers of this installation's files from others. */
  get headerKey(): Buffer {
    this.macKey ??= derived(this.root.key, "carrel headers")
    return this.macKey
  }

  /** That of what is of no workspace alone; undefined while nothing is encrypted. */
  get records(): DataKey | undefined {
    return this.state === "off" ? undefined : this.byId.get(RECORDS)
  }

  /** Takes over the keys that are there. @throws OperatorError where the key is another's */
  async unlock(fileKey: Uint8Array, { wrapped, state }: WrappedRoot): Promise<void> {
    const root = unwrapRoot(fileKey, wrapped)
    if (!root) throw wrongKey()
    this.root.begin(root, state)
    root.fill(0)
    this.byId.set(RECORDS, await this.make(RECORDS, null))
  }

  /** The data key of a workspace, made at its first use. Not to be called amid a transaction of this process. */
  async ofWorkspace(workspaceId: string): Promise<DataKey> {
    const known = this.byWorkspace.get(workspaceId)
    if (known) return known
    const key =
      (await this.find("workspace_id", workspaceId)) ?? (await this.make(randomBytes(8).toString("hex"), workspaceId))
    this.byWorkspace.set(workspaceId, key)
    return key
  }

  /** @throws DestroyedKeyError */
  async get(id: string): Promise<DataKey> {
    const key = this.byId.get(id) ?? (await this.find("id", id))
    if (!key) throw new DestroyedKeyError("the key that it was encrypted with was destroyed with its workspace")
    return key
  }

  /** Forgets what of a workspace is in memory; its row goes with that of the workspace. */
  forget(workspaceId: string): void {
    const known = this.byWorkspace.get(workspaceId)
    if (!known) return
    this.byWorkspace.delete(workspaceId)
    this.byId.delete(known.id)
    known.key.fill(0)
  }

  close(): void {
    for (const { key } of this.byId.values()) key.fill(0)
    this.byId.clear()
    this.byWorkspace.clear()
    this.macKey?.fill(0)
    this.root.forget()
  }

  private async find(column: "id" | "workspace_id", value: string): Promise<DataKey | undefined> {
    const row = await this.database
      .selectFrom("encryption_keys")
      .select(["id", "wrapped"])
      .where(column, "=", value)
      .executeTakeFirst()
    if (!row) return undefined
    const key = { id: row.id, key: unwrapDataKey(this.root.key, row.id, row.wrapped) }
    this.byId.set(row.id, key)
    return key
  }

  /** Of those that make it at the same time one does. */
  private async make(id: string, workspaceId: string | null): Promise<DataKey> {
    const key = randomBytes(KEY_BYTES)
    const wrapped = wrapDataKey(this.root.key, id, key)
    key.fill(0)
    await this.database
      .insertInto("encryption_keys")
      .values({ id, workspace_id: workspaceId, wrapped, state: null, created_at: new Date().toISOString() })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    return (workspaceId ? await this.find("workspace_id", workspaceId) : await this.find("id", id))!
  }
}

export interface WrappedRoot {
  wrapped: string
  state: EncryptionState
}

/** Undefined for an installation that is not encrypted. */
export async function findRoot(executor: Executor): Promise<WrappedRoot | undefined> {
  const row = await executor
    .selectFrom("encryption_keys")
    .select(["wrapped", "state"])
    .where("id", "=", ROOT)
    .executeTakeFirst()
  return row && { wrapped: row.wrapped, state: row.state! }
}

/** Begins to encrypt. Of nodes that do at the same time one does. */
export async function makeRoot(executor: Executor, fileKey: Uint8Array, state: EncryptionState): Promise<WrappedRoot> {
  const root = randomBytes(KEY_BYTES)
  const wrapped = wrapRoot(fileKey, root)
  root.fill(0)
  await executor
    .insertInto("encryption_keys")
    .values({ id: ROOT, workspace_id: null, wrapped, state, created_at: new Date().toISOString() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await findRoot(executor))!
}

/** Everything is encrypted from here on. */
export async function noteSealed(executor: Executor): Promise<void> {
  await executor.updateTable("encryption_keys").set({ state: "sealed" }).where("id", "=", ROOT).execute()
}

/** The root key under another key file: one row, at once or not at all. @throws OperatorError for a wrong former key */
export async function rewrapRoot(database: Database, former: Uint8Array, next: Uint8Array): Promise<void> {
  await database.transaction().execute(async trx => {
    const found = await findRoot(trx)
    const root = found && unwrapRoot(former, found.wrapped)
    if (!root) throw wrongKey()
    await trx
      .updateTable("encryption_keys")
      .set({ wrapped: wrapRoot(next, root) })
      .where("id", "=", ROOT)
      .execute()
    root.fill(0)
  })
}

function unwrapRoot(fileKey: Uint8Array, wrapped: string): Buffer | undefined {
  try {
    return open(fileKey, Buffer.from(wrapped, "base64"), "root key")
  } catch {
    return undefined
  }
}

const wrongKey = (): OperatorError =>
  new OperatorError("the key file holds another key than the one that this installation is encrypted with", {
    hint: "name the file with the right key; without it nothing that is encrypted can be read, by nobody",
  })

const keyrings = new WeakMap<Database, Keyring>()

/** Said once for each database that is unlocked. */
export const keepKeyring = (database: Database, keyring: Keyring): void => void keyrings.set(database, keyring)

/** Undefined for a database that was not unlocked: it holds nothing that is encrypted. */
export const findKeyring = (database: Database): Keyring | undefined => keyrings.get(database)

/** Of a database that `unlock` returned. */
export function keyringOf(database: Database): Keyring {
  const keyring = findKeyring(database)
  if (!keyring) throw new Error("the database was not unlocked")
  return keyring
}
