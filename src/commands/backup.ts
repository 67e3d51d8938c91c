import { resolve } from "node:path"
import { VERSION } from "../native/version.ts"
import { restoreBackup, verifyBackup, writeBackup } from "../storage/backup.ts"
import { type Command, counted, parseArguments, print, UsageError } from "./command.ts"

const HELP = `Usage: carrel backup FILE [--data DIR]     write a backup, beside a running daemon or without one
       carrel restore FILE [--data DIR]    make a new data directory of it
       carrel verify FILE                  check that it is whole

A backup holds the database, all originals and all extracted texts, with checksums. The search index is made anew in
the background after a restore.
`

const one = (args: string[]) => {
  const { config, words, options } = parseArguments(args, { switches: ["help"] })
  if (options.has("help")) return undefined
  if (words.length !== 1) throw new UsageError(`one FILE is needed\n\n${HELP}`)
  return { config, file: resolve(words[0]!) }
}

const command =
  (work: (file: string, data: string) => Promise<string>): Command =>
  async args => {
    const given = one(args)
    print(given ? await work(given.file, given.config.data) : HELP)
    return 0
  }

export const backup = command(async (file, data) => {
  const { files } = await writeBackup(data, file, VERSION)
  return `${file}: ${counted(files.length, "file")}, ${megabytes(files)} MB`
})

export const restore = command(async (file, data) => {
  const { files, created_at } = await restoreBackup(file, data)
  return `${data} is restored to ${created_at}: ${counted(files.length, "file")}, ${megabytes(files)} MB`
})

export const verify = command(async file => {
  const { files, created_at, version } = await verifyBackup(file)
  return `${file} is whole: ${counted(files.length, "file")}, ${megabytes(files)} MB, written ${created_at} by Carrel ${version}`
})

const megabytes = (files: { size: number }[]): string =>
  (files.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1)
