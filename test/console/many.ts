/** A library of very many files, written into the database at once: as lists show them, without bytes or passages. */

import { openSqlite } from "../../src/storage/sqlite/open.ts"
import type { TestApp } from "../support/app.ts"

const AT_ONCE = 1_000
const BEGAN = Date.parse("2026-01-01T00:00:00.000Z")

/** Ends on the number, from 0, which also says when it came: the last one is the newest. */
export const nameOf = (n: number): string => `report ${String(n).padStart(6, "0")}.pdf`
const idOf = (n: number): string => `file_${String(n).padStart(26, "0")}`

/** Files of the default workspace. */
export async function addManyFiles({ data }: Pick<TestApp, "data">, count: number, from = 0): Promise<void> {
  const database = await openSqlite(data)
  const { id: workspaceId } = await database.selectFrom("workspaces").select("id").executeTakeFirstOrThrow()
  for (let at = from; at < from + count; at += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, from + count - at) }, (_, i) => row(workspaceId, at + i))
    await database
      .insertInto("files")
      .values(rows as never)
      .execute()
  }
  await database.destroy()
}

function row(workspaceId: string, n: number) {
  const at = new Date(BEGAN + n * 1_000).toISOString()
  return {
    id: idOf(n),
    workspace_id: workspaceId,
    name: nameOf(n),
    name_folded: nameOf(n),
    type: "pdf",
    mime_type: "application/pdf",
    size: 1_000 + n,
    sha256: n.toString(16).padStart(64, "0"),
    status: "searchable",
    page_count: (n % 90) + 1,
    chunk_count: (n % 400) + 1,
    tags: JSON.stringify(n % 3 === 0 ? ["finance", `year ${2000 + (n % 26)}`] : []),
    metadata: JSON.stringify({ year: 2000 + (n % 26) }),
    context_id: n % 7 === 0 ? "archive" : null,
    created_at: at,
    updated_at: at,
    blob: `blob${n}`,
    warnings: "[]",
    generation: 1,
  }
}
