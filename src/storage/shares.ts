/** Who reads conversations and runs that are somebody else's; `access/shares.ts` reads and writes them. */

export interface SharesTables {
  conversation_shares: SharesTable
  run_shares: SharesTable
}

export interface SharesTable {
  /** Conversation or run. */
  work_id: string
  /** The console user who reads it. */
  user_id: string
  created_at: string
}
