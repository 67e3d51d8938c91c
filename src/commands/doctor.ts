import { existsSync, readdirSync } from "node:fs"
import { access, constants, statfs } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { Users } from "../access/users.ts"
import type { Config } from "../config.ts"
import { SETTINGS_FILE } from "../config.ts"
import type { EngineAddresses } from "../config-engines.ts"
import { ConfigError } from "../config-error.ts"
import { checkDefaultModel, checkFolders, createModels } from "../configured.ts"
import { enginesOf } from "../configured-cluster.ts"
import { FileAnchors, RowAnchors } from "../governance/audit/anchors.ts"
import { VERSION } from "../native/version.ts"
import type { Database } from "../storage/database.ts"
import { measureSync } from "../storage/disk-watch.ts"
import { unlock } from "../storage/encryption/unlock.ts"
import { openSqlite } from "../storage/sqlite/open.ts"
import {
  type Arguments,
  type Command,
  hasDatabase,
  parseArguments,
  prepareNative,
  print,
  printJson,
  refuseWords,
} from "./command.ts"
import { describeAudit } from "./doctor-audit.ts"
import { describeNodes, examineEngines, openBesideNodes } from "./doctor-cluster.ts"
import { examineFence, FENCE } from "./doctor-fence.ts"
import { describeModelFolders } from "./doctor-models.ts"
import { describeOcr } from "./doctor-ocr.ts"
import { describeSignIn } from "./doctor-sign-in.ts"
import { describeUnattended } from "./doctor-unattended.ts"
import { describeFailure } from "./failure.ts"
import type { Finding } from "./finding.ts"
import { storesIn } from "./open-stores.ts"
import { withProgress } from "./progress.ts"
import { repairStores } from "./repair.ts"
import { findRunning } from "./running.ts"
import { compareStores } from "./stores.ts"

export const HELP = `Usage: carrel doctor [--check | --repair] [--json] [--data DIR]

Says what is wrong with an installation and what to do. --check also compares every file's record with its bytes, its
text and, with the daemon stopped, the search index, which takes a while in a large library. Both change nothing and work
beside a running daemon.
--repair needs the daemon stopped: it mends what a crash between two stores may have left, then checks. Originals that
are lost cannot be mended: they are named, to be uploaded again or restored from a backup.
`

/** Below this, uploads will soon be refused. */
const LOW_DISK_BYTES = 2 * 2 ** 30
/** Every acknowledged change waits for a sync: 1 ms on most SSDs, 10 to 20 on a disk that turns. */
const SLOW_SYNC_MS = 50
const SYNCS = 5

export const run: Command = async args => {
  const { config, sources, words, options } = parseArguments(args, { switches: ["check", "repair", "json"] })
  refuseWords(words)
  const isRepair = options.has("repair")
  const deep = isRepair || options.has("check")
  const findings = await withProgress("Looking", async progress => {
    const step = (label: string) => progress.step(label)
    const mended = isRepair ? await repairStores(config, step) : []
    return [...mended, ...(await examine(config, await describeSettings(config, sources), deep, step))]
  })
  if (options.has("json")) printJson({ version: VERSION, findings })
  else
    for (const { what, state, text, remedy } of findings) {
      print(`${{ ok: "ok      ", note: "note    ", problem: "PROBLEM " }[state]}${what}: ${text}`)
      if (remedy) print(`          → ${remedy}`)
    }
  return findings.some(finding => finding.state === "problem") ? 1 : 0
}

