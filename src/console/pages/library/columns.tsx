/** What the list says of a file beside its name. */
import type { ComponentChildren } from "preact"
import { ago, bytes, count } from "../../format.ts"
import type { Text } from "../../text.ts"
import type { FileRecord } from "../../wire.ts"
import { FileStatus } from "./file-status.tsx"
import type { Filters } from "./filters.tsx"

interface Column {
  title: Text
  /** The list can be ordered by it. */
  sort?: Filters["sort"]
  show: (file: FileRecord) => ComponentChildren
}

export const COLUMNS = {
  status: { title: "State", sort: "status", show: file => <FileStatus file={file} /> },
  size: { title: "Size", sort: "size", show: ({ size }) => bytes(size) },
  created_at: { title: "Added", sort: "created_at", show: file => ago(file.created_at) },
  updated_at: { title: "Changed", sort: "updated_at", show: file => ago(file.updated_at) },
  pages: { title: "Pages", show: ({ page_count }) => page_count !== null && count(page_count) },
  external_id: { title: "External id", show: ({ external_id }) => <span dir="auto">{external_id}</span> },
  metadata: { title: "Metadata", show: ({ metadata }) => <span dir="auto">{inWords(metadata)}</span> },
} satisfies Record<string, Column>
export type ColumnName = keyof typeof COLUMNS

const NAMES = Object.keys(COLUMNS) as ColumnName[]

/** Columns that an address names, in their usual order. */
export const columnsIn = (names: string): ColumnName[] => {
  const chosen = names.split(",")
  return NAMES.filter(name => chosen.includes(name))
}

/** With or without one of them, as an address names them. */
export const columnsOf = (chosen: readonly ColumnName[], name: string, on: boolean): string =>
  NAMES.filter(each => (each === name ? on : chosen.includes(each))).join(",") || "none"

/** The fields that hold one value each. */
const inWords = (metadata: FileRecord["metadata"]): string =>
  Object.entries(metadata)
    .flatMap(([key, value]) => (value === null || typeof value === "object" ? [] : [`${key}: ${value}`]))
    .join(" · ")
