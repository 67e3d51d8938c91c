/** Whom and what requests name, as far as it is ours: for the rows of the audit log alone, never for an answer. */
import { sql } from "kysely"
import { hashToken } from "../../access/token.ts"
import type { Database } from "../../storage/database.ts"
import { filled, texts, words } from "../../storage/words.ts"

/** What shows whose credentials were to be: they were wrong. */
export type Named = { clientId: string } | { token: string } | { email: string }

export interface Subject {
  workspaceId: string
  id: string
}

/** Where what has an id of that prefix is kept. */
const TABLES: Readonly<Record<string, string>> = {
  file: "files",
  conv: "conversations",
  run: "agent_runs",
  batch: "batches",
  sched: "schedules",
  src: "sources",
  whk: "webhooks",
  rcpt: "receipts",
}

export class AuditSubjects {
  constructor(private readonly database: Database) {}

  /** The key, token or user that wrong credentials name. */
  async find(named: Named): Promise<Subject | undefined> {
    if ("clientId" in named)
      return this.first(sql`select id, workspace_id as "workspaceId" from api_keys where client_id = ${named.clientId}`)
    if ("token" in named)
      return this.first(sql`select scoped_tokens.id, api_keys.workspace_id as "workspaceId" from scoped_tokens
        join api_keys on api_keys.id = scoped_tokens.key_id where token_hash = ${hashToken(named.token)}`)
    return this.first(sql`select users.id, memberships.workspace_id as "workspaceId" from users
      join memberships on memberships.user_id = users.id where users.email = ${named.email}
      order by memberships.created_at, memberships.workspace_id limit 1`)
  }

  /** Of a key, a token or a user: where rows about it stand. */
  async workspaceOf(id: string): Promise<string | undefined> {
    const found = await this.first(sql`select id, workspace_id as "workspaceId" from api_keys where id = ${id}
      union all select scoped_tokens.id, api_keys.workspace_id from scoped_tokens
        join api_keys on api_keys.id = scoped_tokens.key_id where scoped_tokens.id = ${id}
      union all select user_id, workspace_id from
        (select user_id, workspace_id from memberships where user_id = ${id} order by created_at, workspace_id limit 1) as own`)
    return found?.workspaceId
  }

  /** Whether the workspace has it, whoever sees it. */
  async exists(workspaceId: string, id: string): Promise<boolean> {
    return (await this.existing(workspaceId, [id])).has(id)
  }

  /** Which of them the workspace has; one query for each kind of them. */
  async existing(workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>()
    for (const [table, some] of Map.groupBy(ids, id => TABLES[id.split("_")[0]!])) {
      if (!table) continue
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}
        where ${filled(words(this.database).among("id", "text"), texts(some))} and workspace_id = ${workspaceId}`.execute(
        this.database,
      )
      for (const { id } of rows) found.add(id)
    }
    return found
  }

  private async first(query: ReturnType<typeof sql>): Promise<Subject | undefined> {
    const { rows } = await query.execute(this.database)
    return rows[0] as Subject | undefined
  }
}