async function examine(
  config: Config,
  settings: Finding,
  deep: boolean,
  step: (label: string) => void,
): Promise<Finding[]> {
  const engines = enginesOf(config)
  const findings: Finding[] = [...(await dataDirectory(config.data)), ...(await examineFence())]
  const unusable = findings.some(({ what, state }) => state === "problem" && what !== "disk" && what !== FENCE)
  if (engines) return [...findings, settings, ...(await examineCluster(config, engines, deep, step))]
  if (unusable || !hasDatabase(config)) return [...findings, settings]
  findings.push(settings, describeDaemon(config))
  await prepareNative(config)
  let database: Database
  try {
    database = await unlock(await openSqlite(config.data), config.encryption_key_file)
  } catch (error) {
    const { text, hint } = describeFailure(error)
    return [...findings, { what: "database", state: "problem", text, ...(hint ? { remedy: hint } : {}) }]
  }
  try {
    step("Checking the database")
    findings.push(await integrity(database), await library(database), ...copies(config.data))
    findings.push(...(await describeUnattended(database)), ...(await administrator(database)))
    findings.push(...(await describeSignIn(config)))
    step("Trying the models")
    findings.push(...(await describeModelFolders(config)), ...(await chatModels(config)))
    findings.push(...(await describeOcr(config, database)))
    if (deep) findings.push(await describeAudit(database, new FileAnchors(config.data)))
    if (deep) findings.push(...(await compareStores(config, storesIn(config.data, database), step)))
  } finally {
    await database.destroy()
  }
  return findings
}

async function examineCluster(
  config: Config,
  engines: EngineAddresses,
  deep: boolean,
  step: (label: string) => void,
): Promise<Finding[]> {
  step("Asking the engines")
  const findings = await examineEngines(engines)
  if (findings.some(({ state }) => state === "problem")) return findings
  await using stack = new AsyncDisposableStack()
  const stores = await openBesideNodes(config, engines, stack)
  const { database } = stores
  findings.push(await describeNodes(database), await library(database), ...(await describeUnattended(database)))
  findings.push(...(await administrator(database)), ...(await describeSignIn(config)))
  if (existsSync(config.data)) {
    await prepareNative(config)
    step("Trying the models")
    findings.push(...(await describeModelFolders(config)))
  }
  findings.push(...(await chatModels(config)), ...(await describeOcr(config, database)))
  if (deep) findings.push(await describeAudit(database, new RowAnchors()))
  if (deep) findings.push(...(await compareStores(config, stores, step)))
  return findings
}

