import { resolve } from "node:path"
import { VERSION } from "../native/version.ts"
import { type OnBytes, restoreBackup, verifyBackup, writeBackup } from "../storage/backup.ts"
import {
  type Command,
  counted,
  namingFullDisk,
  needInstallation,
  parseArguments,
  print,
  UsageError,
} from "./command.ts"
import { type Progress, withProgress } from "./progress.ts"

const HELP = `Usage: carrel backup FILE [--data DIR]     write a backup, beside a running daemon or without one
       carrel restore FILE [--data DIR]    create a new data directory from it
       carrel verify FILE                  check that it is complete

A backup holds the database, all originals and all extracted texts, with checksums, and carrel.toml where there is one.
The search index is rebuilt in the background after a restore.
`

interface Work {
  /** What the progress says. */
  doing: string
  /** The data directory, with its settings, is only looked at where one must be there. */
  settingsFile: boolean
  work: (file: string, data: string, on: OnBytes) => Promise<string>
}

const command = ({ doing, settingsFile, work }: Work): { HELP: string; run: Command } => ({
  HELP,
  async run(args) {
    const { config, words } = parseArguments(args, { settingsFile })
    if (words.length !== 1) throw new UsageError("one FILE is required; `carrel backup --help` says more")
    const file = resolve(words[0]!)
    const tell =
      (progress: Progress): OnBytes =>
      (done, total) =>
        progress.update(done, total)
    print(await withProgress(doing, progress => work(file, config.data, tell(progress))))
    return 0
  },
})

export const backup = command({
  doing: "Writing the backup",
  settingsFile: true,
  async work(file, data, on) {
    needInstallation({ data })
    const { files } = await namingFullDisk({ data }, () => writeBackup(data, file, VERSION, on))
    return `${file}: ${counted(files.length, "file")}, ${megabytes(files)} MB`
  },
})

export const restore = command({
  doing: "Restoring",
  settingsFile: false,
  async work(file, data, on) {
    const { files, created_at } = await restoreBackup(file, data, on)
    return `${data} is restored to ${created_at}: ${counted(files.length, "file")}, ${megabytes(files)} MB`
  },
})

export const verify = command({
  doing: "Verifying",
  settingsFile: false,
  async work(file, _data, on) {
    const { files, created_at, version } = await verifyBackup(file, on)
    return `${file} is complete: ${counted(files.length, "file")}, ${megabytes(files)} MB, written ${created_at} by Carrel ${version}`
  },
})

const megabytes = (files: { size: number }[]): string =>
  (files.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1)
