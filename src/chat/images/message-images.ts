/** Pictures of messages: their rows, and their bytes beside those of files. */
import type { ChatImage } from "../../backends/backend.ts"
import { newId } from "../../id.ts"
import { log } from "../../log.ts"
import type { Blobs, StoredBytes } from "../../storage/blobs/blobs.ts"
import type { MessageImagesTable } from "../../storage/conversations.ts"
import type { Database, Executor } from "../../storage/database.ts"
import { Gate } from "../../threads/gate.ts"
import { type CheckedImage, MAX_IMAGE_BYTES } from "./check.ts"

export type MessageImage = MessageImagesTable
/** Bytes that are stored and named by no row yet. */
export type StoredImage = Pick<MessageImage, "mime_type" | "size" | "sha256" | "blob">

/** Megabytes of pictures that answers under way hold: base64 once, and once in what is sent to the model server. */
const ROOM_MB = 200
/** Pictures of fewer bytes need no room. */
const SMALL_BYTES = 4 * 1_048_576

export class MessageImages {
  private readonly room = new Gate({
    places: ROOM_MB,
    waiting: 1_000,
    refusal: "too many pictures are being looked at",
    retryAfterSeconds: 30,
  })

  constructor(
    private readonly database: Database,
    private readonly blobs: Pick<Blobs, "of" | "keepNames" | "findOriginal" | "remove">,
  ) {}

  /** Nothing is left behind when it throws. @throws AppError insufficient_storage, store_unavailable */
  async write(workspaceId: string, images: readonly CheckedImage[]): Promise<StoredImage[]> {
    if (images.length === 0) return []
    const blobs = this.blobs.of(workspaceId)
    const written: StoredImage[] = []
    try {
      for (const { mimeType, bytes } of images) {
        const { blob, size, sha256 } = await blobs.write(newId("img"), slicesOf(bytes), MAX_IMAGE_BYTES)
        written.push({ mime_type: mimeType, size, sha256, blob })
      }
      await this.blobs.keepNames(written.map(({ blob }) => blob))
    } catch (error) {
      await this.remove(written)
      throw error
    }
    return written
  }

  async insert(messageId: string, images: readonly StoredImage[], executor: Executor): Promise<void> {
    if (images.length === 0) return
    const rows = images.map(({ mime_type, size, sha256, blob }, place) => ({
      ...{ id: newId("img"), message_id: messageId, place, mime_type, size, sha256, blob },
    }))
    await executor.insertInto("message_images").values(rows).execute()
  }

  /** Of all messages of a conversation, by message, in order. */
  async of(conversationId: string, executor: Executor = this.database): Promise<Map<string, MessageImage[]>> {
    const rows = await executor
      .selectFrom("message_images")
      .innerJoin("messages", "messages.id", "message_images.message_id")
      .selectAll("message_images")
      .where("messages.conversation_id", "=", conversationId)
      .orderBy("message_images.place")
      .execute()
    return Map.groupBy(rows, row => row.message_id)
  }

  /** Waits until pictures of this size may be loaded; to be disposed when the answer has ended. @throws AppError overloaded */
  async enter(images: readonly StoredImage[], key: string, signal: AbortSignal): Promise<Disposable> {
    const bytes = images.reduce((sum, { size }) => sum + size, 0)
    if (bytes <= SMALL_BYTES) return { [Symbol.dispose]: () => {} }
    const ticket = this.room.enter(key, Math.min(ROOM_MB - 1, Math.ceil(bytes / 1_048_576)))
    try {
      await ticket.turn(signal)
    } catch (error) {
      ticket.leave()
      throw error
    }
    return { [Symbol.dispose]: ticket.leave }
  }

  find(image: Pick<StoredImage, "blob">): Promise<StoredBytes | undefined> {
    return this.blobs.findOriginal(image.blob)
  }

  /** As models take them. One whose bytes are lost is left out, and said in the log. */
  async load(images: readonly StoredImage[]): Promise<ChatImage[]> {
    const loaded: ChatImage[] = []
    for (const image of images) {
      const bytes = await this.find(image)
      if (!bytes) log.error("a picture of a message is missing", { blob: image.blob })
      else {
        const data = Buffer.from(await new Response(await bytes.stream()).arrayBuffer()).toString("base64")
        loaded.push({ mimeType: image.mime_type, data })
      }
    }
    return loaded
  }

  /** Removes bytes whose rows are gone, but for those that another row names. */
  async remove(images: readonly Pick<StoredImage, "blob">[]): Promise<void> {
    const blobs = [...new Set(images.map(({ blob }) => blob))]
    if (blobs.length === 0) return
    const rows = await this.database.selectFrom("message_images").select("blob").where("blob", "in", blobs).execute()
    const wanted = new Set(rows.map(({ blob }) => blob))
    for (const blob of blobs) if (!wanted.has(blob)) await this.blobs.remove(blob)
  }
}

const SLICE_BYTES = 1_048_576

/** Written and hashed piece by piece, so that others have their turn. */
async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES)
}
