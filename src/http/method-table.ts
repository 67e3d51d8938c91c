/** Which methods each path answers, for `Allow` and for preflights. */

/** Methods that a path answers; none for a path that does not exist. */
export function methodTable(table: readonly { method: string; path: string }[]): (path: string) => string[] {
  const byPattern = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { method, path } of table) {
    const key = path.replace(/:[^/]+/g, ":")
    const entry = byPattern.get(key) ?? { pattern: patternOf(path), methods: new Set<string>() }
    entry.methods.add(method)
    if (method === "GET") entry.methods.add("HEAD")
    byPattern.set(key, entry)
  }
  const entries = [...byPattern.values()]
  const methodsOf = (path: string) => {
    const methods = new Set<string>()
    for (const entry of entries) if (entry.pattern.test(path)) for (const method of entry.methods) methods.add(method)
    return [...methods].sort()
  }
  const isPlain = (path: string) => !/[:*]/.test(path)
  const known = new Map(table.filter(({ path }) => isPlain(path)).map(({ path }) => [path, methodsOf(path)]))
  return path => known.get(path) ?? methodsOf(path)
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, "")
    .split("/")
    .map(part => (part.startsWith(":") ? "[^/]+" : part === "*" ? ".*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("/")
  return new RegExp(`^${source}/?$`)
}
