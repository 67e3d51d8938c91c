/** The search index of what was moved: made from its passages, and asked the same as the one that it stands for. */

import { randomInt } from "node:crypto"
import { wholeOf } from "../../access/view.ts"
import { OperatorError } from "../../errors.ts"
import type { SearchIndex } from "../../search/index.ts"
import type { Database } from "../../storage/database.ts"

/** Searches that are compared. */
const SAMPLE = 50
const FIRST = 10
/** Words of a passage that make a question. */
const WORDS = 3
const LEAST_AGREEING = 0.99

interface Question {
  workspaceId: string
  query: string
}

/**
 * Asks both sides for words of passages picked at random.
 * @returns how many searches were compared
 * @throws OperatorError where fewer than 99 of 100 give the same first ten
 */
export async function compareSearches(
  database: Database,
  former: SearchIndex,
  moved: SearchIndex,
  on: (done: number, total: number) => void,
): Promise<number> {
  const questions = await pick(database)
  let agreeing = 0
  for (const [i, question] of questions.entries()) {
    const [wanted, found] = await Promise.all([firstOf(former, question), firstOf(moved, question)])
    if (Bun.deepEquals(wanted, found)) agreeing++
    on(i + 1, questions.length)
  }
  if (agreeing < questions.length * LEAST_AGREEING)
    throw new OperatorError(
      `${questions.length - agreeing} of ${questions.length} searches find other passages than before`,
      {
        hint: "the target is not ready for use: empty it and move again",
      },
    )
  return questions.length
}

async function firstOf(index: SearchIndex, { workspaceId, query }: Question): Promise<string[]> {
  const { hits } = await index.search({ view: wholeOf(workspaceId), query, limit: FIRST, mode: "keyword" })
  return hits.map(({ id }) => id)
}

async function pick(database: Database): Promise<Question[]> {
  const { most } = await database
    .selectFrom("chunks")
    .select(eb => eb.fn.max("id").as("most"))
    .executeTakeFirstOrThrow()
  const questions: Question[] = []
  for (let tried = 0; most !== null && tried < SAMPLE; tried++) {
    const row = await database
      .selectFrom("chunks")
      .innerJoin("generations", "generations.id", "chunks.generation_id")
      .innerJoin("files", join =>
        join
          .onRef("files.id", "=", "generations.file_id")
          .onRef("files.live_generation", "=", "generations.generation"),
      )
      .select(["chunks.text", "files.workspace_id"])
      .where("chunks.id", ">=", randomInt(1, Number(most) + 1))
      .orderBy("chunks.id")
      .limit(1)
      .executeTakeFirst()
    const words = row?.text.match(/[\p{L}\p{N}]{4,}/gu) ?? []
    if (row && words.length > 0) {
      const from = randomInt(words.length)
      questions.push({ workspaceId: row.workspace_id, query: words.slice(from, from + WORDS).join(" ") })
    }
  }
  return questions
}
