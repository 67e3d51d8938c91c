/**
 * What many objects of one answer need of the stores, asked for once: each field of each object asks for its own, and all
 * that are asked for at the same time share one query.
 */
import DataLoader from "dataloader"
import type { View } from "../../access/view.ts"
import type { ApprovalRecord } from "../../agents/approval-record.ts"
import type { RunSummary, StepRecord } from "../../agents/run-record.ts"
import type { ListedConversation, PlacedMessage } from "../../chat/conversation-lists.ts"
import type { FilePassage } from "../../library/file-passages.ts"
import type { FileRecord } from "../../library/record.ts"
import type { GraphqlHouse } from "./call.ts"

/** A part of a list below each of many objects. */
export interface Window {
  /** The place that it begins behind, 0 for the first. */
  after: number
  limit: number
}

type Loader<Value> = DataLoader<string, Value>

export class Loaders {
  /** Undefined for what is not there for the caller. */
  readonly files: Loader<FileRecord | undefined>
  readonly conversations: Loader<ListedConversation | undefined>
  readonly runs: Loader<RunSummary | undefined>
  readonly approvals: Loader<ApprovalRecord[]>
  /** Empty for what has none. */
  readonly passages: (window: Window) => Loader<FilePassage[]>
  readonly messages: (window: Window) => Loader<PlacedMessage[]>
  readonly steps: (window: Window) => Loader<StepRecord[]>

  constructor({ library, chat, agents }: Pick<GraphqlHouse, "library" | "chat" | "agents">, view: View) {
    this.files = loaderOf(async ids => new Map((await library.existing(view, ids)).map(file => [file.id, file])))
    this.conversations = loaderOf(ids => chat.lists.existing(view, ids))
    this.runs = loaderOf(ids => agents.lists.existing(view, ids))
    this.approvals = loaderOf(ids => agents.lists.approvals(view, ids), [])
    this.passages = perWindow((ids, window) => library.passages.of(view, ids, window))
    this.messages = perWindow((ids, window) => chat.lists.messages(view, ids, window))
    this.steps = perWindow((ids, window) => agents.lists.steps(view, ids, window))
  }
}

type Read<Value> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>

function loaderOf<Value>(read: Read<Value>): Loader<Value | undefined>
function loaderOf<Value>(read: Read<Value>, none: Value): Loader<Value>
function loaderOf<Value>(read: Read<Value>, none?: Value): Loader<Value | undefined> {
  return new DataLoader(async ids => {
    const found = await read(ids)
    return ids.map(id => found.get(id) ?? none)
  })
}

/** Objects whose lists are asked for alike share a query. */
function perWindow<Item>(read: (ids: readonly string[], window: Window) => Promise<ReadonlyMap<string, Item[]>>) {
  const loaders = new Map<string, Loader<Item[]>>()
  return (window: Window): Loader<Item[]> => {
    const key = `${window.after} ${window.limit}`
    const loader = loaders.get(key) ?? loaderOf(ids => read(ids, window), [])
    loaders.set(key, loader)
    return loader
  }
}
