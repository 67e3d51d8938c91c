/**
 * The addresses of the engines behind several machines, as settings give them. A password may stand in the address, in a
 * file that `password_file` of the address names, or where the engine's own programs look (PGPASSWORD, AWS_…).
 */
import { readFileSync, statSync } from "node:fs"
import { ConfigError } from "./config-error.ts"
import type { Setting } from "./config-rules.ts"
import type { S3Credentials } from "./storage/blobs/s3/credentials.ts"
import type { S3Address } from "./storage/blobs/s3/object-store.ts"

/** Parts of an address that are given as `?name=value`. */
type Parameters = Record<string, string>

const PASSWORD_FILE = "password_file"
const CREDENTIALS_FILE = "credentials_file"
const BLOB_PARAMETERS = ["endpoint", "region", "path_style", "ca_file", PASSWORD_FILE, CREDENTIALS_FILE]
const SEARCH_PARAMETERS = ["prefix", "ca_file", PASSWORD_FILE]

export interface SearchAddress {
  /** Without credentials and without a slash at its end. */
  url: string
  /** Names of indexes begin with it and a hyphen. */
  prefix: string
  credentials?: { user: string; password: string }
  /** Authority that signed its certificate, in PEM, beside those that the process knows anyway. */
  ca?: string
}

/** Where the engines are, with what they are entered with: never to be shown. */
export interface EngineAddresses {
  /** As it was given: `storage/postgres` reads it. */
  database: string
  blobs: S3Address
  search: SearchAddress
}

/** @param parse throws the rule that an address breaks */
const address = (doc: string, parse: (value: string) => unknown): Setting<string> => ({
  doc,
  default: "",
  placeholder: "URL",
  written: "text",
  shown: withoutPassword,
  parse(value) {
    if (value !== "") parse(value)
    return value
  },
})

export const databaseUrl = (doc: string) => address(doc, databaseParts)
export const blobUrl = (doc: string) => address(doc, blobParts)
export const searchUrl = (doc: string) => address(doc, searchParts)

/** The address with `…` for a password: `postgres://carrel:…@db/carrel`. */
export function withoutPassword(value: string): string {
  if (value === "") return ""
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url) return "…"
  if (!url.password && !url.searchParams.has("password")) return value
  if (url.password) url.password = "…"
  if (url.searchParams.has("password")) url.searchParams.set("password", "…")
  return url.href.replaceAll("%E2%80%A6", "…")
}

/**
 * @param amazon credentials of the object storage where its address gives none
 * @throws ConfigError for a password file that cannot be read, and where there are no credentials
 */
export function engineAddresses(
  urls: { database: string; blobs: string; search: string },
  amazon: S3Credentials | undefined,
): EngineAddresses {
  return {
    database: databaseAddress(urls.database),
    blobs: blobAddress(urls.blobs, amazon),
    search: searchAddress(urls.search),
  }
}

/** Addresses of the hosts that drivers connect to; sockets of this machine are none. */
export function urlsOf({ database, blobs, search }: EngineAddresses): string[] {
  const records = new URL(database)
  const host = records.searchParams.get("host") ?? decodeURIComponent(records.hostname)
  const port = records.searchParams.get("port") ?? records.port
  // Past a pooler, for what needs a connection of its own.
  const direct = records.searchParams.get("direct")
  const storage = new URL(blobs.endpoint ?? `https://s3.${blobs.region}.amazonaws.com`)
  if (!blobs.pathStyle) storage.hostname = `${blobs.bucket}.${storage.hostname}`
  const hosts = [...(host.startsWith("/") ? [] : [`${host}:${port || 5432}`]), ...(direct ? [direct] : [])]
  return [...hosts.map(each => `postgres://${each}`), storage.href, search.url]
}

/** The driver reads a password file anew for each connection; here it is only seen that it can. */
function databaseAddress(value: string): string {
  passwordOf(databaseParts(value), "--database-url")
  return value
}

function blobAddress(value: string, amazon: S3Credentials | undefined): S3Address {
  const url = blobParts(value)
  const { endpoint, region = "us-east-1", path_style, ca_file } = parametersOf(url)
  return {
    bucket: url.hostname,
    prefix: decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, ""),
    region,
    ...(endpoint ? { endpoint } : {}),
    pathStyle: path_style ? path_style === "true" : endpoint !== undefined,
    credentials: blobCredentials(url, amazon),
    ...(ca_file ? { ca: readNamed(ca_file, "--blob-url") } : {}),
  }
}

