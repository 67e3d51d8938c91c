import { join, resolve } from "node:path"
import type { Config } from "../config.ts"
import { ocrLanguagesOf } from "../configured.ts"
import { OperatorError } from "../errors.ts"
import { hasBuiltinPacks } from "../native/models.ts"
import { useNativeDirectory } from "../native/native.ts"
import { addPack, checkPack, removePack } from "../storage/packs/add.ts"
import { damagedFiles, type InstalledPack, installedPacks, packsDirectory } from "../storage/packs/installed.ts"
import type { PackManifest } from "../storage/packs/manifest.ts"
import {
  type Command,
  counted,
  leavingNothing,
  needAction,
  parseArguments,
  print,
  printJson,
  printTable,
  refuseWords,
  UsageError,
} from "./command.ts"
import { someOf } from "./finding.ts"
import { withProgress } from "./progress.ts"

export const HELP = `Usage: carrel packs list [--data DIR] [--json]
       carrel packs add FILE [--data DIR]
       carrel packs remove NAME [--data DIR]
       carrel packs verify [FILE] [--data DIR]

A pack brings languages of OCR to an installation without network: one file, which \`npm run packs\` makes. add installs it,
whole or not at all; a pack of the same name is replaced. A running daemon uses it from the next file on. verify reads a
pack through, or without FILE all that are installed. In a cluster, each node has packs of its own.
Call it as the user that runs Carrel.
`

export const run: Command = async ([first, ...rest]) => {
  const action = needAction("packs", first, "add, list, remove or verify")
  const { config, words, options } = parseArguments(rest, { switches: ["json"] })
  const directory = packsDirectory(config.data)
  switch (action) {
    case "list":
      refuseWords(words)
      list(config, options.has("json"))
      return 0
    case "add": {
      const file = resolve(oneOf(words, "FILE"))
      const work = () => leavingNothing(config, () => addPack(file, directory))
      const { manifest, wasThere } = await withProgress("Adding the pack", work)
      print(wasThere ? `${manifest.name} was there already, and is intact` : `added ${describe(manifest)}`)
      if (config.ocr_languages) print("the setting --ocr-languages is in force: packs are used only without it")
      return 0
    }
    case "remove": {
      const name = oneOf(words, "NAME")
      await removePack(name, directory)
      print(`removed ${name}`)
      return 0
    }
    case "verify":
      if (words.length > 0) {
        const file = resolve(oneOf(words, "FILE"))
        print(`${file} is complete: ${describe(await withProgress("Verifying", () => checkPack(file)))}`)
      } else await verifyInstalled(installedPacks(directory))
      return 0
    default:
      throw new UsageError(`there is no command "packs ${action}"; \`carrel packs --help\` lists them`)
  }
}

function oneOf(words: string[], what: string): string {
  if (words.length !== 1) throw new UsageError(`one ${what} is required; \`carrel packs --help\` says more`)
  return words[0]!
}

const describe = ({ name, languages }: PackManifest): string =>
  `${name}: ${counted(languages.length, "language")} (${languages.map(({ language }) => language).join(", ")})`

function list(config: Config, asJson: boolean): void {
  if (hasBuiltinPacks) useNativeDirectory(join(config.data, "native"))
  const own = packsDirectory(config.data)
  const packs = (ocrLanguagesOf({ ...config, ocr_languages: "" }).packs ?? []).flatMap(directory =>
    installedPacks(directory).map(pack => ({ ...pack, builtin: directory !== own })),
  )
  const sizeOf = ({ files }: PackManifest) => files.reduce((sum, { size }) => sum + size, 0)
  if (asJson)
    printJson(
      packs.map(({ manifest, addedAt, builtin }) => ({
        name: manifest.name,
        languages: manifest.languages.map(({ language, name }) => ({ language, name })),
        bytes: sizeOf(manifest),
        added_at: builtin ? null : addedAt.toISOString(),
        builtin,
      })),
    )
  else if (packs.length === 0) print("no packs; English is built in")
  else
    printTable(
      ["PACK", "LANGUAGES", "MB", "ADDED"],
      packs.map(({ manifest, addedAt, builtin }) => [
        manifest.name,
        manifest.languages.map(({ language }) => language).join(","),
        (sizeOf(manifest) / 1e6).toFixed(1),
        builtin ? "built in" : addedAt.toISOString(),
      ]),
    )
}

async function verifyInstalled(packs: InstalledPack[]): Promise<void> {
  const broken: string[] = []
  for (const pack of packs) {
    const damaged = await damagedFiles(pack)
    if (damaged.length > 0) broken.push(`${pack.manifest.name} (${someOf(damaged)})`)
  }
  if (broken.length > 0)
    throw new OperatorError(`damaged: ${broken.join("; ")}`, {
      hint: "add the file of the pack again: carrel packs add",
    })
  print(packs.length === 0 ? "no packs are installed" : `${counted(packs.length, "pack")} intact`)
}
