import type { AgentRuns } from "../agents/runs.ts"
import { BatchStore } from "../batches/batch-store.ts"
import { Batches, CARRY_OUT_BATCH } from "../batches/batches.ts"
import type { Dispatch } from "../batches/dispatch.ts"
import type { Forget } from "../batches/errand.ts"
import { BatchFiles } from "../batches/files.ts"
import { BackgroundRoom } from "../batches/room.ts"
import { watchSchedules } from "../batches/schedule-clock.ts"
import { ScheduleWorker } from "../batches/schedule-worker.ts"
import { RUN_SCHEDULE, Schedules } from "../batches/schedules.ts"
import { BatchWorker } from "../batches/worker.ts"
import type { Chat } from "../chat/chat.ts"
import type { Config } from "../config.ts"
import { AppError } from "../errors.ts"
import { type JobHandler, JobWorker } from "../jobs/worker.ts"
import type { Access } from "./access.ts"
import { type Storage, storesFaultIn } from "./storage.ts"

/** Batches, and runs of schedules, that take their turns at the same time on one node. */
const AT_ONCE = 8

/** Unattended work as users see it. */
export function openBatches({ database, blobs, queue, idempotency }: Storage) {
  return {
    batches: new Batches(database, queue, new BatchFiles(database, blobs), idempotency),
    schedules: new Schedules(database, queue, idempotency),
  }
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

/** What carries it out, and begins what is due. The workers are yet to be started. */
export function unattendedWorkers(config: Config, parts: WorkParts): JobWorker[] {
  const { storage, access, chat, agents, unattended, server } = parts
  const { database, queue, node, leader } = storage
  const room = new BackgroundRoom(config.batch_concurrency, () => server.running)
  const shared = { holders: access.holders, room, dispatch: server.dispatch, forget: forgetting(chat, agents) }
  const batches = new BatchWorker({
    ...shared,
    queue,
    files: unattended.batches.files,
    store: new BatchStore(database, queue),
  })
  const schedules = new ScheduleWorker({ ...shared, database, queue })
  const workerOf = (task: string, handle: JobHandler) =>
    new JobWorker(queue, {
      task,
      lanes: { ordinary: { concurrency: AT_ONCE, group: 1, handle } },
      isStoresFault: storesFaultIn(storage),
      mayLease: () => node.isMember,
    })
  const workers = [workerOf(CARRY_OUT_BATCH, batches.handle), workerOf(RUN_SCHEDULE, schedules.handle)]
  leader.whileLeader(signal => watchSchedules(database, queue, signal))
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
      if (!(error instanceof AppError) || !["not_found", "on_hold"].includes(error.code)) throw error
    }
  }
