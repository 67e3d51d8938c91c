/** The place that `carrel sync` brings to a daemon: a folder here, a bucket or a repository, read as the daemon's own sources are. */
import { realpathSync, statSync } from "node:fs"
import { hostname } from "node:os"
import { amazonCredentials } from "../../config.ts"
import { secretIn } from "../../config-engines.ts"
import { log } from "../../log.ts"
import type { Connector, ConnectorParts, SourceKind, SourceType } from "../../sources/connector.ts"
import { SOURCE_KINDS } from "../../sources/connectors/index.ts"
import { Fields } from "../../sources/fields.ts"
import { UsageError } from "../failure.ts"

export interface Place {
  /** What the source is called unless that is told: the same for the same place. Without a password. */
  name: string
  /** Of a folder: itself. Links that lead out of it are not followed. */
  roots: string[]
  open(parts: ConnectorParts): Connector
}

interface Described {
  type: SourceType
  name: string
  config: Record<string, unknown>
  credentials?: Record<string, unknown> | undefined
}

/** @param passwordFile holds what belongs to the user in the address. @throws UsageError; ConfigError for that file */
export function placeOf(word: string, passwordFile: string | undefined): Place {
  const { type, name, config, credentials } = describe(word, passwordFile)
  const kind: SourceKind = SOURCE_KINDS[type]
  const checked = kind.config(new Fields(type, config))
  const known = credentials && kind.credentials ? kind.credentials(new Fields("credentials", credentials)) : null
  const roots = type === "folder" ? [String(config.path)] : []
  return { name, roots, open: parts => kind.open!({ config: checked, credentials: known, parts }) }
}

function describe(word: string, passwordFile: string | undefined): Described {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(word)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    if (passwordFile !== undefined) throw new UsageError("--password-file: a folder has no password")
    return folder(word)
  }
  if (scheme !== "s3" && scheme !== "git+https" && scheme !== "git+http")
    throw new UsageError(`there is no way to read ${scheme}:// addresses; give a folder, s3://… or git+https://…`)
  if (!URL.canParse(word)) throw new UsageError(`${word} is no address`)
  const url = new URL(word)
  if (url.password)
    log.warn("the password in the address is seen by every user of this machine; --password-file hides it")
  const password =
    passwordFile === undefined ? decodeURIComponent(url.password) : secretIn(passwordFile, "--password-file")
  return scheme === "s3" ? bucket(url, password) : repository(url, password)
}

function folder(word: string): Described {
  const path = realpathSync(word)
  if (!statSync(path).isDirectory()) throw new UsageError(`${word} is not a folder`)
  return { type: "folder", name: `${hostname()}:${path}`, config: { path } }
}

const S3_PARAMETERS = ["endpoint", "region"]

function bucket(url: URL, password: string): Described {
  const other = [...url.searchParams.keys()].find(name => !S3_PARAMETERS.includes(name))
  if (other !== undefined) throw new UsageError(`${other}: an address of a bucket takes endpoint and region`)
  const region = url.searchParams.get("region")
  const endpoint = url.searchParams.get("endpoint") ?? `https://s3.${region ?? "us-east-1"}.amazonaws.com`
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+/, "")
  return {
    type: "s3",
    name: `s3://${url.hostname}/${prefix}`,
    config: { endpoint, bucket: url.hostname, ...(prefix ? { prefix } : {}), ...(region ? { region } : {}) },
    credentials: bucketCredentials(url, password),
  }
}

/** Undefined where there are none: requests are then not signed, as for buckets that everybody may read. @throws UsageError */
function bucketCredentials(url: URL, password: string): Described["credentials"] {
  if (url.username && password) return { access_key_id: decodeURIComponent(url.username), secret_access_key: password }
  if (url.username || password)
    throw new UsageError("a bucket is entered with a key and its secret: s3://KEY@BUCKET and --password-file FILE")
  const amazon = amazonCredentials()
  if (amazon?.sessionToken) throw new UsageError("AWS_SESSION_TOKEN: temporary credentials cannot be used here")
  return amazon && { access_key_id: amazon.accessKeyId, secret_access_key: amazon.secretAccessKey }
}

/** `git+https://USER@HOST/REPOSITORY.git?branch=main&path=docs` */
function repository(url: URL, password: string): Described {
  const parameters = Object.fromEntries(url.searchParams)
  const other = Object.keys(parameters).find(name => name !== "branch" && name !== "path")
  if (other !== undefined) throw new UsageError(`${other}: an address of a repository takes branch and path`)
  const bare = new URL(url.href.replace(/^git\+/i, ""))
  Object.assign(bare, { username: "", password: "", search: "", hash: "" })
  return {
    type: "git",
    name: `git+${bare.href}${url.search}`,
    config: { url: bare.href, ...parameters },
    credentials: password
      ? { password, ...(url.username ? { username: decodeURIComponent(url.username) } : {}) }
      : undefined,
  }
}
