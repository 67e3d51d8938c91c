/** What one query may be: its length and form are looked at before it is validated, what it asks for before it is executed. */
import { type DocumentNode, Kind, type ParseOptions, type SelectionSetNode } from "graphql"
import { invalid } from "../../errors.ts"

/** The widest introspection of GraphiQL has some 250 tokens, and its own depth. */
export const PARSING = {
  maxSourceLength: 100_000,
  maxLexicalTokens: 2_000,
  maxComments: 1_000,
} as const satisfies ParseOptions

/** Selections inside of each other; a list of edges takes three of them. */
export const MAX_DEPTH = 15
/** Of the schema itself: types wrap types there. */
export const MAX_INTROSPECTION_DEPTH = 20
/** Values that an answer may have, and what it takes to find them; see `cost.ts`. */
export const MAX_COST = 50_000
/** Validation compares each field with all others of its name, and each fragment with all others. */
const MAX_FRAGMENTS = 50
const MAX_REPETITIONS = 50
/** Errors that are told of one query. */
export const MAX_ERRORS = 20

/** @throws AppError invalid_request for what would take long to validate */
export function checkForm({ definitions }: DocumentNode): void {
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length
  if (fragments > MAX_FRAGMENTS) throw tooMany(`${fragments} fragments`, MAX_FRAGMENTS)
  for (const definition of definitions) if ("selectionSet" in definition) checkSelections(definition.selectionSet, 1)
}

function checkSelections({ selections }: SelectionSetNode, depth: number): void {
  // Fragments are followed when the cost is made out; this bounds the walk itself.
  if (depth > MAX_INTROSPECTION_DEPTH) throw tooDeep(MAX_INTROSPECTION_DEPTH)
  const counts = new Map<string, number>()
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) continue
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      if (count > MAX_REPETITIONS) throw tooMany(`${name.slice(0, 100)} repeatedly`, MAX_REPETITIONS)
    }
    if (selection.selectionSet) checkSelections(selection.selectionSet, depth + 1)
  }
}

const tooMany = (what: string, most: number) => invalid("query", `has ${what}: ${most} is the most`)

export const tooDeep = (most: number) => invalid("query", `is nested deeper than ${most} levels`)

export const tooCostly = (cost: number) =>
  invalid(
    "query",
    `costs ${Number.isFinite(cost) ? cost : "more than can be counted"}, and ${MAX_COST} is the most: ask for fewer entries (first), fields or aliases`,
  )
