/** The thread's end of the line to the daemon: what it is asked by name, and how a failure crosses over. */

/** The shape of every table of tasks. */
export type TaskTable<Tasks> = { [Name in keyof Tasks]: { ask: unknown; answer: unknown } }

export type ThreadRequest<Tasks extends TaskTable<Tasks>> = {
  [Name in keyof Tasks]: { id: number; task: Name; ask: Tasks[Name]["ask"] }
}[keyof Tasks]

export type ThreadReply = { id: number } & ({ answer: unknown } | { failure: Failure })

/** What is left of an error between threads: its class is not, so a thread answers with data where its kind matters. */
export interface Failure {
  name: string
  message: string
  stack?: string
  /** Of the system or of SQLite. */
  code?: string
  cause?: Failure
}

type Answered<Answer> = Answer | Moved<Answer>

declare const self: Worker

/** An answer whose buffers go over to the other thread instead of being copied. */
export class Moved<Answer> {
  constructor(
    readonly answer: Answer,
    readonly buffers: ArrayBufferLike[],
  ) {}
}

/** Answers requests in the order in which they come; what answers with a promise is overtaken by what does not. */
export function serveThread<Tasks extends TaskTable<Tasks>>(
  tasks: {
    [Name in keyof Tasks]: (
      ask: Tasks[Name]["ask"],
    ) => Answered<Tasks[Name]["answer"]> | Promise<Answered<Tasks[Name]["answer"]>>
  },
): void {
  self.onmessage = async ({ data: { id, task, ask } }: MessageEvent<ThreadRequest<Tasks>>) => {
    try {
      const answered = tasks[task](ask)
      // Answered in the same turn where it can be: waiting for what is not a promise would let others go first.
      tell(id, answered instanceof Promise ? await answered : answered)
    } catch (error) {
      self.postMessage({ id, failure: failureOf(error) } satisfies ThreadReply)
    }
  }
}

function tell(id: number, answered: unknown): void {
  if (answered instanceof Moved)
    self.postMessage({ id, answer: answered.answer } satisfies ThreadReply, answered.buffers as Transferable[])
  else self.postMessage({ id, answer: answered } satisfies ThreadReply)
}

/** Causes of causes that are told. */
const MAX_CAUSES = 4

/** As data, because an error that is sent as it is loses its code. */
export function failureOf(error: unknown, causes = MAX_CAUSES): Failure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) }
  const { name, message, stack, code, cause } = error as Error & { code?: unknown }
  const failure: Failure = { name, message }
  if (stack !== undefined) failure.stack = stack
  if (code !== undefined) failure.code = String(code)
  if (cause !== undefined && causes > 0) failure.cause = failureOf(cause, causes - 1)
  return failure
}

export function errorOf({ message, cause, ...rest }: Failure): Error {
  return Object.assign(new Error(message, cause ? { cause: errorOf(cause) } : undefined), rest)
}
