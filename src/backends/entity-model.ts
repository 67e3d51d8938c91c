/**
 * The model that finds names and addresses: a token classifier from a folder on disk, run in a worker thread.
 * The built-in one ships in models/; a larger one that lies in the models directory is used instead.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { AppError, asStorageError } from "../errors.ts"
import { log } from "../log.ts"
import { workerUrl } from "../native/self.ts"
import type { EntityModel, ModelEntity } from "./backend.ts"
import { kindOfLabel } from "./entity-labels.ts"
import type { EntityBatchMessage, EntityOpenMessage, EntityWorkerReply } from "./entity-worker.ts"
import { leaveWorker } from "./leave-worker.ts"

export interface EntityFolder {
  name: string
  directory: string
  dtype: "fp32" | "q8"
  sizeBytes: number
}

/** For `carrel doctor` and /metrics. */
export interface EntityModelStatus {
  model: string | null
  status: "not_started" | "loading" | "loaded" | "unavailable"
  reason: string | null
}

/** Loading and one batch end well within this. */
const CLOSE_MS = 3_000
/** Texts per message: a stream that asks for one window waits for the end of the batch before it. */
const BATCH_TEXTS = 256
/** Windows repeat while a text is redacted on its way in, in the history, on its way out. */
const REMEMBERED = 2000

/**
 * The largest token classifier for persons in the given folders of models; the first of two equally large ones.
 * A folder qualifies by config.json (labels), tokenizer.json and an ONNX file; anything else is passed over.
 */
export function findEntityFolder(modelDirectories: string[]): EntityFolder | undefined {
  const found = modelDirectories.filter(existsSync).flatMap(parent =>
    readdirSync(parent)
      .sort()
      .flatMap(name => entityFolderAt(join(parent, name), name) ?? []),
  )
  return found.sort((a, b) => b.sizeBytes - a.sizeBytes)[0]
}

/** undefined where the folder holds something else. */
export function entityFolderAt(directory: string, name: string): EntityFolder | undefined {
  try {
    const config = JSON.parse(readFileSync(join(directory, "config.json"), "utf8")) as Record<string, unknown>
    const labels = Object.values((config.id2label ?? {}) as Record<string, string>)
    if (!labels.some(label => kindOfLabel(label) === "NAME")) return undefined
    if (!existsSync(join(directory, "tokenizer.json"))) return undefined
    const full = join(directory, "onnx", "model.onnx")
    const file = existsSync(full) ? full : join(directory, "onnx", "model_quantized.onnx")
    return { name, directory, dtype: file === full ? "fp32" : "q8", sizeBytes: statSync(file).size }
  } catch {
    return undefined
  }
}

interface Question {
  text: string
  resolve(entities: ModelEntity[]): void
  reject(error: unknown): void
}

/**
 * States: `not_started` (the worker starts with the first text, or with `load`) → `loading` → `loaded` ⇄ running one
 * batch. A worker that dies is replaced once for the batch that it held; when that fails too, or the folder cannot be
 * opened, everything waiting fails with `model_unavailable` and the next text tries anew. `close` is final.
 */
export class WorkerEntityModel implements EntityModel {
  readonly model: string
  private worker: Worker | undefined
  private ready = false
  private running: Question[] | undefined
  private waiting: Question[] = []
  private deaths = 0
  private reason: string | null = null
  private closed = false
  private scheduled = false
  private readonly remembered = new Map<string, Promise<ModelEntity[]>>()

  constructor(
    private readonly folder: EntityFolder,
    private readonly options: { nativeDirectory: string; startWorker?: () => Worker },
  ) {
    this.model = folder.name
  }

  get status(): EntityModelStatus {
    const status = this.reason ? "unavailable" : this.ready ? "loaded" : this.worker ? "loading" : "not_started"
    return { model: this.model, status, reason: this.reason }
  }

  /** Loads the model now; rejects with `model_unavailable` where it cannot be. */
  async load(): Promise<void> {
    await this.ask("")
  }

  find(text: string, signal?: AbortSignal): Promise<ModelEntity[]> {
    signal?.throwIfAborted()
    const known = this.remembered.get(text)
    if (known) return known
    const answer = this.ask(text)
    if (this.remembered.size >= REMEMBERED) this.remembered.delete(this.remembered.keys().next().value!)
    this.remembered.set(text, answer)
    answer.catch(() => this.remembered.delete(text))
    return answer
  }

