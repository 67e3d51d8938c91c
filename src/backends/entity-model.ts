/**
 * The model that finds names and addresses: token classifiers from folders on disk, run in a worker thread. A small one reads
 * Latin letters; an encoder reads the other scripts and looks again at what the small one finds. The built-in ones ship
 * in models/; a larger one that lies in the models directory is used instead of the first, and is not doubted.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { AppError, asStorageError } from "../errors.ts"
import { log } from "../log.ts"
import { Lru } from "../threads/lru.ts"
import type { EntityModel, ModelEntity } from "./backend.ts"
import { kindOfLabel } from "./entity-labels.ts"
import type { EntityModelPlace } from "./entity-worker.ts"
import { ModelThread, ModelUnusable } from "./model-thread.ts"

export interface EntityFolder {
  name: string
  directory: string
  dtype: "fp32" | "q8"
  sizeBytes: number
  /** Names of Unicode scripts that the model was made for; undefined of one that is not made for some alone. */
  scripts: string[] | undefined
  /** Folder of the embedding model whose pieces an encoder reads; undefined of a classifier with a vocabulary of its own. */
  pieces: string | undefined
  /** One of ours, by what its config.json says of itself. */
  isOurs: boolean
}

/** For `carrel doctor` and /metrics. */
export interface EntityModelStatus {
  model: string | null
  status: "not_started" | "loading" | "loaded" | "unavailable"
  reason: string | null
}

/** Texts per message: a stream that asks for one window waits for the end of the batch before it, 20 ms a text at most. */
const BATCH_TEXTS = 8
/** Windows repeat while a text is redacted on its way in, in the history, on its way out. */
const REMEMBERED = 2000

/**
 * The largest token classifier for persons in the given folders of models; the first of two equally large ones.
 * A folder qualifies by config.json (labels), tokenizer.json and an ONNX file; anything else is passed over.
 */
export const findEntityFolder = (modelDirectories: string[]): EntityFolder | undefined =>
  entityFoldersIn(modelDirectories).find(({ scripts }) => scripts === undefined)

/** The encoder beside it. */
const findEncoderFolder = (modelDirectories: string[]): EntityFolder | undefined =>
  entityFoldersIn(modelDirectories).find(({ scripts, pieces }) => scripts !== undefined && pieces !== undefined)

/** The largest first. */
function entityFoldersIn(modelDirectories: string[]): EntityFolder[] {
  const found = modelDirectories.filter(existsSync).flatMap(parent =>
    readdirSync(parent)
      .sort()
      .flatMap(name => entityFolderAt(join(parent, name), name) ?? []),
  )
  return found.sort((a, b) => b.sizeBytes - a.sizeBytes)
}

/** undefined where the folder holds something else. */
function entityFolderAt(directory: string, name: string): EntityFolder | undefined {
  try {
    const config = JSON.parse(readFileSync(join(directory, "config.json"), "utf8")) as EntityConfig
    if (!Object.values(config.id2label ?? {}).some(label => kindOfLabel(label) === "NAME")) return undefined
    const pieces = config.carrel?.table && join(directory, "..", basename(config.carrel.table))
    if (!existsSync(join(pieces || directory, "tokenizer.json"))) return undefined
    const full = join(directory, "onnx", "model.onnx")
    const file = existsSync(full) ? full : join(directory, "onnx", "model_quantized.onnx")
    const dtype = file === full ? "fp32" : "q8"
    const { scripts } = config.carrel ?? {}
    return { name, directory, dtype, sizeBytes: statSync(file).size, scripts, pieces, isOurs: !!config.carrel }
  } catch {
    return undefined
  }
}

interface EntityConfig {
  id2label?: Record<string, string>
  carrel?: { scripts?: string[]; table?: string }
}

interface Question {
  text: string
  resolve(entities: ModelEntity[]): void
  reject(error: unknown): void
}

/**
 * States: `not_started` (the model is loaded with the first text, or by `load`) → `loading` → `loaded`. Where it cannot be
 * used (see ModelThread) it is `unavailable`: everything waiting fails with `model_unavailable`, and the next text tries
 * anew. `close` is final.
 */