/** What `serve` refuses at its start. */
async function refusal(check: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

const KEEPS_FROM_STARTING = "`carrel serve` does not start with it"

async function describeSettings(config: Config, sources: Arguments["sources"]): Promise<Finding> {
  const { data } = config
  const refused = await refusal(() => checkFolders(config))
  if (refused) return { what: "settings", state: "problem", text: refused, remedy: KEEPS_FROM_STARTING }
  const given = Object.entries(sources).filter(([name, source]) => source !== "default" && name !== "data")
  const text =
    given.length === 0
      ? `defaults; ${join(data, SETTINGS_FILE)} may hold others`
      : given.map(([name, source]) => `${name} from ${source}`).join(", ")
  return { what: "settings", state: "ok", text }
}

function describeDaemon({ data }: Config): Finding {
  const running = findRunning(data)
  if (!running) return { what: "daemon", state: "ok", text: "not running" }
  const { url, pid, version } = running
  return { what: "daemon", state: "ok", text: `runs at ${url} (process ${pid}, version ${version})` }
}

async function administrator(database: Database): Promise<Finding[]> {
  if (await new Users(database).isClaimed()) return []
  return [
    {
      what: "users",
      state: "note",
      text: "there is no administrator yet: API keys work, the console does not",
      remedy: "open the setup link: `carrel users setup-link` prints a new one",
    },
  ]
}

async function dataDirectory(path: string): Promise<Finding[]> {
  if (!existsSync(path))
    return [
      { what: "data directory", state: "note", text: `${path} does not exist yet`, remedy: "`carrel serve` makes it" },
    ]
  const refusal = await access(path, constants.R_OK | constants.W_OK).then(
    () => undefined,
    error => String((error as { code?: unknown }).code ?? error),
  )
  if (refusal)
    return [
      {
        what: "data directory",
        state: "problem",
        text: `${path} cannot be written (${refusal})`,
        remedy: remedyFor(refusal),
      },
    ]
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  const gigabytes = `${(free / 2 ** 30).toFixed(1)} GB free`
  return [
    { what: "data directory", state: "ok", text: path },
    free < LOW_DISK_BYTES
      ? {
          what: "disk",
          state: "problem",
          text: gigabytes,
          remedy: "make room, or move the data directory; uploads are refused when it is full",
        }
      : { what: "disk", state: "ok", text: gigabytes },
    ...(existsSync(join(path, "tmp")) ? [await diskSync(path)] : []),
  ]
}

/** What the disk itself says: permissions tell nothing of a file system that turned read-only, or of a disk that fails. */
async function diskSync(path: string): Promise<Finding> {
  const what = "disk sync"
  try {
    const times: number[] = []
    for (let i = 0; i < SYNCS; i++) times.push(await measureSync(path))
    const median = times.sort((a, b) => a - b)[SYNCS >> 1]!
    const text = `${median.toFixed(1)} ms`
    if (median < SLOW_SYNC_MS) return { what, state: "ok", text }
    return {
      what,
      state: "note",
      text: `${text}: a slow disk. Uploads, chats and indexing wait for it several times each`,
      remedy:
        "move the data directory to a local SSD, or find what else keeps this disk busy; see carrel_commit_seconds in /metrics",
    }
  } catch (error) {
    const { code = String(error) } = error as { code?: string }
    return { what, state: "problem", text: `${path} cannot be written (${code})`, remedy: remedyFor(code) }
  }
}

function remedyFor(code: string): string {
  const goesOn = "the daemon goes on by itself when the disk can be written again"
  if (code === "ENOSPC" || code === "EDQUOT") return `make room; ${goesOn}`
  if (code === "EROFS")
    return `see the system's log for why the file system is read-only (dmesg), check it (fsck) and mount it writable; ${goesOn}`
  if (code === "EIO")
    return `see the system's log (dmesg) and save the data directory: the disk may be dying; ${goesOn}`
  return "give it to the user that runs Carrel (chown)"
}

/** Copies that upgrades made; nothing needs them once the newer version works. */
function copies(path: string): Finding[] {
  const names = readdirSync(path).filter(name => name.startsWith("carrel.db.before-"))
  if (names.length === 0) return []
  return [
    {
      what: "copies",
      state: "note",
      text: `copies of the database from before an upgrade: ${names.join(", ")}`,
      remedy: "delete them once you are satisfied with the current version",
    },
  ]
}

async function integrity(database: Database): Promise<Finding> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(5)`.execute(database)
  const bad = rows.map(row => row.integrity_check).filter(text => text !== "ok")
  return bad.length === 0
    ? { what: "database", state: "ok", text: "intact" }
    : { what: "database", state: "problem", text: bad.join("; "), remedy: "stop the daemon and restore a backup" }
}

async function library(database: Database): Promise<Finding> {
  const rows = await database
    .selectFrom("files")
    .select(eb => ["status", eb.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute()
  const orphans = await database
    .selectFrom("files")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("status", "in", ["queued", "indexing"])
    .where(eb => eb.not(eb.exists(eb.selectFrom("jobs").select("jobs.id").whereRef("jobs.subject", "=", "files.id"))))
    .executeTakeFirstOrThrow()
  if (Number(orphans.count) > 0)
    return {
      what: "library",
      state: "problem",
      text: `${orphans.count} files wait for a job that does not exist`,
      remedy: "stop the daemon and run `carrel doctor --repair`",
    }
  return { what: "library", state: "ok", text: rows.map(row => `${row.count} ${row.status}`).join(", ") || "empty" }
}

async function chatModels(config: Config): Promise<Finding[]> {
  const catalog = createModels(config)
  const refused = await refusal(() => checkDefaultModel(config, catalog))
  if (refused) return [{ what: "chat models", state: "problem", text: refused, remedy: KEEPS_FROM_STARTING }]
  const models = await catalog.list(null)
  const usable = models.filter(model => model.available && model.provider !== "builtin")
  if (usable.length > 0)
    return [{ what: "chat models", state: "ok", text: usable.map(model => model.value).join(", ") }]
  return [
    {
      what: "chat models",
      state: "note",
      text: `none but the built-in quoting mode; ${config.ollama_host} has no usable model or does not answer`,
      remedy: "start Ollama and pull a model, or set --ollama-host or --openai-base-url",
    },
  ]
}
