/** Columns of what belongs to somebody: conversations and runs. */

export type OwnerType = "key" | "user"

export interface OwnedColumns {
  /** Null for what a former version stored, of which nobody knows whose it is. */
  owner_type: OwnerType | null
  owner_id: string | null
  /** What narrowed its maker: others may see other files, and are not to see what it quotes. Null: nothing did. */
  maker: string | null
  /** The customer's own user that it was made for. */
  end_user: string | null
}
