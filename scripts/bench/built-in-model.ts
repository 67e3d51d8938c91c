/** An embedding model that ships with the product, for measurements that start no daemon. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { keepVectors } from "./kept-vectors.ts"

/**
 * The fast one, or the one that `--model NAME` among the arguments of the process names. `--vectors FILE` keeps its
 * vectors there.
 */
export const openBuiltInModel = (): Promise<Embedder> => open(optionOf("--model") ?? "")

/** The one that `--quality NAME` names, for the quality tier beside it. */
export async function openQualityModel(): Promise<Embedder | undefined> {
  const name = optionOf("--quality")
  return name === undefined ? undefined : await open(name)
}

async function open(name: string): Promise<Embedder> {
  const embedder = await openEmbedder({
    name,
    directories: [join(import.meta.dir, "../../models")],
    nativeDirectory: mkdtempSync(join(tmpdir(), "bench-native-")),
  })
  const file = optionOf("--vectors")
  return file ? keepVectors(embedder, file) : embedder
}

/** The arguments of the process without those options. */
export function argumentsLeft(): string[] {
  return process.argv.slice(2).filter((each, i, all) => !isOption(each) && !isOption(all[i - 1] ?? ""))
}

const OPTIONS = ["--model", "--quality", "--vectors"]

const isOption = (argument: string): boolean => OPTIONS.includes(argument)

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
