/**
 * A repository on a server, over Git's smart HTTP protocol: which commit a branch is at, and packs of what is asked for.
 * Version 2 is asked for; a server that knows only the first one answers in it and is understood, but cannot be asked for
 * single files. `isomorphic-git` would hold packs in memory, and its requests leave nothing out; see `pack.ts`.
 */

import type { Egress } from "../../../egress/egress.ts"
import { AppError } from "../../../errors.ts"
import { Outage } from "../../connector.ts"
import type { ObjectFormat } from "./objects.ts"
import { DELIMITER, FLUSH, type Packet, packetLine, packetsOf, textOf } from "./packet-lines.ts"

const SERVICE = "git-upload-pack"
const AGENT = "agent=git/carrel"
/** A repository moved, and http that became https. */
const MAX_REDIRECTS = 5
/** Packing a large repository is silent work of the server. */
const SILENCE_MS = 5 * 60_000
const TRANSFER_MS = 6 * 3_600_000
/** Lists of branches. The largest that are known have some 500 000 references in 40 MB. */
const MAX_REFERENCES_BYTES = 100 * 2 ** 20
const CHANNELS = { data: 1, progress: 2, error: 3 } as const

export interface GitCredentials {
  username: string
  password: string
}

export interface Tip {
  /** Commit. */
  id: string
  /** As people call it: `main`. */
  branch: string
}

/** What is asked of the server in one pack. */
export interface Wanted {
  ids: readonly string[]
  /** Of the last commit alone, not of its history. */
  isCommit: boolean
  /** Without the content of files, where the server can do that. */
  withoutFiles?: boolean
}

interface Service {
  /** Where requests go: elsewhere than the repository's address after a redirect. */
  base: URL
  version: 1 | 2
  capabilities: ReadonlyMap<string, string>
  /** Of the first version: what a branch is at. */
  references: ReadonlyMap<string, string>
  format: ObjectFormat
}

export interface RemoteOptions {
  egress: Egress
  url: string
  credentials: GitCredentials | null
}

export class GitRemote {
  private service: Promise<Service> | undefined

  constructor(private readonly options: RemoteOptions) {}

  async format(signal: AbortSignal): Promise<ObjectFormat> {
    return (await this.found(signal)).format
  }

  /** Whether single files can be asked for, and folders without them. */
  async hasFilters(signal: AbortSignal): Promise<boolean> {
    const { version, capabilities } = await this.found(signal)
    return version === 2 && (capabilities.get("fetch") ?? "").split(" ").includes("filter")
  }

  /** @param name of a branch or a tag; the repository's own choice without. @throws Outage */
  async tip(name: string | undefined, signal: AbortSignal): Promise<Tip> {
    const service = await this.found(signal)
    const { references, head } = service.version === 2 ? await this.listed(service, name, signal) : advertised(service)
    if (name === undefined) {
      const id = references.get("HEAD")
      if (id === undefined) throw new Outage("the repository has no commit yet, or no main branch")
      return { id, branch: head?.replace("refs/heads/", "") ?? "HEAD" }
    }
    const id = [`refs/heads/${name}`, `refs/tags/${name}^{}`, `refs/tags/${name}`]
      .map(each => references.get(each))
      .find(each => each !== undefined)
    if (id === undefined) throw new Outage(`the repository has no branch ${name}`)
    return { id, branch: name }
  }

  /** Bytes of a pack. @throws Outage; AppError file_too_large for more than `maxBytes` */
  async *pack(wanted: Wanted, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const service = await this.found(signal)
    const body = service.version === 2 ? await this.fetchCommand(service, wanted, signal) : firstRequest(wanted)
    const response = await this.post(service, body, maxBytes, signal)
    try {
      for await (const packet of answered(packetsIn(response)))
        if (packet[0] === CHANNELS.data) yield packet.subarray(1)
    } catch (error) {
      throw outageOf(error, signal)
    }
  }

