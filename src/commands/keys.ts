import { type ApiKeyRecord, ApiKeys, ensureWorkspace } from "../access/keys.ts"
import { SCOPES } from "../access/principal.ts"
import { AppError, OperatorError } from "../errors.ts"
import {
  type Command,
  needAction,
  needWorkspace,
  parseArguments,
  print,
  printJson,
  printTable,
  refuseWords,
  UsageError,
  withExistingDatabase,
  withNewDatabase,
} from "./command.ts"
import { tellAbout } from "./told.ts"

export const HELP = `Usage: carrel keys create --name NAME [--workspace NAME] [--scopes a,b] [--expires-at TIME]
                          [--rate-limit-per-minute N] [--contexts a,b] [--models a,b] [--filter JSON]
                          [--data DIR] [--json|--headers]
       carrel keys list [--workspace NAME] [--data DIR] [--json]
       carrel keys revoke ID_OR_CLIENT_ID [--data DIR] [--json]

--headers prints the three headers that requests need, one per line: curl -H @FILE reads them.
Works beside a running daemon. A workspace that does not exist yet is created. The private key and secret are shown once.
A key with --contexts or --filter sees, finds and uploads nothing else; --models takes values and globs, ollama/*.
The token is all three in one, for clients that take one: Authorization: Bearer TOKEN.
Scopes: ${SCOPES.join(", ")} (default: all).
`

export const run: Command = async ([action, ...rest]) => {
  switch (needAction("keys", action, "create, list or revoke")) {
    case "create":
      return create(rest)
    case "list":
      return list(rest)
    case "revoke":
      return revoke(rest)
    default:
      throw new UsageError(`there is no command "keys ${action}"; \`carrel keys --help\` lists them`)
  }
}

async function create(args: string[]): Promise<number> {
  const { config, words, options } = parseArguments(args, {
    // the limit is that of one key, not the daemon's setting of the same name
    values: ["name", "workspace", "scopes", "expires-at", "rate-limit-per-minute", "contexts", "models", "filter"],
    switches: ["json", "headers"],
  })
  refuseWords(words)
  const name = options.get("name")
  if (!name) throw new UsageError("--name is required: it tells keys apart in lists")
  const limit = options.get("rate-limit-per-minute")
  const key = await withNewDatabase(config, async database => {
    const made = await new ApiKeys(database).create(await ensureWorkspace(database, options.get("workspace")), {
      name,
      ...(options.has("scopes") ? { scopes: listOf(options.get("scopes")!) } : {}),
      ...(options.has("contexts") ? { context_ids: listOf(options.get("contexts")!) } : {}),
      ...(options.has("models") ? { models: listOf(options.get("models")!) } : {}),
      ...(options.has("filter") ? { filter: filterOf(options.get("filter")!) } : {}),
      expires_at: options.get("expires-at") ?? null,
      rate_limit_per_minute: limit === undefined ? null : Number(limit),
    })
    await tellAbout(database, "keys create", "key.create", made.id)
    return made
  })
  if (options.has("json")) printJson(key)
  else if (options.has("headers")) {
    print(`client-id: ${key.client_id}\nprivate-key: ${key.private_key}\nsecret: ${key.secret}`)
  } else {
    for (const field of ["id", "client_id", "private_key", "secret", "token"] as const)
      print(`${field.padEnd(12)}${key[field]}`)
    process.stderr.write("\nSave private_key and secret, or the token, now: they will not be shown again.\n")
  }
  return 0
}

/** `a, b` as its parts; an empty text has none. */
const listOf = (text: string): string[] =>
  text
    .split(",")
    .map(part => part.trim())
    .filter(Boolean)

function filterOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError("--filter must be JSON")
  }
}

async function list(args: string[]): Promise<number> {
  const { config, words, options } = parseArguments(args, { values: ["workspace"], switches: ["json"] })
  refuseWords(words)
  const workspace = options.get("workspace")
  const keys = await withExistingDatabase(config, async database => {
    const all = await new ApiKeys(database).list()
    if (workspace === undefined) return all
    await needWorkspace(database, workspace)
    return all.filter(key => key.workspace === workspace)
  })
  if (options.has("json")) printJson(keys)
  else
    printTable(
      ["ID", "NAME", "WORKSPACE", "OWNER", "CLIENT ID", "SCOPES", "LIMITS", "STATE", "LAST USED"],
      keys.map(key => [
        key.id,
        key.name,
        key.workspace,
        key.owner?.email ?? "",
        key.client_id,
        key.scopes.length === SCOPES.length ? "all" : key.scopes.join(","),
        limits(key),
        state(key),
        key.last_used_at,
      ]),
    )
  return 0
}

async function revoke(args: string[]): Promise<number> {
  const { config, words, options } = parseArguments(args, { switches: ["json"] })
  if (words.length !== 1) throw new UsageError("which key? carrel keys revoke ID_OR_CLIENT_ID")
  const key = await withExistingDatabase(config, async database => {
    const revoked = await new ApiKeys(database).revoke(words[0]!)
    await tellAbout(database, "keys revoke", "key.revoke", revoked.id)
    return revoked
  }).catch(error => {
    throw error instanceof AppError && error.code === "not_found"
      ? new OperatorError(`there is no key ${words[0]}`)
      : error
  })
  if (options.has("json")) printJson(key)
  else print(`${key.id} (${key.name}) is revoked`)
  return 0
}

/** What narrows the key; empty where nothing does. */
function limits({ context_ids, models, filter }: ApiKeyRecord): string {
  return [
    context_ids && `contexts ${context_ids.join(",") || "none"}`,
    models && `models ${models.join(",") || "none"}`,
    filter && "a filter",
  ]
    .filter(Boolean)
    .join("; ")
}

function state(key: ApiKeyRecord): string {
  if (key.revoked_at) return "revoked"
  if (key.expires_at && key.expires_at <= new Date().toISOString()) return "expired"
  return key.owner?.active === false ? "owner disabled" : "active"
}
