/** How conversations and kept answers leave: with their messages and pictures, and with a receipt. */
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { noteRemoved, type Removal } from "../governance/receipts/removals.ts"
import type { Trx } from "../storage/database.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { MessageImage } from "./images/message-images.ts"
import type { KeptAnswer } from "./kept-answer-store.ts"

type Removing = Pick<ChatDependencies, "store" | "replies" | "images" | "kept">

/**
 * @param check may end the transaction by throwing, before anything is removed
 * @throws AppError not_found, on_hold; what `check` threw
 */
export async function removeConversation(
  { store, replies, images }: Removing,
  view: View,
  conversationId: string,
  receipt: string | undefined,
  check: (trx: Trx) => Promise<void> = async () => {},
): Promise<string> {
  replies.forget(conversationId)
  const { pictures, receiptId } = await store.transaction(async trx => {
    await store.refuseHeld(view.workspaceId, conversationId, trx)
    await check(trx)
    const pictures = [...(await images.of(conversationId, trx)).values()].flat()
    if (!(await store.delete(view, conversationId, trx)))
      throw new AppError("not_found", { message: "there is no such conversation" })
    const removal = removalOf("conversation", conversationId, await unshared(trx, pictures))
    return { pictures, receiptId: await noteRemoved(trx, view, [removal], receipt) }
  })
  await images.remove(pictures)
  return receiptId
}

/** Its conversation goes with the last of its answers. @throws AppError on_hold */
export async function removeKept(
  { store, replies, images, kept }: Removing,
  view: View,
  answer: KeptAnswer,
): Promise<string> {
  const { id, conversationId, messageIds } = answer
  replies.forget(conversationId)
  const { pictures, receiptId } = await store.transaction(async trx => {
    await store.refuseHeld(view.workspaceId, conversationId, trx)
    const all = await images.of(conversationId, trx)
    const isLast = !(await kept.delete(answer, trx))
    if (isLast) await store.delete(view, conversationId, trx)
    const pictures = [...all].flatMap(([messageId, its]) => (isLast || messageIds.includes(messageId) ? its : []))
    const removals: [Removal, ...Removal[]] = [removalOf("response", id, await unshared(trx, pictures))]
    if (isLast) removals.push(removalOf("conversation", conversationId, []))
    return { pictures, receiptId: await noteRemoved(trx, view, removals) }
  })
  await images.remove(pictures)
  return receiptId
}

const removalOf = (kind: Removal["kind"], id: string, pictures: readonly MessageImage[]): Removal => ({
  kind,
  id,
  sha256s: [...new Set(pictures.map(({ sha256 }) => sha256))],
  traces: { blobs: [...new Set(pictures.map(({ blob }) => blob))] },
})

/** Once their rows are gone: those whose bytes no other row names. */
async function unshared(trx: Trx, pictures: readonly MessageImage[]): Promise<MessageImage[]> {
  if (pictures.length === 0) return []
  const blobs = pictures.map(({ blob }) => blob)
  const rows = await trx.selectFrom("message_images").select("blob").where("blob", "in", blobs).execute()
  const shared = new Set(rows.map(({ blob }) => blob))
  return pictures.filter(({ blob }) => !shared.has(blob))
}