  private async fetchCommand(service: Service, wanted: Wanted, signal: AbortSignal): Promise<string> {
    const lines = ["ofs-delta", "no-progress"]
    if (wanted.isCommit) lines.push("deepen 1")
    if (wanted.withoutFiles && (await this.hasFilters(signal))) lines.push("filter blob:none")
    lines.push(...wanted.ids.map(id => `want ${id}`), "done")
    return command("fetch", service, lines)
  }

  private async listed(service: Service, name: string | undefined, signal: AbortSignal) {
    const prefixes = name === undefined ? ["HEAD"] : [`refs/heads/${name}`, `refs/tags/${name}`]
    const lines = ["peel", "symrefs", ...prefixes.map(prefix => `ref-prefix ${prefix}`)]
    const response = await this.post(service, command("ls-refs", service, lines), MAX_REFERENCES_BYTES, signal)
    const references = new Map<string, string>()
    let head: string | undefined
    try {
      for await (const packet of packetsIn(response)) {
        if (typeof packet === "string") continue
        const [id = "", reference = "", ...attributes] = lineOf(packet).split(" ")
        if (/^[0-9a-f]{40,64}$/.test(id)) references.set(reference, id)
        for (const attribute of attributes) {
          if (reference === "HEAD" && attribute.startsWith("symref-target:")) head = attribute.slice(14)
          if (attribute.startsWith("peeled:")) references.set(`${reference}^{}`, attribute.slice(7))
        }
      }
    } catch (error) {
      throw outageOf(error, signal)
    }
    return { references, head }
  }

  private found(signal: AbortSignal): Promise<Service> {
    this.service ??= this.find(signal)
    this.service.catch(() => {
      this.service = undefined
    })
    return this.service
  }

  private async find(signal: AbortSignal): Promise<Service> {
    const url = new URL(`${this.options.url.replace(/\/+$/, "")}/info/refs?service=${SERVICE}`)
    try {
      const response = await this.options.egress.fetch(url, {
        headers: { ...this.headers(url), "git-protocol": "version=2" },
        redirects: MAX_REDIRECTS,
        timeoutMs: SILENCE_MS,
        maxBytes: MAX_REFERENCES_BYTES,
        signal,
      })
      const type = response.headers.get("content-type") ?? ""
      if (!response.ok || !type.startsWith(`application/x-${SERVICE}-advertisement`)) {
        await response.body?.cancel()
        throw new Outage(response.ok ? "there is no Git repository at this address" : refusalOf(response.status))
      }
      return await serviceOf(response, url)
    } catch (error) {
      throw outageOf(error, signal)
    }
  }

  private async post(service: Service, body: string, maxBytes: number, signal: AbortSignal): Promise<Response> {
    const url = new URL(service.base)
    url.pathname = `${url.pathname}/${SERVICE}`
    try {
      const response = await this.options.egress.fetch(url, {
        method: "POST",
        headers: {
          ...this.headers(url),
          "content-type": `application/x-${SERVICE}-request`,
          accept: `application/x-${SERVICE}-result`,
          ...(service.version === 2 ? { "git-protocol": "version=2" } : {}),
        },
        body,
        timeoutMs: TRANSFER_MS,
        silenceMs: SILENCE_MS,
        maxBytes,
        signal,
      })
      if (response.ok) return response
      await response.body?.cancel()
      throw new Outage(refusalOf(response.status))
    } catch (error) {
      throw outageOf(error, signal)
    }
  }

  /** Credentials are told to the server that they were given for alone. */
  private headers(url: URL): Record<string, string> {
    const { credentials } = this.options
    const isOwn = url.origin === new URL(this.options.url).origin
    const agent = { "user-agent": "git/2 (carrel)" } // some servers answer people's browsers with pages
    if (!credentials || !isOwn) return agent
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")
    return { ...agent, authorization: `Basic ${pair}` }
  }
}

