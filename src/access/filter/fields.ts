/** What a filter may ask of a file: the keys of the language, and where each is stored. */

/**
 * `text`, `number` and `time` are columns of `files`, `texts` is one that holds a JSON array, `json` a path into a JSON
 * object; `missing` is known by name and stands on no file.
 */
export type Field = Column | { kind: "json"; column: string; path: readonly string[] } | { kind: "missing" }

export interface Column {
  kind: "text" | "number" | "time" | "texts"
  column: string
}

const FIELDS = new Map<string, Field>(
  Object.entries({
    "file.id": { kind: "text", column: "files.id" },
    "file.name": { kind: "text", column: "files.name" },
    "file.type": { kind: "text", column: "files.type" },
    "file.size": { kind: "number", column: "files.size" },
    "file.sha256": { kind: "text", column: "files.sha256" },
    "file.external_id": { kind: "text", column: "files.external_id" },
    "file.context_id": { kind: "text", column: "files.context_id" },
    "file.tags": { kind: "texts", column: "files.tags" },
    "file.status": { kind: "text", column: "files.status" },
    "file.source_id": { kind: "text", column: "files.source_id" },
    "file.created_at": { kind: "time", column: "files.created_at" },
    "file.updated_at": { kind: "time", column: "files.updated_at" },
  } as const satisfies Record<string, Field>),
)

/** Columns whose changes do not move the counter of a workspace's changes. */
const UNCOUNTED = new Set(["files.size", "files.sha256", "files.updated_at", "files.external_id", "files.source_id"])

/** Whether what is asked of the field stays answered until the counter of the workspace's changes moves. */
export const isCounted = (field: Field): boolean => field.kind === "missing" || !UNCOUNTED.has(field.column)

export const METADATA = "metadata."
/** A request may nest no deeper than 64 objects, so that nothing stands further down. */
const MAX_PARTS = 64

export const FIELD_NAMES: readonly string[] = [...FIELDS.keys()]

/** Undefined for a key that the language does not know. */
export function fieldOf(key: string): Field | undefined {
  if (!key.startsWith(METADATA)) return FIELDS.get(key)
  const path = key.slice(METADATA.length).split(".")
  if (path.some(part => part === "")) return undefined
  return path.length > MAX_PARTS ? { kind: "missing" } : { kind: "json", column: "files.metadata", path }
}
