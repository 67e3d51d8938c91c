/** What the settings alone make, for the daemon and for commands that run without one. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { readMcpConfig } from "./agents/mcp-config.ts"
import type { ChatBackendOptions } from "./backends/backend-options.ts"
import { BUILT_IN_EMBEDDING_MODELS, openEmbedder } from "./backends/embedder.ts"
import { chatBackends, ModelCatalog } from "./backends/index.ts"
import { type Config, ConfigError } from "./config.ts"
import { LANGUAGE_FILE, type OcrLanguageSources } from "./ingest/formats/ocr/languages.ts"
import { log } from "./log.ts"
import { builtinModelsDirectory, builtinPacksDirectory } from "./native/models.ts"
import { TIERS, type Tier } from "./storage/chunk-tables.ts"
import { packsDirectory } from "./storage/packs/installed.ts"

/** @throws ConfigError for a file that cannot be read or names a server wrongly */
export function readToolServers(config: Config) {
  try {
    return readMcpConfig(config.mcp_config, config.offline)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** @throws ConfigError when only one of the two files is named, or one cannot be read */
export async function readTls(config: Config): Promise<{ tls?: { cert: string; key: string } }> {
  if (!config.tls_cert && !config.tls_key) return {}
  if (!config.tls_cert || !config.tls_key)
    throw new ConfigError("--tls-cert and --tls-key go together: one of them is missing")
  const read = (flag: string, path: string) =>
    Bun.file(path)
      .text()
      .catch(error => {
        throw new ConfigError(`${flag}: ${path} cannot be read (${(error as Error).message})`)
      })
  const tls = { cert: await read("--tls-cert", config.tls_cert), key: await read("--tls-key", config.tls_key) }
  checkPair(tls.cert, tls.key)
  return { tls }
}

function checkPair(cert: string, key: string): void {
  const parse = <T>(flag: string, what: string, make: () => T): T => {
    try {
      return make()
    } catch (cause) {
      throw new ConfigError(`${flag}: the file holds no ${what} in PEM form`, { cause })
    }
  }
  const certificate = parse("--tls-cert", "certificate", () => new X509Certificate(cert))
  const privateKey = parse("--tls-key", "private key", () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey))
    throw new ConfigError("--tls-key: the private key is not the one of the certificate of --tls-cert")
}

/** @throws ConfigError for a folder that the operator named and that is not there, or has not what it is named for */
export function checkFolders({ models_dir, ocr_languages, backup_dir, backup_every_hours, data }: Config): void {
  if (models_dir) namesIn("--models-dir", models_dir)
  if (backup_dir) namesIn("--backup-dir", backup_dir)
  if (`${backup_dir}/`.startsWith(`${data}/`))
    throw new ConfigError("--backup-dir: must lie outside of the data directory, which may be lost as a whole")
  if (backup_every_hours > 0 && !backup_dir)
    throw new ConfigError("--backup-every-hours: needs --backup-dir, which names the folder")
  if (!ocr_languages) return
  if (!namesIn("--ocr-languages", ocr_languages).some(name => LANGUAGE_FILE.test(name)))
    throw new ConfigError(`--ocr-languages: ${ocr_languages} holds no NAME.traineddata and no NAME.traineddata.gz`)
}

function namesIn(flag: string, folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = { ENOENT: "does not exist", ENOTDIR: "is no folder" }[code ?? ""]
    throw new ConfigError(`${flag}: ${folder} ${reason ?? `cannot be read (${code})`}`)
  }
}

/**
 * A model server may be started after the daemon: only a model that a server says it does not have is refused.
 * @throws ConfigError naming the models that are there
 */
export async function checkDefaultModel({ default_model }: Config, models: ModelCatalog): Promise<void> {
  if (!default_model) return
  const known = await models.knows(default_model)
  if (known === "perhaps")
    log.warn("the default model cannot be looked up: its server does not answer", { model: default_model })
  if (known !== "no") return
  const values = (await models.list(null)).map(({ value }) => value)
  throw new ConfigError(
    `--default-model: there is no model ${JSON.stringify(default_model)}; there are ${values.join(", ")}`,
  )
}

/** What pages are recognized with: the operator's folder, or the packs that are installed and those that are built in. */
export function ocrLanguagesOf({ ocr_languages, data }: Pick<Config, "ocr_languages" | "data">): OcrLanguageSources {
  if (ocr_languages) return { folder: ocr_languages }
  const builtin = builtinPacksDirectory()
  return { packs: [packsDirectory(data), ...(builtin === undefined ? [] : [builtin])] }
}

export const modelDirectories = (config: Config): string[] => [
  config.models_dir || join(config.data, "models"),
  builtinModelsDirectory(),
]

/**
 * Names of the embedding models by tier. Without a quality tier there is the fast one alone: where that is all that is
 * wanted, and where the operator names the fast tier's own model.
 */
export function embeddingModels(config: Config): Partial<Record<Tier, string>> {
  const { fast } = BUILT_IN_EMBEDDING_MODELS
  const quality = config.embedding_model || BUILT_IN_EMBEDDING_MODELS.quality
  return quality === fast || config.embedding_tier === "fast" ? { fast } : { fast, quality }
}

/** What there is of each tier, the one first that indexing does not wait for. */
export const tiersOf = <Each>(of: Partial<Record<Tier, Each>>): [Tier, Each][] =>
  TIERS.flatMap(tier => (of[tier] === undefined ? [] : [[tier, of[tier]] as [Tier, Each]]))

/** More of them gain nothing for texts of a passage's length. */
const MOST_THREADS = 8

/**
 * What the model of the quality tier may take of the machine: threads, and the share of the time in which it may use them for
 * work in the background. `auto`: half of the cores; `quality`: all but one, which reads files.
 */
export function backgroundOf({ embedding_tier }: Config, cores = availableParallelism()) {
  const most = embedding_tier === "quality" ? Math.max(1, cores - 1) : cores / 2
  const threads = Math.min(MOST_THREADS, Math.max(1, Math.floor(most)))
  return { threads, share: Math.min(1, most / threads) }
}

/**
 * @param dimensions of its vectors, where the model server is not to be asked
 * @param threads inside one operation of a model that Carrel runs itself
 */
export const openConfiguredEmbedder = (
  config: Config,
  name: string,
  { dimensions, threads }: { dimensions?: number; threads?: number } = {},
) =>
  openEmbedder({
    name,
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(threads === undefined ? {} : { threads }),
    directories: modelDirectories(config),
    nativeDirectory: join(config.data, "native"),
    ollamaHost: config.ollama_host,
    openAiBaseUrl: config.openai_base_url,
    openAiApiKey: config.openai_api_key,
  })

/** The chat models of this configuration; the command line lists them without a daemon. */
export const createModels = (config: Config, meaning?: ChatBackendOptions["meaning"]): ModelCatalog =>
  new ModelCatalog(
    chatBackends({
      ollamaHost: config.ollama_host,
      keepAlive: config.keep_alive,
      openAiBaseUrl: config.openai_base_url,
      openAiApiKey: config.openai_api_key,
      openAiContextTokens: config.openai_context_tokens,
      silenceMs: config.model_silence_seconds * 1000,
      queue: { parallel: config.model_parallel, waiting: config.model_queue },
      allowRemoteModels: config.allow_remote_models,
      ...(meaning ? { meaning } : {}),
    }),
    config.default_model,
  )
