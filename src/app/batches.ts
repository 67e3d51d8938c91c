import type { AgentRuns } from "../agents/runs.ts"
import { BatchStore } from "../batches/batch-store.ts"
import { Batches, CARRY_OUT_BATCH } from "../batches/batches.ts"
import type { Dispatch } from "../batches/dispatch.ts"
import type { Forget } from "../batches/errand.ts"
import { BatchFiles } from "../batches/files.ts"
import { BackgroundRoom } from "../batches/room.ts"
import { BatchWorker } from "../batches/worker.ts"
import type { Chat } from "../chat/chat.ts"
import type { Config } from "../config.ts"
import { AppError } from "../errors.ts"
import { JobWorker } from "../jobs/worker.ts"
import type { Access } from "./access.ts"
import { type Storage, storesFaultIn } from "./storage.ts"

/** Batches that take their turns at the same time on one node. */
const BATCHES_AT_ONCE = 8

/** Unattended work as users see it. */
export function openBatches({ database, blobs, queue }: Storage) {
  return { batches: new Batches(database, queue, new BatchFiles(database, blobs)) }
}

interface WorkParts {
  storage: Storage
  access: Access
  chat: Chat
  agents: AgentRuns
  unattended: ReturnType<typeof openBatches>
  /** What carries requests out, and how many of clients it is answering. */
  server: { dispatch: Dispatch; readonly running: number }
}

/** What carries it out. Yet to be started. */
export function unattendedWorkers(config: Config, parts: WorkParts): JobWorker[] {
  const { storage, access, chat, agents, unattended, server } = parts
  const { database, queue, node } = storage
  const room = new BackgroundRoom(config.batch_concurrency, () => server.running)
  const shared = { holders: access.holders, room, dispatch: server.dispatch, forget: forgetting(chat, agents) }
  const batches = new BatchWorker({
    ...shared,
    queue,
    files: unattended.batches.files,
    store: new BatchStore(database, queue),
  })
  const workers = [
    new JobWorker(queue, {
      task: CARRY_OUT_BATCH,
      lanes: { ordinary: { concurrency: BATCHES_AT_ONCE, group: 1, handle: batches.handle } },
      isStoresFault: storesFaultIn(storage),
      mayLease: () => node.isMember,
    }),
  ]
  for (const worker of workers)
    node.onLost(() => worker.interrupt(new Error("the node lost its place among the others")))
  return workers
}

const forgetting =
  (chat: Chat, agents: AgentRuns): Forget =>
  async (view, made) => {
    try {
      if ("conversation_id" in made) await chat.delete(view, made.conversation_id)
      else if ("response_id" in made) await chat.deleteKept(view, made.response_id)
      else {
        await agents.cancel(view, made.run_id)
        await agents.delete(view, made.run_id)
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error
    }
  }