function blobCredentials(url: URL, amazon: S3Credentials | undefined): S3Address["credentials"] {
  const file = url.searchParams.get(CREDENTIALS_FILE)
  if (file) return { file }
  const secretAccessKey = passwordOf(url, "--blob-url")
  if (url.username && secretAccessKey) return { accessKeyId: decodeURIComponent(url.username), secretAccessKey }
  if (amazon && !url.username) return amazon
  throw new ConfigError(
    "--blob-url: there are no credentials: write s3://KEY@BUCKET with password_file=FILE, or credentials_file=FILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  )
}

function searchAddress(value: string): SearchAddress {
  const url = searchParts(value)
  const { prefix = "carrel", ca_file } = parametersOf(url)
  const password = passwordOf(url, "--search-url")
  const user = decodeURIComponent(url.username)
  return {
    url: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    prefix,
    ...(user && password ? { credentials: { user, password } } : {}),
    ...(ca_file ? { ca: readNamed(ca_file, "--search-url") } : {}),
  }
}

/** @throws Error that says the rule */
function databaseParts(value: string): URL {
  const url = /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value) ? new URL(value) : undefined
  if (!url || (!url.hostname && !url.searchParams.has("host")) || url.pathname.length < 2)
    throw new Error("must be the address of a PostgreSQL database, such as postgres://USER@HOST:5432/DATABASE")
  readable(url)
  return url
}

function blobParts(value: string): URL {
  const url = /^s3:\/\//.test(value) && URL.canParse(value) ? new URL(value) : undefined
  if (!url?.hostname || url.port)
    throw new Error("must be a bucket, such as s3://KEY@BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION")
  readable(url)
  const { endpoint, region, path_style } = onlyWith(url, BLOB_PARAMETERS)
  if (endpoint !== undefined && !isWebAddress(endpoint))
    throw new Error("must name an http or https address as its endpoint")
  if (!region && !endpoint)
    throw new Error("must name its region (region=…), and its endpoint where it is not Amazon's")
  if (path_style !== undefined && !/^(true|false)$/.test(path_style))
    throw new Error("must have true or false as path_style")
  if (url.username && url.searchParams.has(CREDENTIALS_FILE))
    throw new Error(`must have an access key or a ${CREDENTIALS_FILE}, not both`)
  if (url.password && !url.username) throw new Error("must name the access key that its secret belongs to")
  return url
}

function searchParts(value: string): URL {
  const bare = value.replace(/^opensearch\+/, "")
  if (!isWebAddress(bare)) throw new Error("must be the address of OpenSearch, such as https://USER@HOST:9200")
  const url = new URL(bare)
  readable(url)
  const { prefix } = onlyWith(url, SEARCH_PARAMETERS)
  // OpenSearch takes no capitals, and no hyphen or underscore at the beginning of a name.
  if (prefix !== undefined && !/^[a-z0-9][a-z0-9_-]{0,60}$/.test(prefix))
    throw new Error("must have a prefix of small letters, digits and hyphens")
  if (url.password && !url.username) throw new Error("must name the user whose password it has")
  return url
}

const isWebAddress = (value: string): boolean =>
  /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== ""

/** @throws Error for signs after % that are no text, and for a password that is given twice */
function readable(url: URL): void {
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part)
  } catch {
    throw new Error("must have % before two hexadecimal digits alone (a % itself is %25)")
  }
  if (url.password && url.searchParams.has(PASSWORD_FILE))
    throw new Error("must have a password or a password_file, not both")
  if (url.hash) throw new Error("must have no #: in a password it is %23")
}

const parametersOf = (url: URL): Parameters =>
  Object.fromEntries([...url.searchParams].filter(([, value]) => value !== ""))

/** @throws Error for a parameter that is not known: one mistyped would be without effect */
function onlyWith(url: URL, known: readonly string[]): Parameters {
  const other = [...url.searchParams.keys()].find(name => !known.includes(name))
  if (other !== undefined)
    throw new Error(`must have no parameter ${JSON.stringify(other)}; there are ${known.join(", ")}`)
  return parametersOf(url)
}

/** Undefined where none is given. @throws ConfigError for a file that cannot be read */
function passwordOf(url: URL, flag: string): string | undefined {
  const path = url.searchParams.get(PASSWORD_FILE)
  if (path) return secretIn(path, flag)
  return url.password ? decodeURIComponent(url.password) : undefined
}

/**
 * What a file holds, without the line's end.
 * @throws ConfigError for one that cannot be read, is empty, or that other users of the machine may read
 */
export function secretIn(path: string, flag: string): string {
  const { mode, secret } = readSecret(path, flag)
  if (mode & 0o007) throw new ConfigError(`${flag}: ${path} can be read by every user of this machine: chmod 600 it`)
  if (secret === "") throw new ConfigError(`${flag}: ${path} is empty`)
  return secret
}

const readSecret = (path: string, flag: string): { mode: number; secret: string } => ({
  secret: readNamed(path, flag).replace(/\r?\n$/, ""),
  mode: statSync(path).mode,
})

function readNamed(path: string, flag: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${flag}: ${path} ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}`)
  }
}
