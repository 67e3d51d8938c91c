/** Pictures as far as anybody looks at them here: their beginning, and bytes that can be told from others. */
import { emptyMessage } from "../../src/chat/conversation-rows.ts"
import type { Database } from "../../src/storage/database.ts"

const BEGINNINGS = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/gif": [...Buffer.from("GIF89a")],
  "image/webp": [...Buffer.from("RIFF\0\0\0\0WEBP")],
}

export type PictureType = keyof typeof BEGINNINGS

export function pictureBytes(type: PictureType = "image/png", size = 100, fill = 7): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size, fill)
  bytes.set(BEGINNINGS[type])
  return bytes
}

/** As a request brings it. */
export const picture = (type: PictureType = "image/png", size = 100, fill = 7) => ({
  mime_type: type as string,
  data: pictureBytes(type, size, fill).toString("base64"),
})

/** A message with a picture, in a library's own database. @param blob where its bytes lie */
export async function pictureRow(
  database: Database,
  image: { id: string; blob: string; size: number; sha256: string },
) {
  const { id: workspace_id } = await database.selectFrom("workspaces").select("id").executeTakeFirstOrThrow()
  const now = new Date().toISOString()
  const texts = { title: "t", model: "m", settings: "{}", additional_metadata: "{}", file_ids: "[]" }
  const conversation_id = `conv_${image.id}`
  await database
    .insertInto("conversations")
    .values({
      id: conversation_id,
      workspace_id,
      ...texts,
      created_at: now,
      updated_at: now,
      ner_count: 0,
      context_tokens: null,
    })
    .execute()
  const message_id = `msg_${image.id}`
  await database
    .insertInto("messages")
    .values({ ...emptyMessage(conversation_id, "user"), id: message_id, position: 1 })
    .execute()
  await database
    .insertInto("message_images")
    .values({ ...image, message_id, place: 0, mime_type: "image/png" })
    .execute()
}
