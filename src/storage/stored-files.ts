/** All that rows name of stored bytes: originals of files, of batches and of pictures in messages, and extracted texts. */
import { sql } from "kysely"
import type { Executor } from "./database.ts"

export interface StoredFileRow {
  id: string
  workspace_id: string
  /** Bytes of `blob`. */
  size: number
  sha256: string
  character_count: number | null
  blob: string
  /** Of the version that is found, where a newer one is yet to be read. */
  live_blob: string | null
  live_generation: number | null
}

/** A page of them behind an id. Those of batches and of messages have neither texts nor a former version. */
export const storedFilesAfter = (executor: Executor, id: string, limit: number): Promise<StoredFileRow[]> =>
  storedFiles(executor, ">", id).orderBy("id").limit(limit).execute()

/** Those of a workspace. */
export const storedFilesOf = (executor: Executor, workspaceId: string): Promise<StoredFileRow[]> =>
  executor
    .selectFrom(storedFiles(executor, ">", "").as("stored"))
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .execute()

/** The one of that id; undefined where it is gone. */
export const storedFile = (executor: Executor, id: string): Promise<StoredFileRow | undefined> =>
  storedFiles(executor, "=", id).executeTakeFirst()

const storedFiles = (executor: Executor, compares: ">" | "=", id: string) =>
  executor
    .selectFrom("files")
    .select(["id", "workspace_id", "size", "sha256", "character_count", "blob", "live_blob", "live_generation"])
    .where("id", compares, id)
    .unionAll(
      executor
        .selectFrom("batch_files")
        .select(["id", "workspace_id", "size", "sha256", ...NOTHING_READ])
        .where("id", compares, id),
    )
    .unionAll(
      executor
        .selectFrom("message_images")
        .innerJoin("messages", "messages.id", "message_images.message_id")
        .innerJoin("conversations", "conversations.id", "messages.conversation_id")
        .select(["message_images.id", "conversations.workspace_id", "message_images.size", "message_images.sha256"])
        .select(NOTHING_READ)
        .where("message_images.id", compares, id),
    )

const NOTHING_READ = [
  sql<number | null>`cast(null as bigint)`.as("character_count"),
  sql.ref<string>("blob").as("blob"),
  sql<string | null>`cast(null as text)`.as("live_blob"),
  sql<number | null>`cast(null as bigint)`.as("live_generation"),
] as const
