import { type Kysely, sql } from "kysely"

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own time, not today's types
type AnySchema = any

/** Of before there were clusters: the baseline of `postgres/` has what these made. */
export interface FormerMigration {
  name: string
  sqlite(executor: Kysely<AnySchema>): Promise<void>
}

/** Expands only: nodes of the version before run beside those of this one. */
export interface Migration extends FormerMigration {
  postgres(executor: Kysely<AnySchema>): Promise<void>
}

/** Runs one or more statements separated by semicolons at the end of a line. */
export async function runStatements(executor: Kysely<AnySchema>, text: string): Promise<void> {
  for (const statement of text.split(/;\s*(?:\n|$)/)) if (statement.trim()) await sql.raw(statement).execute(executor)
}

const POSTGRES_TYPES = { text: 'text collate "C"', integer: "bigint", real: "double precision" } as const

/**
 * Tables and columns in SQLite's types as PostgreSQL has them: text compares by its bytes, whatever the language of the
 * server, numbers have 64 bits.
 */
export const forPostgres = (statements: string): string =>
  statements.replace(/(?<=\w"? )(text|integer|real)\b/g, (_, type: keyof typeof POSTGRES_TYPES) => POSTGRES_TYPES[type])