export class WorkerEntityModel implements EntityModel {
  readonly model: string
  private readonly thread: ModelThread<EntityModelPlace, string[], ModelEntity[][]>
  private waiting: Question[] = []
  private isAsking = false
  private reason: string | null = null
  private closed = false
  private readonly remembered = new Lru<string, Promise<ModelEntity[]>>({ entries: REMEMBERED })

  constructor(
    { name, directory, dtype, isOurs }: EntityFolder,
    {
      nativeDirectory,
      encoder,
      startWorker,
    }: { nativeDirectory: string; encoder?: EntityFolder | undefined; startWorker?: () => Worker },
  ) {
    this.model = name
    this.thread = new ModelThread({
      model: name,
      entry: "backends/entity-worker",
      open: {
        main: { directory, dtype },
        encoder: encoder?.pieces
          ? {
              directory: encoder.directory,
              pieces: encoder.pieces,
              scripts: encoder.scripts ?? [],
              looksAgain: isOurs,
            }
          : undefined,
        nativeDirectory,
      },
      startWorker,
    })
  }

  get status(): EntityModelStatus {
    return { model: this.model, status: this.reason ? "unavailable" : this.thread.state, reason: this.reason }
  }

  /** Loads the model now; rejects with `model_unavailable` where it cannot be. */
  async load(): Promise<void> {
    await this.ask("")
  }

  find(text: string, signal?: AbortSignal): Promise<ModelEntity[]> {
    signal?.throwIfAborted()
    const known = this.remembered.get(text)
    if (known) return known
    const answer = this.remembered.set(text, this.ask(text))
    answer.catch(() => this.remembered.delete(text))
    return answer
  }

  /** Waits for the batch that runs. */
  async close(): Promise<void> {
    this.closed = true
    this.refuseWaiting(CLOSED)
    await this.thread.close()
    this.reason = CLOSED
    this.remembered.clear()
  }

  private ask(text: string): Promise<ModelEntity[]> {
    if (this.closed) return Promise.reject(unavailable(CLOSED))
    return new Promise((resolve, reject) => {
      this.waiting.push({ text, resolve, reject })
      if (!this.isAsking) void this.askWaiting()
    })
  }

  /** Batch after batch. All windows of one text are asked for in the same turn; together they are one batch. */
  private async askWaiting(): Promise<void> {
    this.isAsking = true
    this.reason = null
    while (this.waiting.length > 0) await this.askBatch()
    this.isAsking = false
  }

  private async askBatch(): Promise<void> {
    let batch: Question[] = []
    try {
      await this.thread.load()
      batch = this.waiting.splice(0, BATCH_TEXTS)
      const answers = await this.thread.run(batch.map(({ text }) => text))
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!)
    } catch (error) {
      const reason = this.closed ? CLOSED : (error as Error).message
      for (const { reject } of batch) reject(unavailable(reason))
      if (!this.closed && !(error instanceof ModelUnusable)) return // of this batch alone
      this.reason = reason
      this.refuseWaiting(reason)
    }
  }

  private refuseWaiting(reason: string): void {
    for (const { reject } of this.waiting.splice(0)) reject(unavailable(reason))
  }
}

const CLOSED = "the entity model is closed"

/** A disk that keeps the model from being unpacked is named as such. */
const unavailable = (reason: string): AppError =>
  asStorageError(new Error(reason)) ??
  new AppError("model_unavailable", {
    message: "names and addresses cannot be redacted: the entity model is not available",
    hint: `${reason}; see \`carrel doctor\`, or narrow the request with redaction.kinds to kinds other than NAME and ADDRESS`,
  })

/** The models that lie in the folders; undefined, and said so in the log, where there is none. */
export function openEntityModel(modelDirectories: string[], nativeDirectory: string): WorkerEntityModel | undefined {
  const folder = findEntityFolder(modelDirectories)
  if (folder) return new WorkerEntityModel(folder, { nativeDirectory, encoder: findEncoderFolder(modelDirectories) })
  log.error("there is no entity model: names and addresses cannot be redacted", { looked_in: modelDirectories })
  return undefined
}
