/** The operator's list of Model Context Protocol servers: a JSON file in the form that other clients use as well. */
import { readFileSync } from "node:fs"

/** Whose calls a person must allow: of all tools, of none, or of those that are named. */
export type ApprovalRule = "always" | "never" | readonly string[]

export type McpServer = { name: string; approval?: ApprovalRule } & (
  | { command: string; args: string[]; env: Record<string, string> }
  | { url: URL; headers: Record<string, string> }
)

const NAME = /^[A-Za-z0-9_-]{1,32}$/

/**
 * `{"mcpServers": {"files": {"command": "…", "args": [], "env": {}}, "wiki": {"url": "http://…", "headers": {}}}}`;
 * `"approval": "always"`, `"never"` or a list of tools says whose calls a person must allow. Where it is absent, those of
 * tools that their server declares to be destructive.
 * @throws Error naming the server and what is wrong with it; the daemon does not start
 */
export function readMcpConfig(path: string, offline: boolean): McpServer[] {
  const problem = (what: string) => new Error(`--mcp-config ${path}: ${what}`)
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    throw problem((error as Error).message)
  }
  const servers = isObject(content) ? content.mcpServers : undefined
  if (!isObject(servers)) throw problem('must be an object with "mcpServers"')
  return Object.entries(servers).map(([name, given]) => {
    const refuse = (what: string) => problem(`mcpServers.${name}: ${what}`)
    if (!NAME.test(name)) throw refuse("a name has 1 to 32 letters, digits, _ or -")
    if (!isObject(given)) throw refuse("must be an object")
    const approval = approvalOf(given.approval, () =>
      refuse('approval must be "always", "never" or a list of names of tools'),
    )
    if (typeof given.command === "string") {
      const args = given.args ?? []
      if (!Array.isArray(args) || args.some(each => typeof each !== "string"))
        throw refuse("args must be a list of strings")
      return {
        name,
        ...approval,
        command: given.command,
        args,
        env: strings(given.env, () => refuse("env must be an object of strings")),
      }
    }
    if (typeof given.url !== "string" || !/^https?:\/\//.test(given.url) || !URL.canParse(given.url))
      throw refuse("needs a command, or a url that begins with http:// or https://")
    const url = new URL(given.url)
    if (offline && !isLoopback(url)) throw refuse(`${url.host} is not on this machine and --offline is set`)
    return {
      name,
      ...approval,
      url,
      headers: strings(given.headers, () => refuse("headers must be an object of strings")),
    }
  })
}

function approvalOf(given: unknown, refuse: () => Error): { approval?: ApprovalRule } {
  if (given === undefined) return {}
  const isList = Array.isArray(given) && given.every(each => typeof each === "string")
  if (given !== "always" && given !== "never" && !isList) throw refuse()
  return { approval: given as ApprovalRule }
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

function strings(value: unknown, refuse: () => Error): Record<string, string> {
  if (value === undefined) return {}
  if (!isObject(value) || Object.values(value).some(each => typeof each !== "string")) throw refuse()
  return value as Record<string, string>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value)
