/**
 * Requests that carry an Idempotency-Key: the first with a key is carried out, a repetition within a day gets what the
 * first one got, and another request under the same key is refused.
 */
import { createHash } from "node:crypto"
import { canonicalJson } from "../canonical-json.ts"
import { AppError } from "../errors.ts"
import type { Database, Executor } from "./database.ts"

/** How long a key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000
/** SQLite binds at most 32 766 values. */
const LINKS_PER_INSERT = 5_000

export interface IdempotentRequest {
  workspaceId: string
  /** Keys of different operations do not meet. */
  operation: "upload" | "turn" | "run" | "batch" | "schedule" | "source" | "webhook" | "hold"
  key: string
  /** Of all that the request asks for. */
  hash: string
}

/** Equal for requests that ask for the same, whatever the order of their fields. */
export const requestHash = (request: unknown): string =>
  createHash("sha256").update(canonicalJson(request)).digest("hex")

export const keyReused = (): AppError =>
  new AppError("conflict", {
    message: "this Idempotency-Key was used with another request",
    hint: "a key names one request for 24 hours; take a new one for another",
  })

export class Idempotency {
  /** Ends of the requests under way, by workspace, operation and key: a repetition waits for the first. */
  private readonly under = new Map<string, Promise<unknown>>()

  constructor(private readonly database: Database) {}

  /**
   * Carries `work` out, or has `repeated` make the answer anew of what the first request noted with `note`.
   * @throws AppError conflict when the key belongs to another request
   */
  async once<T>(
    request: IdempotentRequest | undefined,
    work: () => Promise<T>,
    repeated: (noted: string) => Promise<T>,
  ): Promise<T> {
    if (!request) return work()
    const id = JSON.stringify([request.workspaceId, request.operation, request.key])
    const before = this.under.get(id) ?? Promise.resolve()
    const turn = before.then(async () => {
      const noted = await this.find(request)
      return noted === undefined ? this.first(request, work, repeated) : repeated(noted)
    })
    const ended = turn.catch(() => {})
    this.under.set(id, ended)
    try {
      return await turn
    } finally {
      if (this.under.get(id) === ended) this.under.delete(id)
    }
  }

  /** Another node may be at the same request: then one of them alone can note it, and this one may have failed of that. */
  private async first<T>(
    request: IdempotentRequest,
    work: () => Promise<T>,
    repeated: (noted: string) => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const noted = await this.find(request).catch(failure => {
        if (failure instanceof AppError) throw failure
      })
      if (noted === undefined) throw error
      return repeated(noted)
    }
  }

  /** What was noted; undefined where nobody asked yet. @throws AppError conflict when the key belongs to another request */
  async find({ workspaceId, operation, key, hash }: IdempotentRequest): Promise<string | undefined> {
    const since = new Date(Date.now() - IDEMPOTENCY_MS).toISOString()
    const row = await this.database
      .selectFrom("idempotent_answers")
      .select(["body", "request_hash"])
      .where("workspace_id", "=", workspaceId)
      .where("operation", "=", operation)
      .where("key", "=", key)
      .where("created_at", ">=", since)
      .executeTakeFirst()
    if (row?.request_hash && row.request_hash !== hash) throw keyReused()
    return row?.body
  }
}

/** Notes what repetitions need, in the transaction of what the request did. */
export async function note(executor: Executor, request: IdempotentRequest, body: string): Promise<void> {
  const now = Date.now()
  await forgetOld(executor, now)
  const { workspaceId, operation, key, hash } = request
  await executor
    .insertInto("idempotent_answers")
    .values({
      workspace_id: workspaceId,
      operation,
      key,
      request_hash: hash,
      status: 200,
      body,
      created_at: new Date(now).toISOString(),
    })
    .execute()
}

/** Says which files the answer to an upload tells of: with them what it tells goes. */
export async function linkToFiles(
  executor: Executor,
  { workspaceId, key }: IdempotentRequest,
  fileIds: Iterable<string>,
): Promise<void> {
  const ids = [...new Set(fileIds)]
  for (let at = 0; at < ids.length; at += LINKS_PER_INSERT)
    await executor
      .insertInto("answered_files")
      .values(ids.slice(at, at + LINKS_PER_INSERT).map(file_id => ({ file_id, workspace_id: workspaceId, key })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
}

/** Of a file that was deleted: what tells repetitions apart. */
export interface ForgottenFile {
  id: string
  sha256: string
  forgotten: true
}

/** Takes what the answers to uploads tell of deleted files out of them: names and labels. */
export async function forgetAnswersOf(database: Database, fileIds: readonly string[]): Promise<void> {
  await forgetOld(database, Date.now())
  if (fileIds.length === 0) return
  const links = await database
    .selectFrom("answered_files")
    .select(["workspace_id", "key"])
    .distinct()
    .where("file_id", "in", fileIds)
    .execute()
  const gone = new Set(fileIds)
  for (const { workspace_id, key } of links)
    await database.transaction().execute(async trx => {
      const row = await trx
        .selectFrom("idempotent_answers")
        .select("body")
        .where("workspace_id", "=", workspace_id)
        .where("operation", "=", "upload")
        .where("key", "=", key)
        .executeTakeFirst()
      if (row)
        await trx
          .updateTable("idempotent_answers")
          .set({ body: withoutFiles(row.body, gone) })
          .where("workspace_id", "=", workspace_id)
          .where("operation", "=", "upload")
          .where("key", "=", key)
          .execute()
    })
  await database.deleteFrom("answered_files").where("file_id", "in", fileIds).execute()
}

function withoutFiles(body: string, gone: ReadonlySet<string>): string {
  const answer = JSON.parse(body) as { files: { id: string; sha256: string }[] }
  const files = answer.files.map(file =>
    gone.has(file.id) ? ({ id: file.id, sha256: file.sha256, forgotten: true } satisfies ForgottenFile) : file,
  )
  return JSON.stringify({ ...answer, files })
}

async function forgetOld(executor: Executor, now: number): Promise<void> {
  const before = new Date(now - IDEMPOTENCY_MS).toISOString()
  const old = executor.selectFrom("idempotent_answers").where("created_at", "<", before)
  await executor
    .deleteFrom("answered_files")
    .where(eb =>
      eb(eb.refTuple("workspace_id", "key"), "in", old.select(["workspace_id", "key"]).$asTuple("workspace_id", "key")),
    )
    .execute()
  await executor.deleteFrom("idempotent_answers").where("created_at", "<", before).execute()
}
