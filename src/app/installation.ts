import type { ModelCatalog } from "../backends/index.ts"
import { LocalOllama } from "../backends/local-ollama.ts"
import { ModelTrials } from "../chat/model-trial.ts"
import { type Config, flagOf, type ReadConfig, SETTINGS_FILE, type ShownSetting, shownSettings } from "../config.ts"
import { SETTINGS } from "../config-settings.ts"
import type { Installation, InstallationSetting, PackRecord } from "../http/installation.ts"
import { builtinPacksDirectory } from "../native/models.ts"
import type { Database } from "../storage/database.ts"
import { watchDiskUse } from "../storage/disk-use.ts"
import { type InstalledPack, installedPacks, packsDirectory } from "../storage/packs/installed.ts"
import { openBackups } from "./backups.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"
import type { Together } from "./together.ts"

export type SettingSources = ReadConfig["sources"]

interface InstallationParts {
  /** Undefined where nobody says: settings are left out then. */
  settingSources: SettingSources | undefined
  storage: Storage
  chatModels: ModelCatalog
  models: Models
}

/** What only administrators, and people who begin, look at. */
export function openInstallation(config: Config, parts: InstallationParts, atWork: Together) {
  const diskUse = watchDiskUse(config.data)
  return {
    diskUse,
    installation: describe(config, parts),
    backups: openBackups(config, parts.storage, diskUse, atWork),
    localOllama: new LocalOllama(config.ollama_host, config.offline),
  }
}

function describe(
  config: Config,
  { storage, chatModels, models, settingSources: sources }: InstallationParts,
): Installation {
  const { database, usage } = storage
  return {
    settings: sources ? shownSettings({ config, sources }).map(settingOf) : [],
    directory: config.data,
    files: () => filesOf(database),
    packs: () => packsOf(config.data),
    trials: new ModelTrials({ models: chatModels, redactor: models.redactor, usage }),
  }
}

function settingOf({ name, value, source }: ShownSetting): InstallationSetting {
  const { doc, default: fallback } = SETTINGS[name]
  return { name, value: asText(value), default: asText(fallback), from: kindOf(source, name), source, description: doc }
}

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

function kindOf(source: string, name: string): InstallationSetting["from"] {
  if (source === "default") return "default"
  if (source === SETTINGS_FILE) return "file"
  return source === flagOf(name as ShownSetting["name"]) ? "flag" : "environment"
}

async function filesOf(database: Database): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await database
    .selectFrom("files")
    .select(eb => [eb.fn.countAll<number>().as("count"), eb.fn.sum<number>("size").as("bytes")])
    .executeTakeFirstOrThrow()
  return { count: Number(count), bytes: Number(bytes ?? 0) }
}

function packsOf(data: string): PackRecord[] {
  const builtin = builtinPacksDirectory()
  return [
    ...installedPacks(packsDirectory(data)).map(pack => packOf(pack, pack.addedAt.toISOString())),
    ...(builtin === undefined ? [] : installedPacks(builtin).map(pack => packOf(pack, null))),
  ]
}

const packOf = ({ manifest: { name, languages, files } }: InstalledPack, added_at: string | null): PackRecord => ({
  name,
  languages: languages.map(language => language.name),
  bytes: files.reduce((sum, { size }) => sum + size, 0),
  added_at,
})
