/** Measures a library by its users' own questions: as it is searched now, and as a candidate would search it. */
import { cpSync, mkdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Embedder } from "../../backends/backend.ts"
import type { Config } from "../../config.ts"
import { embeddingModels, modelDirectories, openConfiguredEmbedder, tiersOf } from "../../configured.ts"
import { OperatorError } from "../../errors.ts"
import { type Difference, differenceOf, type Verdict, verdictOf } from "../../search/comparison.ts"
import {
  checkExpectations,
  type Evaluation,
  type Expectation,
  evaluate,
  readExpectations,
} from "../../search/evaluate.ts"
import { RerankLine } from "../../search/rerank/rerank-line.ts"
import { openReranker } from "../../search/rerank/reranker.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import { needWorkspace, prepareNative } from "../command.ts"
import { scratch } from "../open-stores.ts"
import type { Progress } from "../progress.ts"
import { copyLibrary, type Taken, withCopy } from "./sample.ts"

/** Passages measured beside those of the files that are asked for: more make each question harder, and take longer. */
export const USUAL_PASSAGES = 2_000
const LIBRARY = "library"
/** Of one question: nobody waits for its answer. */
const RERANKED = { candidates: 50, budgetMs: 60_000 }

/** What would be searched with instead; what is left out is as the settings say. */
export interface Candidate {
  /** As `--embedding-model` names it. */
  model?: string
  tier?: Config["embedding_tier"]
  /** Share of meaning beside words, 0..1. */
  fusion?: number
  /** With the reranking model, whatever time it takes. */
  rerank?: boolean
}

export interface Questions {
  workspaceId: string
  expectations: Expectation[]
}

export interface Comparison {
  passages: Taken
  current: Evaluation[]
  candidate: Evaluation[]
  differences: Difference[]
  /** By the hybrid search. */
  verdict: Verdict
  /** Of the candidate: names of its models, the better one last. */
  models: string[]
}

/** @throws AppError invalid_request naming the line that is wrong; UsageError for a workspace that is not there */
export async function readQuestions(database: Database, path: string, workspace: string): Promise<Questions> {
  const text = await readFile(path, "utf8").catch(error => {
    throw Object.assign(error, { path }) // a folder's error does not name it
  })
  const expectations = readExpectations(text)
  const workspaceId = await needWorkspace(database, workspace)
  const files = await database
    .selectFrom("files")
    .select(["id", "name"])
    .where("workspace_id", "=", workspaceId)
    .execute()
  checkExpectations(expectations, files)
  return { workspaceId, expectations }
}

/** On a copy of the library, so that a daemon or nodes may run. */
export async function measureCopy(
  config: Config,
  database: Database,
  questions: Questions,
  passages: number,
  progress: Progress,
): Promise<{ evaluations: Evaluation[]; passages: Taken }> {
  await using bench = await Bench.open(config, database, questions, passages, progress)
  return { evaluations: await bench.measure(config, "now"), passages: bench.taken }
}

/** The library as it is searched now and as the candidate would search it, over the same passages. */
export async function compareWith(
  config: Config,
  database: Database,
  questions: Questions,
  { candidate, passages }: { candidate: Candidate; passages: number },
  progress: Progress,
): Promise<Comparison> {
  await using bench = await Bench.open(config, database, questions, passages, progress)
  const { model = config.embedding_model, tier = config.embedding_tier, fusion, rerank = false } = candidate
  const other = { ...config, embedding_model: model, embedding_tier: tier }
  // First, so that a candidate that does not open says so before the long part.
  const models = Object.values(await bench.models(other, fusion)).map(({ model: name }) => name)
  const current = await bench.measure(config, "now")
  const measured = await bench.measure(other, "candidate", { fusion, rerank })
  const differences = measured.map((each, i) => differenceOf(current[i]!, each))
  const verdict = verdictOf(differences.find(({ mode }) => mode === "hybrid")!)
  return { passages: bench.taken, current, candidate: measured, differences, verdict, models }
}

/** A copied library, and the models that it is searched with. */
class Bench {
  private readonly opened = new Map<string, Promise<Embedder>>()

  /** @param directory its folder `library` holds the copy, which has no index */
  private constructor(
    readonly taken: Taken,
    private readonly directory: string,
    private readonly questions: Questions,
    private readonly progress: Progress,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async open(
    config: Config,
    database: Database,
    questions: Questions,
    passages: number,
    progress: Progress,
  ): Promise<Bench> {
    await using stack = new AsyncDisposableStack()
    await prepareNative(config)
    progress.step("Copying passages")
    const directory = scratch(stack)
    const wanted = new Set(questions.expectations.flatMap(({ files }) => files))
    const { workspaceId } = questions
    const library = join(directory, LIBRARY)
    mkdirSync(library, { mode: 0o700 })
    const taken = await copyLibrary(database, library, {
      workspaceId,
      wanted,
      passages,
      keyFile: config.encryption_key_file,
    })
    return new Bench(taken, directory, questions, progress, stack.move())
  }

  /** Models of a configuration by tier. Each is opened once. */
  async models(config: Config, fusion?: number): Promise<Partial<Record<Tier, Embedder>>> {
    const models: Partial<Record<Tier, Embedder>> = {}
    for (const [tier, name] of tiersOf(embeddingModels(config)))
      models[tier] = weighed(await this.model(config, name), fusion)
    return models
  }

  /** Each side has an index of its own, of the same passages: files may come and go in the library meanwhile. */
  async measure(
    config: Config,
    side: "now" | "candidate",
    { fusion, rerank = false }: Pick<Candidate, "fusion" | "rerank"> = {},
  ): Promise<Evaluation[]> {
    const directory = join(this.directory, side)
    cpSync(join(this.directory, LIBRARY), directory, { recursive: true })
    const { workspaceId, expectations } = this.questions
    const what = side === "now" ? "what serves" : "the candidate"
    this.progress.step(`Making the vectors of ${what}`, "passages")
    const making = (done: number, total: number) => this.progress.update(done, total)
    const embedders = await this.models(config, fusion)
    const reranker = rerank ? this.reranker(config) : undefined
    const how = rerank ? { rerank: RERANKED } : {}
    return withCopy(directory, { embedders, reranker, keyFile: config.encryption_key_file }, making, index => {
      this.progress.step(`Asking ${what}`, "questions")
      return evaluate(
        index,
        workspaceId,
        expectations,
        undefined,
        (done, total) => this.progress.update(done, total),
        how,
      )
    })
  }

  /** @throws OperatorError where there is none */
  private reranker(config: Config): RerankLine {
    const nativeDirectory = join(config.data, "native")
    const reranker = openReranker(modelDirectories(config), { nativeDirectory })
    if (!reranker) throw new OperatorError("there is no reranking model")
    this.stack.defer(() => reranker.close())
    return new RerankLine(reranker)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync()
  }

  private model(config: Config, name: string): Promise<Embedder> {
    const known = this.opened.get(name)
    if (known) return known
    const opened = openConfiguredEmbedder(config, name)
    this.opened.set(name, opened)
    this.stack.defer(async () => void (await opened.then(embedder => embedder.close()).catch(() => {})))
    return opened
  }
}

/** The model with another share beside words. */
const weighed = (embedder: Embedder, fusionWeight: number | undefined): Embedder =>
  fusionWeight === undefined ? embedder : Object.assign(Object.create(embedder), { fusionWeight })
