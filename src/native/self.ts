/** How Carrel starts parts of itself, from source and from the compiled executable alike. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Bun's embedded file systems, by the addresses that modules in them have: of Linux and macOS, and of Windows. */
const EMBEDDED_ROOTS = { "file:///$bunfs/root/": "/$bunfs/root/", "file:///B:/~BUN/root/": "B:/~BUN/root/" }

/** Where the modules of the executable lie, one of which has this address; undefined for a module of the source. */
export function embeddedRoot(address: string): string | undefined {
  const plain = decodeURI(address) // Bun writes `~` as `%7E`
  return Object.entries(EMBEDDED_ROOTS).find(([start]) => plain.startsWith(start))?.[1]
}

/** True inside the compiled executable. */
export const COMPILED = embeddedRoot(import.meta.url) !== undefined

/**
 * Address of a worker entry point: `workerUrl("search/thread/search-worker")` is `src/search/thread/search-worker.ts`.
 * The build makes every `src/**\/*-worker.ts` an entry point of the executable.
 * @param address of this module
 */
export function workerUrl(path: string, address = import.meta.url): string {
  const root = embeddedRoot(address)
  return root ? `${root}${path}.js` : new URL(`../${path}.ts`, address).href
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
