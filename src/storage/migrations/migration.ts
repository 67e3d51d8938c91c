import { type Kysely, sql } from "kysely"

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own time, not today's types
type AnySchema = any

export interface Migration {
  name: string
  up(executor: Kysely<AnySchema>): Promise<void>
}

/** Runs one or more statements separated by semicolons. */
export async function runStatements(executor: Kysely<AnySchema>, text: string): Promise<void> {
  for (const statement of text.split(/;\s*(?:\n|$)/)) if (statement.trim()) await sql.raw(statement).execute(executor)
}