  /** Waits for the batch that runs: a thread that is ended inside native code takes the process with it. */
  async close(): Promise<void> {
    this.closed = true
    for (const { reject } of this.waiting.splice(0)) reject(unavailable("the entity model is closed"))
    const deadline = Date.now() + CLOSE_MS
    while (this.worker && (!this.ready || this.running) && Date.now() < deadline) await Bun.sleep(5)
    const { worker } = this
    if (worker && (!this.ready || this.running)) {
      this.worker = undefined
      leaveWorker(worker)
    }
    this.fail("the entity model is closed")
    this.remembered.clear()
  }

  private ask(text: string): Promise<ModelEntity[]> {
    if (this.closed) return Promise.reject(unavailable("the entity model is closed"))
    return new Promise((resolve, reject) => {
      this.waiting.push({ text, resolve, reject })
      if (this.scheduled) return
      this.scheduled = true
      // All windows of one text are asked for in the same turn; together they are one batch.
      queueMicrotask(() => {
        this.scheduled = false
        this.runNext()
      })
    })
  }

  private runNext(): void {
    if (this.closed || this.running || this.waiting.length === 0) return
    if (!this.worker) this.start()
    if (!this.ready) return
    this.running = this.waiting.splice(0, BATCH_TEXTS)
    this.worker!.postMessage({ texts: this.running.map(({ text }) => text) } satisfies EntityBatchMessage)
  }

  private start(): void {
    this.reason = null
    const worker = this.options.startWorker?.() ?? new Worker(workerUrl("backends/entity-worker"))
    this.worker = worker
    worker.onmessage = ({ data }: MessageEvent<EntityWorkerReply>) => {
      if (worker === this.worker) this.take(data)
    }
    const died = (reason: string) => {
      if (worker === this.worker) this.replace(reason)
    }
    worker.onerror = event => died(event.message)
    worker.addEventListener("close", () => died("the worker thread ended"))
    const { directory, dtype } = this.folder
    worker.postMessage({ directory, dtype, nativeDirectory: this.options.nativeDirectory } satisfies EntityOpenMessage)
  }

  private take(reply: EntityWorkerReply): void {
    if (reply.kind === "unusable") {
      this.fail(reply.reason)
      return
    }
    if (reply.kind === "ready") this.ready = true
    else {
      const answered = this.running ?? []
      this.running = undefined
      this.deaths = 0
      if (reply.kind === "entities")
        for (const [index, { resolve }] of answered.entries()) resolve(reply.entities[index]!)
      else for (const { reject } of answered) reject(unavailable(reply.reason))
    }
    this.runNext()
  }

  private replace(reason: string): void {
    log.warn("entity model worker died", { model: this.model, reason })
    if (++this.deaths > 1) {
      this.fail(reason)
      return
    }
    this.stopWorker()
    this.waiting.unshift(...(this.running ?? []))
    this.running = undefined
    this.runNext()
  }

  private fail(reason: string): void {
    this.reason = reason
    this.deaths = 0
    this.stopWorker()
    const failed = [...(this.running ?? []), ...this.waiting.splice(0)]
    this.running = undefined
    for (const { reject } of failed) reject(unavailable(reason))
  }

  private stopWorker(): void {
    const { worker } = this
    this.worker = undefined
    this.ready = false
    worker?.terminate()
  }
}

/** A disk that keeps the model from being unpacked is named as such. */
const unavailable = (reason: string): AppError =>
  asStorageError(new Error(reason)) ??
  new AppError("model_unavailable", {
    message: "names and addresses cannot be redacted: the entity model is not available",
    hint: `${reason}; see \`carrel doctor\`, or narrow the request with redaction.kinds to kinds other than NAME and ADDRESS`,
  })

/** The model that `findEntityFolder` chooses; undefined, and said so in the log, where there is none. */
export function openEntityModel(modelDirectories: string[], nativeDirectory: string): WorkerEntityModel | undefined {
  const folder = findEntityFolder(modelDirectories)
  if (folder) return new WorkerEntityModel(folder, { nativeDirectory })
  log.error("there is no entity model: names and addresses cannot be redacted", { looked_in: modelDirectories })
  return undefined
}
