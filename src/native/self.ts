/** How Carrel starts parts of itself, from source and from the compiled executable alike. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** True inside the compiled executable, whose modules live in Bun's embedded file system. */
export const COMPILED = import.meta.url.includes("$bunfs") || import.meta.url.includes("~BUN")

/**
 * Address of a worker entry point: `workerUrl("search/thread/search-worker")` is `src/search/thread/search-worker.ts`.
 * The build makes every `src/**\/*-worker.ts` an entry point of the executable.
 */
export function workerUrl(path: string): string {
  return COMPILED ? `/$bunfs/root/${path}.js` : new URL(`../${path}.ts`, import.meta.url).href
}

/**
 * What a process of Carrel must be able to read to run at all, once it is compiled nothing; `listed` are folders whose
 * names alone it needs.
 */
export function runtimeFiles(): { readable: string[]; listed: string[] } {
  if (COMPILED) return { readable: [], listed: [] }
  const project = fileURLToPath(new URL("../..", import.meta.url))
  const needed = ["src", "node_modules", "scripts/stubs", "package.json", "tsconfig.json", "bunfig.toml"]
  return { readable: needed.map(name => join(project, name)), listed: [project] }
}

/** Argument vector that starts Carrel itself; append the command: `[...selfCommand(), "reader"]`. */
export function selfCommand(): string[] {
  return COMPILED ? [process.execPath] : [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url))]
}
