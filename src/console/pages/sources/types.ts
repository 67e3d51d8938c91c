/** What the form asks for each type of source. Another type is an entry here. */
import { type Text, t } from "../../text.ts"
import type { SourceRecord } from "../../wire.ts"

export interface FieldSpec {
  /** Of `config` or `credentials`. */
  name: string
  label: Text
  /** Text where absent. `lines`: a list, one per line. */
  kind?: "number" | "lines" | "date" | "password"
  /** An example. */
  placeholder?: string
  /** What holds where nothing is written. */
  otherwise?: Text
  required?: true
  /** Offered instead of a text; the first is the default. */
  choices?: readonly (readonly [value: string, text: Text])[]
}

export interface TypeSpec {
  title: Text
  /** What it is good for, or what has to be set up before. */
  note?: Text
  config: readonly FieldSpec[]
  credentials?: readonly FieldSpec[]
}

const LOGIN: readonly FieldSpec[] = [
  { name: "username", label: "User name" },
  { name: "password", label: "Password", kind: "password" },
]

const HIDDEN: FieldSpec = {
  name: "hidden",
  label: "Hidden files",
  choices: [
    ["false", "Left out"],
    ["true", "Taken too"],
  ],
}

export const TYPES: Record<SourceRecord["type"], TypeSpec> = {
  folder: {
    title: "Folder on the server",
    note: "The daemon must have been started with --source-root for a folder above it.",
    config: [{ name: "path", label: "Path", placeholder: "/srv/documents", required: true }, HIDDEN],
  },
  webdav: {
    title: "WebDAV (Nextcloud, ownCloud, SharePoint)",
    config: [
      {
        name: "url",
        label: "Address",
        placeholder: "https://cloud.example.org/remote.php/dav/files/ada",
        required: true,
      },
      HIDDEN,
    ],
    credentials: LOGIN,
  },
  s3: {
    title: "S3 bucket",
    config: [
      { name: "endpoint", label: "Endpoint", placeholder: "https://s3.example.org", required: true },
      { name: "bucket", label: "Bucket", required: true },
      { name: "prefix", label: "Prefix", placeholder: "contracts/" },
      { name: "region", label: "Region", placeholder: "us-east-1" },
      HIDDEN,
    ],
    credentials: [
      { name: "access_key_id", label: "Access key ID" },
      { name: "secret_access_key", label: "Secret access key", kind: "password" },
    ],
  },
  git: {
    title: "Git repository",
    config: [
      { name: "url", label: "Address", placeholder: "https://git.example.org/handbook.git", required: true },
      { name: "branch", label: "Branch", otherwise: "the default one" },
      { name: "path", label: "Folder", placeholder: "docs" },
    ],
    credentials: [
      { name: "username", label: "User name", otherwise: "none for a token" },
      { name: "password", label: "Password or token", kind: "password" },
    ],
  },
  imap: {
    title: "Mailbox (IMAP)",
    config: [
      { name: "host", label: "Server", placeholder: "imap.example.org", required: true },
      { name: "port", label: "Port", kind: "number", placeholder: "993" },
      { name: "mailbox", label: "Mailbox", placeholder: "INBOX" },
      { name: "since", label: "Only since", kind: "date" },
      {
        name: "tls",
        label: "Encryption",
        choices: [
          ["implicit", "TLS"],
          ["starttls", "STARTTLS"],
          ["false", "None"],
        ],
      },
    ],
    credentials: LOGIN,
  },
  web: {
    title: "Web site",
    note: "Pages are read as they are served: no script is run. robots.txt is obeyed.",
    config: [
      { name: "url", label: "Address", placeholder: "https://www.example.org/docs/", required: true },
      { name: "limit", label: "At most so many pages", kind: "number", placeholder: "1000" },
      { name: "include_paths", label: "Only these paths", kind: "lines", placeholder: "/docs/**" },
      { name: "exclude_paths", label: "Not these paths", kind: "lines", placeholder: "/docs/archive/**" },
    ],
  },
  push: {
    title: "Push, by carrel sync",
    note: "Carrel fetches nothing: “carrel sync” or your own program brings the files.",
    config: [],
  },
}

/** Where a source's files come from, in one line. */
export function placeOfSource({ type, config }: Pick<SourceRecord, "type" | "config">): string {
  const of = (name: string) =>
    typeof config[name] === "string" || typeof config[name] === "number" ? String(config[name]) : ""
  if (type === "push") return t("fed from outside")
  if (type === "imap") return [of("host"), of("mailbox")].filter(Boolean).join(" · ")
  if (type === "s3") return [of("endpoint"), of("bucket") + (of("prefix") && `/${of("prefix")}`)].join(" · ")
  if (type === "git") return [of("url"), of("branch"), of("path")].filter(Boolean).join(" · ")
  return of("path") || of("url")
}

/** What is written in the fields of a form, by their names. */
export type Written = Record<string, string>

/** The object of a request; what is empty is left out. */
export function objectOf(specs: readonly FieldSpec[], written: Written): Record<string, unknown> {
  const values = specs.flatMap(({ name, kind, choices }) => {
    const text = (written[name] ?? choices?.[0]?.[0] ?? "").trim()
    return text === "" ? [] : [[name, typed(text, kind)] as const]
  })
  return Object.fromEntries(values)
}

function typed(text: string, kind: FieldSpec["kind"]): unknown {
  if (kind === "number") return Number(text)
  if (kind === "lines") return linesOf(text)
  return text === "false" || text === "true" ? text === "true" : text
}

export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map(line => line.trim())
    .filter(Boolean)

/** The other way round. */
export const writtenOf = (config: Record<string, unknown>): Written =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join("\n") : String(value ?? ""),
    ]),
  )
