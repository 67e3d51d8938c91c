/** Makes the record of an answer from its turn and from what its steps have told. */
import type { View } from "../../access/view.ts"
import type { ChatTurn } from "../../backends/backend.ts"
import { leftParts } from "../../grounding/transcript.ts"
import type { Draft } from "../draft.ts"
import type { Turn } from "../prepare.ts"
import type { Dropped, Excerpt, ToolUse } from "./facts.ts"
import type { AskedBy, GivenPassage, NewRecord, RecordFacts } from "./new-record.ts"
import { PROMPT_VERSION } from "./prompt-version.ts"
import { sha256 } from "./stored-prompt.ts"

/** The library as it was when the answer was made. */
export interface LibraryThen {
  /** Digests of files' bytes by their ids; those that the caller saw. */
  files: ReadonlyMap<string, string>
  /** How often the library had changed. */
  changes: number
}

export function recordOf(turn: Turn, draft: Draft, library: LibraryThen): NewRecord {
  const { request } = draft.sent
  const { model: _, signal: __, ...kept } = request ?? { model: "", signal: undefined }
  return {
    facts: factsOf(turn, draft, library),
    request: request ? (kept as NewRecord["request"]) : null,
    texts: textsOf(draft),
  }
}

function textsOf(draft: Draft): Excerpt[] {
  const { toolCalls, sources, sent } = draft
  // Notes are joined where they are many: each may be from any of the files.
  const file_ids = [...new Set(sources.map(source => source.file_id))]
  return [
    ...toolCalls.map(({ result, file_ids }) => ({ text: result, file_ids })),
    ...sent.notes.map(text => ({ text, file_ids })),
    ...excerptsOf(draft),
  ]
}

function excerptsOf({ toolCalls, sent: { request, excerpts } }: Draft): Excerpt[] {
  const uses = new Map(toolCalls.map(use => [use.id, use]))
  const left = (request?.turns ?? []).flatMap(turn =>
    turn.role === "tool" ? leftOf(turn, uses.get(turn.toolCallId)) : [],
  )
  return [...excerpts, ...left]
}

/** What a result that was too long for the window has left in its turn. */
function leftOf({ content }: ChatTurn, use: ToolUse | undefined): Excerpt[] {
  if (!use || content.includes(use.result)) return []
  const { result, file_ids } = use
  return leftParts(content)
    .map(part => ({ text: part.slice(0, lengthWithin(part, result)).trimEnd(), file_ids }))
    .filter(({ text }) => text !== "")
}

/** How many of a part's first characters stand in the result: its last ones may be the daemon's own. */
function lengthWithin(part: string, result: string): number {
  let [least, most] = [0, part.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (result.includes(part.slice(0, middle))) least = middle
    else most = middle - 1
  }
  return least
}

function factsOf(turn: Turn, draft: Draft, { files, changes }: LibraryThen): RecordFacts {
  const { settings, scope, view, asked, guard, model } = turn
  const { value, provider, local, contextLength, sizeBytes } = model.info
  const { use_library, thinking, reading, tools, history, response_format } = settings
  return {
    model: { value, provider, local, context_length: contextLength, size_bytes: sizeBytes },
    options: {
      ...settings.options,
      ...{ use_library, thinking, reading, tools, history, response_format },
      context_tokens: draft.contextTokens,
    },
    prompt_version: PROMPT_VERSION,
    searched: draft.searched && { ...draft.searched, ...asked?.passages },
    library_changes: changes,
    scope: { file_ids: scope.fileIds, context_id: scope.contextId },
    filter: scope.filter,
    principals: view.principals && [...view.principals],
    asked_by: askedBy(view, turn.conversation.end_user),
    passages: (draft.sent.request ? draft.sent.sources : draft.sources).map(({ text, ...passage }): GivenPassage => {
      return { ...passage, sha256: sha256(text), file_sha256: files.get(passage.file_id) ?? null }
    }),
    dropped: droppedOf(draft),
    tool_calls: draft.toolCalls.map(({ result: _, ...call }) => call),
    notes: draft.sent.notes.length,
    excerpts: excerptsOf(draft).length,
    redaction: redactionOf(guard),
    timings: draft.timings,
    created_at: new Date().toISOString(),
  }
}

const askedBy = ({ author, contexts, filters }: View, endUser: string | null): AskedBy | null =>
  author && {
    ...{ type: author.type, id: author.id, end_user: author.endUser ?? endUser },
    ...{ contexts: contexts && [...contexts], filters: [...filters] },
  }

/** What was told, and what of the passages and messages had no room. */
function droppedOf({ dropped, sent: { found, sources, droppedMessages } }: Draft): Dropped[] {
  const given = new Set(sources.map(({ index }) => index))
  const left = found.filter(({ index }) => !given.has(index))
  return [
    ...dropped,
    ...left.map(({ file_id, chunk_id, name, score }): Dropped => {
      return { kind: "passage", reason: "window", file_id, chunk_id, name, score }
    }),
    ...(droppedMessages > 0 ? [{ kind: "messages", reason: "window", count: droppedMessages } as const] : []),
  ]
}

function redactionOf(guard: Turn["guard"]): RecordFacts["redaction"] {
  const { rules, key, kinds, count, partial } = guard
  return {
    on: guard.redacts,
    rules: key,
    searched_kinds: [...(rules?.kinds ?? [])],
    custom_patterns: rules?.customPatterns ?? 0,
    excluded: rules?.excluded ?? 0,
    ...{ kinds, count, partial },
  }
}

/** Messages that the prompt of an answer may hold. */
export const messagesOf = ({ history, userMessage }: Turn): Map<string, string> =>
  new Map([...history, userMessage].map(({ id, content }) => [id, content]))
