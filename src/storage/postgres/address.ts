/** What the URL of a PostgreSQL says: where it is, who we are there, and how the way to it is protected. */
import { readFileSync } from "node:fs"
import type { ClientConfig } from "pg"
import { parse, toClientConfig } from "pg-connection-string"
import { OperatorError } from "../../errors.ts"

export interface Address {
  client: ClientConfig
  /** The server itself, where `client` leads to a pooler before it (`direct` of the URL); else the same. */
  direct: ClientConfig
  /** `host:port/database`, for people; holds no password. */
  place: string
  /** `pool_size` of the URL. */
  poolSize: number | undefined
}

/**
 * As libpq reads it: `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`), `sslrootcert`, `sslcert` and `sslkey`
 * (paths), `application_name`. Without `sslmode` there is no TLS. The password stands in the URL, in a file of its own
 * (`password_file`) or in one of libpq's (`passfile`), both read anew for each connection, or where libpq looks besides:
 * PGPASSWORD, PGPASSFILE, ~/.pgpass. `direct=host:port` names the server behind a PgBouncer, for what needs a session.
 * @throws OperatorError for a URL that cannot be read; it does not show its password
 */
export function addressOf(url: string): Address {
  const parsed = parsedUrl(url)
  const {
    password_file,
    passfile,
    pool_size,
    sslmode,
    sslrootcert,
    sslcert,
    sslkey,
    uselibpqcompat,
    direct,
    ...known
  } = parsed
  const client = toClientConfig(known)
  const { host = "localhost", port = DEFAULT_PORT, database = client.user, user = "" } = client
  const place = `${host}:${port}/${database}`
  if (typeof password_file === "string") client.password = () => readPassword(password_file)
  else if (typeof passfile === "string")
    client.password = () => fromPassfile(passfile, [host, String(port), database ?? "", user])
  else if (client.password === "") delete client.password // so that the environment is asked
  return { client, direct: { ...client, ...serverOf(direct) }, place, poolSize: countOf(pool_size) }
}

function serverOf(text: unknown): Pick<ClientConfig, "host" | "port"> {
  if (text === undefined) return {}
  const [, host, port] = /^([^:[\]]+|\[[\da-f:]+\])(?::(\d+))?$/i.exec(String(text)) ?? []
  if (host === undefined)
    throw new OperatorError("--database-url: direct must be the server's HOST:PORT, which the pooler stands before")
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) }
}

const DEFAULT_PORT = 5432

function parsedUrl(url: string): ReturnType<typeof parse> {
  try {
    return parse(url, { useLibpqCompat: true })
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException
    if (path) throw new OperatorError(`${path}, which --database-url names, cannot be read (${code})`, { cause: error })
    if (code === "ERR_INVALID_URL") throw new OperatorError("--database-url is not a URL", { hint: EXAMPLE })
    throw new OperatorError(`--database-url: ${message}`)
  }
}

const EXAMPLE = "such as postgres://user@host:5432/database?sslmode=verify-full"

function countOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new OperatorError("--database-url: pool_size must be a whole number above 0")
}

function readPassword(path: string): string {
  try {
    return readFileSync(path, "utf8").trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new OperatorError(`the password file ${path} cannot be read (${code})`, { cause })
  }
}

/**
 * The first line of `host:port:database:user:password` that fits; `*` fits all, `\` keeps a colon.
 * See https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
function fromPassfile(path: string, wanted: readonly string[]): string {
  for (const line of readPassword(path).split("\n")) {
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].map(([, field]) => field!.replace(/\\(.)/g, "$1"))
    const fits = wanted.every((value, at) => fields[at] === "*" || fields[at] === value)
    if (fits && !line.startsWith("#")) return fields[wanted.length] ?? ""
  }
  throw new OperatorError(`${path} has no password for ${wanted.join(":")}`)
}
