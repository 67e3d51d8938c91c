/** Which methods each path answers, for `Allow` and for preflights; and which route answers, for the audit log. */
import type { AskedRoute } from "./audit-note.ts"
import { declaredAs } from "./operation.ts"

interface Route {
  method: string
  path: string
  hooks?: { detail?: unknown }
}

export interface MethodTable {
  /** Methods that a path answers; none for a path that does not exist. */
  allowed(path: string): string[]
  find(method: string, path: string): AskedRoute | undefined
}

interface Entry {
  pattern: RegExp
  methods: Set<string>
  routes: Map<string, Route>
}

export function methodTable(table: readonly Route[]): MethodTable {
  const byPattern = new Map<string, Entry>()
  for (const route of table) {
    const { method, path } = route
    const key = path.replace(/:[^/]+/g, ":")
    const entry = byPattern.get(key) ?? { pattern: patternOf(path), methods: new Set(), routes: new Map() }
    entry.methods.add(method)
    entry.routes.set(method, route)
    if (method === "GET") entry.methods.add("HEAD")
    byPattern.set(key, entry)
  }
  const entries = [...byPattern.values()]
  const methodsOf = (path: string) => {
    const methods = new Set<string>()
    for (const entry of entries) if (entry.pattern.test(path)) for (const method of entry.methods) methods.add(method)
    return [...methods].sort()
  }
  const known = new Map(table.filter(({ path }) => isPlain(path)).map(({ path }) => [path, methodsOf(path)]))
  return {
    allowed: path => known.get(path) ?? methodsOf(path),
    find: (method, path) => find(entries, method === "HEAD" ? "GET" : method, path),
  }
}

const isPlain = (path: string) => !/[:*]/.test(path)

/** What names the path as it stands goes before what takes any. */
function find(entries: readonly Entry[], method: string, path: string): AskedRoute | undefined {
  const routes = entries.flatMap(({ pattern, routes }) => {
    const route = pattern.test(path) ? routes.get(method) : undefined
    return route ? [{ route, pattern }] : []
  })
  const found = routes.find(({ route }) => isPlain(route.path)) ?? routes[0]
  const declared = found && declaredAs(found.route)
  if (!declared) return undefined
  const names = found.route.path.split("/").filter(part => part.startsWith(":"))
  const values = found.pattern.exec(path)?.slice(1) ?? []
  const params = Object.fromEntries(names.map((name, i) => [name.slice(1), values[i] ?? ""]))
  return { audit: declared.audit, pattern: found.route.path, params }
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, "")
    .split("/")
    .map(part => (part.startsWith(":") ? "([^/]+)" : part === "*" ? ".*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("/")
  return new RegExp(`^${source}/?$`)
}
