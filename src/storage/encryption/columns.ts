/**
 * Columns of the database that hold texts of files, of conversations or of secrets, encrypted while they are written and
 * opened while they are read, whoever does it: between Kysely and the database. What is written by SQL of its own, or by
 * another thread, calls `sealText` and `openText` itself.
 */
import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from "kysely"
import type { Schema } from "../schema.ts"
import { open, seal } from "./aead.ts"
import type { DataKey, Keyring } from "./keyring.ts"

/** No text of ours begins so: U+0001 stands in no text of a document and in no JSON. */
const MARK = "\u0001e:"
const PLACE = "column"

interface SealedTable<Table extends keyof Schema = keyof Schema> {
  key: readonly (keyof Schema[Table] & string)[]
  columns: readonly (keyof Schema[Table] & string)[]
}

/** Columns that the plugin seals, with the key of the records. No condition and no function of SQL may look into them. */
export const SEALED_COLUMNS = {
  secrets: { key: ["name"], columns: ["value"] },
  conversations: { key: ["id"], columns: ["summary"] },
  // Not `content`: conversations are found by what was said in them.
  messages: { key: ["id"], columns: ["sources", "citations"] },
  reply_events: { key: ["message_id", "first_event"], columns: ["events"] },
  answer_records: { key: ["message_id"], columns: ["prompt"] },
  record_texts: { key: ["message_id", "position"], columns: ["text"] },
  reading_notes: { key: ["key"], columns: ["note"] },
  kept_answers: { key: ["id"], columns: ["turns", "calls"] },
  agent_runs: { key: ["id"], columns: ["task", "output", "structured_output", "citations", "checkpoint"] },
  agent_steps: { key: ["run_id", "step"], columns: ["arguments", "result"] },
  agent_approvals: { key: ["id"], columns: ["arguments"] },
  batch_lines: { key: ["batch_id", "line"], columns: ["answer"] },
  schedules: { key: ["id"], columns: ["request"] },
  schedule_runs: { key: ["id"], columns: ["request", "body"] },
  idempotent_answers: { key: ["workspace_id", "operation", "key"], columns: ["body"] },
} as const satisfies { [Table in keyof Schema]?: SealedTable<Table> }

/** Of `chunks`, which `insertChunks` seals with the key of their workspace. */
export const SEALED_BY_WORKSPACE = ["text", "context", "sections"] as const

const NAMES: ReadonlySet<string> = new Set([
  ...Object.values(SEALED_COLUMNS).flatMap(({ columns }): readonly string[] => columns),
  ...SEALED_BY_WORKSPACE,
])

/** @param text also a JSON text */
export const sealText = ({ id, key }: DataKey, text: string): string =>
  `${MARK}${id}:${seal(key, Buffer.from(text), PLACE).toString("base64")}`

export const isSealedText = (text: string): boolean => text.startsWith(MARK)

/** @param keyOf the data key of that id. @throws Error where it was changed, or is of a key that is gone */
export function openText(text: string, keyOf: (id: string) => Uint8Array): string {
  const at = text.indexOf(":", MARK.length)
  return open(keyOf(text.slice(MARK.length, at)), Buffer.from(text.slice(at + 1), "base64"), PLACE).toString("utf8")
}

export class SealedColumns implements KyselyPlugin {
  constructor(private readonly keyring: Keyring) {}

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    const { records } = this.keyring
    return records ? sealedQuery(node, text => sealText(records, text)) : node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    if (this.keyring.state === "off" || result.rows.length === 0) return result
    return { ...result, rows: await this.opened(result.rows) }
  }

  /** The rows, with what of them is sealed opened; those where nothing is are the same objects. */
  async opened<Row extends object>(rows: readonly Row[]): Promise<Row[]> {
    const opened: Row[] = []
    for (const row of rows) {
      let changed: Record<string, unknown> | undefined
      for (const [name, value] of Object.entries(row) as [string, unknown][])
        if (typeof value === "string" && isSealedText(value)) {
          changed ??= { ...(row as Record<string, unknown>) }
          changed[name] = await this.open(name, value)
        }
      opened.push((changed as Row | undefined) ?? row)
    }
    return opened
  }

  private async open(name: string, value: string): Promise<string> {
    try {
      const id = value.slice(MARK.length, value.indexOf(":", MARK.length))
      const { key } = await this.keyring.get(id)
      return openText(value, () => key)
    } catch (error) {
      // Where nothing is sealed, somebody may have given a text that begins so.
      if (NAMES.has(name) && this.keyring.state === "sealed") throw error
      return value
    }
  }
}

type Seal = (text: string) => string

/** What is looked at of Kysely's trees: `test/storage/encryption/columns.test.ts` says when they change. */
interface Tree {
  kind: string
  into?: Table
  table?: Table
  columns?: { column: { name: string } }[]
  values?: { kind: string; values: Row[] }
  updates?: Update[]
  onConflict?: { updates?: Update[] }
}
interface Table {
  table?: { identifier: { name: string } }
}
interface Row {
  kind: "PrimitiveValueListNode" | "ValueListNode"
  values: unknown[]
}
interface Update {
  column: { column?: { name: string } }
  value: { kind: string; value?: unknown }
}

function sealedQuery(node: RootOperationNode, sealed: Seal): RootOperationNode {
  const tree = node as unknown as Tree
  const columns = columnsOf((tree.into ?? tree.table)?.table?.identifier.name)
  if (!columns) return node
  if (tree.kind === "UpdateQueryNode") return changed(tree, { updates: sealedUpdates(tree.updates, columns, sealed) })
  if (tree.kind !== "InsertQueryNode") return node
  const at = (tree.columns ?? []).flatMap(({ column }, i) => (columns.has(column.name) ? [i] : []))
  const { values, onConflict } = tree
  return changed(tree, {
    values:
      values?.kind === "ValuesNode"
        ? { ...values, values: values.values.map(row => sealedRow(row, at, sealed)) }
        : values,
    onConflict: onConflict && { ...onConflict, updates: sealedUpdates(onConflict.updates, columns, sealed) },
  })
}

const changed = (tree: Tree, change: { [Name in keyof Tree]?: Tree[Name] | undefined }): RootOperationNode =>
  ({ ...tree, ...change }) as unknown as RootOperationNode

function columnsOf(table: string | undefined): ReadonlySet<string> | undefined {
  const known =
    table === undefined ? undefined : (SEALED_COLUMNS as Record<string, { columns: readonly string[] }>)[table]
  return known && new Set<string>(known.columns)
}

function sealedRow(row: Row, at: readonly number[], sealed: Seal): Row {
  const values = [...row.values]
  for (const i of at)
    values[i] =
      row.kind === "PrimitiveValueListNode"
        ? sealedValue(values[i], sealed)
        : sealedNode(values[i] as Update["value"], sealed)
  return { ...row, values }
}

const sealedUpdates = (
  updates: Update[] | undefined,
  columns: ReadonlySet<string>,
  sealed: Seal,
): Update[] | undefined =>
  updates?.map(update =>
    columns.has(update.column.column?.name ?? "") ? { ...update, value: sealedNode(update.value, sealed) } : update,
  )

/** What is computed by the database is no text of ours. */
const sealedNode = (node: Update["value"], sealed: Seal): Update["value"] =>
  node.kind === "ValueNode" ? { ...node, value: sealedValue(node.value, sealed) } : node

const sealedValue = (value: unknown, sealed: Seal): unknown => (typeof value === "string" ? sealed(value) : value)
