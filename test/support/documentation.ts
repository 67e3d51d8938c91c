/** The examples of the documentation: what stands between fences in it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"

const ROOT = join(import.meta.dir, "../..")

export interface Example {
  file: string
  /** Of its first line in the file. */
  line: number
  /** As behind the fence; empty where nothing is said. */
  language: string
  text: string
}

/** For people who run or use the product. */
export const GUIDES: readonly string[] = ["README.md", ...new Glob("docs/*.md").scanSync({ cwd: ROOT })].sort()

/** All examples of a file, in their order; those of a list without its indentation. */
export function examplesIn(file: string): Example[] {
  const page = readFileSync(join(ROOT, file), "utf8")
  return [...page.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(({ 1: indent, 2: language, 3: text, index }) => ({
    file,
    line: page.slice(0, index).split("\n").length + 1,
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }))
}
