/** The files of pages as the web server hands them out: bundled by the build, or at first use when running from source. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { consolePages, consoleAddresses as embeddedAddresses } from "./embedded.ts"
import { COMPILED } from "./self.ts"

export interface ConsoleAsset {
  /** Compressed with gzip. */
  body: Uint8Array<ArrayBuffer>
  type: string
  /** Strong validator, with its quotes. */
  etag: string
}

/** Names below this path hold a hash of their content, so browsers may keep them for ever. */
export const CONSOLE_FILES = "/console/"

/** Of GraphiQL, the editor of queries: its page and everything that it loads. */
export const GRAPHIQL_FILES = "/graphql/assets/"

let assets: Promise<Map<string, ConsoleAsset>> | undefined
let graphiql: Promise<Map<string, ConsoleAsset>> | undefined

/** By path: `/index.html` and everything it loads, under `CONSOLE_FILES`. */
export function consoleAssets(): Promise<Map<string, ConsoleAsset>> {
  assets ??= COMPILED ? Promise.resolve(embedded(path => !path.startsWith(GRAPHIQL_FILES))) : bundleConsole()
  return assets
}

/** By path: `index.html` under `GRAPHIQL_FILES`, and everything it loads. */
export function graphiqlAssets(): Promise<Map<string, ConsoleAsset>> {
  graphiql ??= COMPILED ? Promise.resolve(embedded(path => path.startsWith(GRAPHIQL_FILES))) : bundleGraphiql()
  return graphiql
}

/** First parts of the addresses that the console's router knows. */
export async function consoleAddresses(): Promise<readonly string[]> {
  return COMPILED ? embeddedAddresses : readAddresses()
}

/** From the table of pages. Its components are fetched by the browser only, so that reading it here loads none. */
export async function readAddresses(): Promise<readonly string[]> {
  // not a literal: the executable must not bundle the console a second time
  const table = new URL("../console/pages.ts", import.meta.url).href
  return ((await import(table)) as { ADDRESSES: readonly string[] }).ADDRESSES
}

function embedded(belongs: (path: string) => boolean): Map<string, ConsoleAsset> {
  const pages = consolePages.filter(({ path }) => belongs(path))
  return new Map(
    pages.map(({ path, packed, ...rest }) => [path, { ...rest, body: new Uint8Array(readFileSync(packed)) }]),
  )
}

/** Bundles `src/console/index.html` in memory. @throws AggregateError naming what does not compile */
export const bundleConsole = (): Promise<Map<string, ConsoleAsset>> =>
  bundle([fileURLToPath(new URL("../console/index.html", import.meta.url))], {
    page: "",
    files: CONSOLE_FILES.slice(1),
  })

/** Threads of its editor, which the page begins by their names. */
const WORKERS = [
  "monaco-editor/esm/vs/editor/editor.worker.js",
  "monaco-editor/esm/vs/language/json/json.worker.js",
  "monaco-graphql/esm/graphql.worker.js",
]

/** The same of `src/console/graphiql/index.html`. */
export function bundleGraphiql(): Promise<Map<string, ConsoleAsset>> {
  const page = fileURLToPath(new URL("../console/graphiql/index.html", import.meta.url))
  const workers = WORKERS.map(name => fileURLToPath(import.meta.resolve(name)))
  const files = GRAPHIQL_FILES.slice(1)
  return bundle([page, ...workers], { page: files, files })
}

async function bundle(entrypoints: string[], folders: { page: string; files: string }) {
  const hashed = `${folders.files}[name]-[hash].[ext]`
  const { outputs } = await Bun.build({
    entrypoints,
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/",
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: `${folders.page}[name].[ext]`, chunk: hashed, asset: hashed },
  })
  const pathOf = (name: string, extension: string) =>
    outputs
      .find(({ path }) => path.includes(`/${name}-`) && path.endsWith(`.${extension}`))!
      .path.replace(/^\.?\//, "/")
  const bundled = await Promise.all(
    outputs.map(async output => {
      const bytes = output.path.endsWith(".webmanifest")
        ? new TextEncoder().encode(withIcons(await output.text(), pathOf))
        : new Uint8Array(await output.arrayBuffer())
      const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
      const path = output.path.replace(/^\.?\//, "")
      return [`/${path}`, { body: Bun.gzipSync(bytes, { level: 9 }), type: typeOf(path, output.type), etag }] as const
    }),
  )
  return new Map(bundled)
}

/** The bundler does not look into the manifest: its icons get the names that it gave to the files. */
const withIcons = (manifest: string, pathOf: (name: string, extension: string) => string): string =>
  manifest.replace(/"\.\/([\w-]+)\.(svg|png)"/g, (_, name: string, extension: string) =>
    JSON.stringify(pathOf(name, extension)),
  )

const typeOf = (path: string, type: string): string =>
  basename(path).endsWith(".js") ? "text/javascript; charset=utf-8" : type
