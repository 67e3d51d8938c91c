/** Conversations as lists show them, by page or by cursor, and the messages of many of them at once. */
import { type RawBuilder, sql } from "kysely"
import { ownerName } from "../access/owner.ts"
import { type Listed, listedBy, readBy, sharing } from "../access/shares.ts"
import type { View } from "../access/view.ts"
import type { Database } from "../storage/database.ts"
import { anywhere, filled, texts, words } from "../storage/words.ts"
import { type ConversationRow, type MessageRow, toMessage, toSummary } from "./conversation-rows.ts"
import { summaryOf } from "./history/summary.ts"
import type { ConversationSummary, Message } from "./types.ts"

export interface ConversationFilter extends Listed {
  /** Part of a title or of a message. */
  query?: string
  endUser?: string
  pinned?: boolean
  folder?: string
}

export interface ConversationListRequest extends ConversationFilter {
  page: number
  pageSize: number
}

export interface ConversationPageRequest extends ConversationFilter {
  limit: number
  /** The conversation that it begins behind. */
  after?: { updatedAt: string; id: string } | undefined
}

/** With what stands for its oldest messages. */
export type ListedConversation = ConversationSummary & {
  summary: { text: string; up_to_message_id: string } | null
}

/** A message with its place in the conversation: 1, 2, 3 …, with gaps where some were removed. */
export type PlacedMessage = Message & { position: number }

/** More than anybody looks through. */
const MAX_FOLDERS = 500

export class ConversationLists {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async page(view: View, request: ConversationListRequest): Promise<{ data: ConversationSummary[]; total: number }> {
    const total = await this.total(view, request)
    const rows = await this.read(view, this.matching(view, request), {
      limit: request.pageSize,
      offset: (request.page - 1) * request.pageSize,
    })
    return { data: rows.map(row => toSummary(row, row.message_count)), total }
  }

  async after(view: View, request: ConversationPageRequest) {
    const { after, limit } = request
    const matching = this.matching(view, request)
    const behind = after ? sql<boolean>`${matching} and (updated_at, id) < (${after.updatedAt}, ${after.id})` : matching
    const read = await this.read(view, behind, { limit: limit + 1 })
    return { items: read.slice(0, limit).map(toListed), hasMore: read.length > limit }
  }

  async total(view: View, filter: ConversationFilter): Promise<number> {
    const { total } = await this.database
      .selectFrom("conversations")
      .select(eb => eb.fn.countAll<number>().as("total"))
      .where(this.matching(view, filter))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  /** Names of the folders of those that the list of this filter holds, in their order. */
  async folders(view: View, filter: ConversationFilter): Promise<string[]> {
    const rows = await this.database
      .selectFrom("conversations")
      .select("folder")
      .distinct()
      .where("folder", "is not", null)
      .where(this.matching(view, filter))
      .orderBy("folder")
      .limit(MAX_FOLDERS)
      .execute()
    return rows.map(({ folder }) => folder!)
  }

  /** Those that the caller sees, by id. */
  async existing(view: View, ids: readonly string[]): Promise<Map<string, ListedConversation>> {
    const some = filled<boolean>(words(this.database).among("conversations.id", "text"), texts(ids))
    const read = await this.read(view, sql<boolean>`${readBy(view, "conversations")} and ${some}`, {
      limit: ids.length,
    })
    return new Map(read.map(row => [row.id, toListed(row)]))
  }

  /**
   * Messages of those of the conversations that the caller sees, in order.
   * @param after the position that they begin behind, 0 for the first
   * @param limit of each conversation
   */
  async messages(
    view: View,
    ids: readonly string[],
    { after, limit }: { after: number; limit: number },
  ): Promise<Map<string, PlacedMessage[]>> {
    const some = filled<boolean>(words(this.database).among("conversations.id", "text"), texts(ids))
    // Only ids are counted through: contents are long.
    const { rows } = await sql<MessageRow>`
      select messages.* from (
        select messages.id, row_number() over (partition by conversation_id order by position) as place
          from messages join conversations on conversations.id = messages.conversation_id
          where ${some} and ${readBy(view, "conversations")} and position > ${after}
      ) as counted join messages on messages.id = counted.id
      where counted.place <= ${limit} order by messages.conversation_id, messages.position`.execute(this.database)
    const images = await this.imagesOf(rows.map(({ id }) => id))
    const placed = rows.map(row => ({ ...toMessage(row, images.get(row.id)), position: row.position }))
    return Map.groupBy(placed, (_, at) => rows[at]!.conversation_id)
  }

  private async imagesOf(messageIds: readonly string[]) {
    const images = await this.database
      .selectFrom("message_images")
      .selectAll()
      .where(filled<boolean>(words(this.database).among("message_id", "text"), texts(messageIds)))
      .orderBy("place")
      .execute()
    return Map.groupBy(images, image => image.message_id)
  }

  private matching(view: View, { query, endUser, pinned, folder, ...listed }: ConversationFilter): RawBuilder<boolean> {
    const parts = [listedBy(view, "conversations", listed)]
    if (endUser !== undefined) parts.push(sql<boolean>`end_user = ${endUser}`)
    if (pinned !== undefined) parts.push(sql<boolean>`pinned = ${Number(pinned)}`)
    if (folder !== undefined) parts.push(sql<boolean>`folder = ${folder}`)
    const text = query?.trim()
    if (text) {
      const { containsBlind } = words(this.database)
      const condition = `(${containsBlind("title")} or exists (select 1 from messages
        where conversation_id = conversations.id and ${containsBlind("content")}))`
      const pattern = anywhere(text)
      parts.push(filled<boolean>(condition, pattern, pattern))
    }
    return sql<boolean>`${sql.join(parts, sql` and `)}`
  }

  private async read(
    view: View,
    condition: RawBuilder<boolean>,
    { limit, offset = 0 }: { limit: number; offset?: number },
  ): Promise<ListedRow[]> {
    const rows = await this.database
      .selectFrom("conversations")
      .where(condition)
      .selectAll()
      .select(ownerName("conversations"))
      .select(sharing("conversations", view))
      .select(eb =>
        eb
          .selectFrom("messages")
          .whereRef("conversation_id", "=", "conversations.id")
          .select(count => count.fn.countAll<number>().as("count"))
          .as("message_count"),
      )
      .orderBy("updated_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return rows.map(row => ({ ...row, message_count: Number(row.message_count ?? 0) }))
  }
}

type ListedRow = ConversationRow & { message_count: number }

function toListed(row: ListedRow): ListedConversation {
  const summary = summaryOf(row.summary)
  return {
    ...toSummary(row, row.message_count),
    summary: summary && { text: summary.text, up_to_message_id: summary.up_to_message_id },
  }
}
