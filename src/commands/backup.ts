import { resolve } from "node:path"
import type { Config } from "../config.ts"
import type { EngineAddresses } from "../config-engines.ts"
import { enginesOf } from "../configured-cluster.ts"
import { OperatorError } from "../errors.ts"
import type { AuditAction } from "../governance/audit/actions.ts"
import { arrivedAt } from "../governance/audit/anchors.ts"
import { VERSION } from "../native/version.ts"
import { restoreBackup, verifyBackup, writeBackup } from "../storage/backup.ts"
import type { Manifest, OnBytes } from "../storage/backup-archive.ts"
import { readKeyFile } from "../storage/encryption/key-file.ts"
import { restoreCluster, verifyAgainst, writeClusterBackup } from "./backup/cluster.ts"
import {
  type Command,
  counted,
  namingFullDisk,
  parseArguments,
  print,
  UsageError,
  withExistingDatabase,
  withPlainRecords,
} from "./command.ts"
import { someOf } from "./finding.ts"
import { type Progress, withProgress } from "./progress.ts"
import { tellAll } from "./told.ts"

const HELP = `Usage: carrel backup FILE [--data DIR]     write a backup, beside a running daemon or without one
       carrel restore FILE [--data DIR]    create a new data directory from it
       carrel verify FILE                  check that it is complete

A backup holds the database, all originals and all extracted texts, with checksums, and carrel.toml where there is one.
Packs (carrel packs) are named in it, and to be added again from their files.
The search index is rebuilt in the background after a restore. Of an installation that is encrypted all of the backup is as
well, with the key file that it has then: restore and verify need that file, by --encryption-key-file or
CARREL_ENCRYPTION_KEY_FILE.

With --database-url, --blob-url and --search-url (or CARREL_DATABASE_URL, …), of several machines: a backup holds the
records and a list of the originals and texts that belong to them, whose bytes the object storage keeps: back that up
with its own tools, after this. restore fills an empty database, with all nodes stopped; verify also asks the storage
whether it holds what the backup lists.
`

type Key = Uint8Array | undefined

interface Work {
  /** What the progress says. */
  doing: string
  /** The data directory, with its settings, is only looked at where one must be there. */
  settingsFile: boolean
  /** The key file must be that of the installation. */
  needsKey?: boolean
  /** What the audit log is told where it was done. */
  tells?: { command: string; action: AuditAction }
  /** Of one machine. */
  alone: (file: string, config: Config, on: OnBytes, key: Key) => Promise<string>
  /** Of several. */
  shared: (file: string, engines: EngineAddresses, progress: Progress, key: Key) => Promise<string>
}

const command = ({
  doing,
  settingsFile,
  needsKey = false,
  tells,
  alone,
  shared,
}: Work): { HELP: string; run: Command } => ({
  HELP,
  async run(args) {
    const { config, words } = parseArguments(args, { settingsFile })
    if (words.length !== 1) throw new UsageError("one FILE is required; `carrel backup --help` says more")
    const file = resolve(words[0]!)
    const engines = enginesOf(config)
    if (needsKey) await withExistingDatabase(config, async () => {}) // refused before anything is written
    const key = config.encryption_key_file === "" ? undefined : readKeyFile(config.encryption_key_file)
    const work = (progress: Progress) =>
      engines ? shared(file, engines, progress, key) : alone(file, config, counting(progress), key)
    const said = await withProgress(doing, work).finally(() => key?.fill(0))
    if (tells) await withPlainRecords(config, plain => tellAll(plain, tells.command, tells.action))
    print(said)
    return 0
  },
})

const counting =
  (progress: Progress): OnBytes =>
  (done, total) =>
    progress.update(done, total)

export const backup = command({
  doing: "Writing the backup",
  settingsFile: true,
  needsKey: true,
  tells: { command: "backup", action: "backup.create" },
  async alone(file, config, on, key) {
    const { data } = config
    const { files } = await namingFullDisk(config, () => writeBackup(data, file, VERSION, on, key))
    return `${file}: ${counted(files.length, "file")}, ${megabytes(files)} MB`
  },
  async shared(file, engines, progress, key) {
    progress.step("Writing the records", "rows")
    let isListing = false
    const manifest = await writeClusterBackup(
      engines,
      file,
      {
        records: done => progress.update(done),
        stored(done) {
          if (!isListing) progress.step("Listing the stored files", "files")
          isListing = true
          progress.update(done)
        },
      },
      key,
    )
    return `${file}: ${contents(manifest)}
Not in it are the stored files themselves: now copy the bucket (deploy/cluster/README.md, Backups), and keep the secret of the cluster. The search index is made anew.`
  },
})

export const restore = command({
  doing: "Restoring",
  settingsFile: false,
  async alone(file, { data }, on, key) {
    const manifest = await restoreBackup(file, data, on, key)
    arrivedAt(data, "backup.restore")
    const { files, created_at } = manifest
    return `${data} is restored to ${created_at}: ${counted(files.length, "file")}, ${megabytes(files)} MB${packsOf(manifest)}`
  },
  async shared(file, engines, progress, key) {
    const restoring = counting(progress)
    let isRestoring = false
    const manifest = await restoreCluster(
      engines,
      file,
      {
        verifying: restoring,
        restoring(done, total) {
          if (!isRestoring) progress.step("Restoring the records", "bytes")
          isRestoring = true
          restoring(done, total)
        },
      },
      key,
    )
    return `The database is restored to ${manifest.created_at}: ${contents(manifest)}
See that the bucket holds them (carrel verify), then start one node: it makes the search index anew, words first. carrel doctor --check says what disagrees.`
  },
})

export const verify = command({
  doing: "Verifying",
  settingsFile: false,
  async alone(file, _config, on, key) {
    const manifest = await verifyBackup(file, on, key)
    return complete(file, manifest) + packsOf(manifest)
  },
  async shared(file, engines, progress, key) {
    const { manifest, lacking } = await verifyAgainst(engines, file, counting(progress), key)
    if (lacking.length > 0)
      throw new OperatorError(
        `${file} is complete, but the storage lacks ${lacking.length} of what it lists, or holds them cut: ${someOf(lacking)}`,
        { hint: "they were deleted since, or are lost; a copy of the bucket that was made after the backup has them" },
      )
    return `${complete(file, manifest)}${manifest.format === 1 ? "" : "; the storage holds all that it lists"}`
  },
})

const complete = (file: string, manifest: Manifest): string =>
  `${file} is complete: ${contents(manifest)}, written ${manifest.created_at} by Carrel ${manifest.version}`

function contents(manifest: Manifest): string {
  const { files } = manifest
  if (manifest.format === 1) return `${counted(files.length, "file")}, ${megabytes(files)} MB`
  const records = Object.values(manifest.rows).reduce((sum, rows) => sum + rows, 0)
  return `${counted(records, "record")} and a list of ${counted(manifest.stored, "stored file")}, ${megabytes(files)} MB`
}

/** A line of its own for what the operator has to bring. */
function packsOf(manifest: Manifest): string {
  const { packs = [] } = manifest.format === 1 ? manifest : {}
  if (packs.length === 0) return ""
  const named = packs.map(({ name, languages }) => `${name} (${languages.join(", ")})`)
  return `\nNot in it are the packs that the installation had: ${named.join("; ")}. Add them with \`carrel packs add FILE\`.`
}

const megabytes = (files: { size: number }[]): string =>
  (files.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1)
