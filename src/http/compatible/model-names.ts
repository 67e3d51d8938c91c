/**
 * How models are named to clients that know nothing of a library: the bare value of a chat model answers from what it is
 * sent, `library/…` from all files that the caller sees, `library:<context_id>/…` from those of one context.
 */
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import type { Library } from "../../library/library.ts"
import type { VectorStores } from "../../library/vector-stores.ts"

export interface NamedModel {
  /** As the catalog of chat models knows it. */
  model: string
  useLibrary: boolean
  contextId: string | undefined
  /** What stands before it: `library/`, `library:<context_id>/` or nothing. */
  prefix: string
}

const LIBRARY = /^library(?::([A-Za-z0-9_.:-]{1,128}))?\//

/** Contexts that are listed; others can be named all the same. */
const MAX_CONTEXTS = 100

/** @throws AppError model_not_found for a context that the caller does not see */
export async function namedModel(stores: VectorStores, view: View, value: string): Promise<NamedModel> {
  const [prefix = "", contextId] = LIBRARY.exec(value) ?? []
  // Files given to a conversation are looked up with it.
  if (contextId !== undefined && !contextId.startsWith("conv_") && !(await stores.exists(view, contextId)))
    throw unknownModel(value)
  return { model: value.slice(prefix.length), useLibrary: prefix !== "", contextId, prefix }
}

/** Prefixes of the names under which the caller can use each chat model. */
export async function prefixesFor(library: Library, view: View): Promise<string[]> {
  const contexts = await library.contexts(view, MAX_CONTEXTS)
  return ["", "library/", ...contexts.map(context => `library:${context}/`)]
}

export const unknownModel = (value: string): AppError =>
  new AppError("model_not_found", {
    message: `there is no model ${JSON.stringify(value.slice(0, 200))}`,
    hint: "GET /v1/models lists all of them",
    details: [{ field: "model", issue: "unknown" }],
  })