async function* packetsIn({ body }: Response): AsyncGenerator<Packet> {
  if (body) yield* packetsOf(body)
}

/** What the server's first answer says. @throws Error for what is no answer of Git's protocol */
async function serviceOf(response: Response, asked: URL): Promise<Service> {
  const answeredAt = new URL(response.url || asked)
  const base = new URL(answeredAt.origin)
  base.pathname = answeredAt.pathname.replace(/\/info\/refs$/, "")
  const capabilities = new Map<string, string>()
  const references = new Map<string, string>()
  let version: 1 | 2 = 1
  for await (const packet of packetsIn(response)) {
    if (typeof packet === "string") continue
    const line = lineOf(packet)
    if (line.startsWith("# service=") || line === "version 1") continue
    if (line === "version 2") version = 2
    else if (version === 2) addCapability(capabilities, line)
    else {
      const [reference = "", offered = ""] = line.split("\0")
      for (const each of offered.split(" ").filter(Boolean)) addCapability(capabilities, each)
      const [id = "", name = ""] = reference.split(" ")
      if (/^[0-9a-f]{40,64}$/.test(id) && !/^0+$/.test(id)) references.set(name, id)
    }
  }
  const format = capabilities.get("object-format") === "sha256" ? "sha256" : "sha1"
  return { base, version, capabilities, references, format }
}

/** The first version offers `symref` several times: only HEAD's matters. */
function addCapability(capabilities: Map<string, string>, text: string): void {
  const [name = "", ...value] = text.split("=")
  if (name !== "symref" || text.startsWith("symref=HEAD:")) capabilities.set(name, value.join("="))
}

function advertised({ references, capabilities }: Service) {
  return { references, head: capabilities.get("symref")?.replace(/^HEAD:/, "") }
}

function command(name: string, { capabilities, format }: Service, lines: readonly string[]): string {
  const common = [AGENT, ...(capabilities.has("object-format") ? [`object-format=${format}`] : [])]
  return [packetLine(`command=${name}`), ...common.map(packetLine), DELIMITER, ...lines.map(packetLine), FLUSH].join("")
}

/** Of the protocol's first version. */
function firstRequest({ ids, isCommit }: Wanted): string {
  const wants = ids.map((id, at) =>
    packetLine(`want ${id}${at === 0 ? ` ofs-delta side-band-64k no-progress ${AGENT}` : ""}`),
  )
  return [...wants, ...(isCommit ? [packetLine("deepen 1")] : []), FLUSH, packetLine("done")].join("")
}

/** Packets that carry the pack; what stands before it is left out. @throws Outage with what the server says */
async function* answered(packets: AsyncIterable<Packet>): AsyncGenerator<Uint8Array> {
  let isPack = false
  for await (const packet of packets) {
    if (typeof packet === "string") continue
    const channel = packet[0]
    if (channel === CHANNELS.error) throw saidBy(textOf(packet.subarray(1)))
    if (channel === CHANNELS.data || channel === CHANNELS.progress) {
      isPack = true
      yield packet
    } else lineOf(packet)
  }
  if (!isPack) throw new Outage("the server sent no pack")
}

/** @throws Outage for a line that reports an error */
function lineOf(packet: Uint8Array): string {
  const line = textOf(packet)
  if (line.startsWith("ERR ")) throw saidBy(line.slice(4))
  return line
}

const saidBy = (words: string) => new Outage(`the server says: ${words.replace(/\s+/g, " ").trim().slice(0, 200)}`)

function refusalOf(status: number): string {
  if (status === 401 || status === 403) return "the server refuses the user name, password or token"
  if (status === 404) return "there is no repository at this address, or not for these credentials"
  return `the server answered with status ${status}`
}

function outageOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof Outage) return error
  if (error instanceof AppError && error.code === "file_too_large") return error
  if (error instanceof AppError) return new Outage(error.message, { cause: error })
  return new Outage("the server's answer could not be read", { cause: error })
}
