/** Objects of a bucket of any storage that speaks S3. */
import type { S3Client } from "@aws-sdk/client-s3"
import type { EgressInit } from "../../egress/egress.ts"
import { AppError } from "../../errors.ts"
import { clientOf, type Sdk } from "../../storage/blobs/s3/client.ts"
import { requestHandler, type Send } from "../../storage/blobs/s3/handler.ts"
import { statusOf } from "../../storage/blobs/s3/object-store.ts"
import {
  type Connector,
  Emptied,
  type Entry,
  type EntryContent,
  type Opened,
  Outage,
  type SourceKind,
} from "../connector.ts"
import { isJunk } from "./junk.ts"
import { type ListingPage, readListing } from "./s3/listing.ts"

export interface S3Config {
  endpoint: string
  bucket: string
  /** Of every key; empty for none. */
  prefix: string
  region: string
  /** Also what `isJunk` leaves out. */
  hidden?: true
}

export interface S3SourceCredentials {
  access_key_id: string
  secret_access_key: string
}

/** For requests that fail in passing, with a pause before each further one. */
const ATTEMPTS = 3
/** A page of a thousand of the longest keys. */
const LISTING = { timeoutMs: 2 * 60_000, silenceMs: 60_000, maxBytes: 4 * 2 ** 20 }
/** As large as the engine takes: it stops reading where an object is too large. */
const READING = { timeoutMs: 6 * 3_600_000, silenceMs: 60_000, maxBytes: Number.MAX_SAFE_INTEGER }
/** Of what a server says of an error, as it is read and as it is shown. */
const MAX_ERROR_BYTES = 64 * 1024
const MAX_SAID = 300

export const s3Source: SourceKind<S3Config, S3SourceCredentials> = {
  config(given) {
    const endpoint = new URL(given.webAddress("endpoint"))
    if (endpoint.search !== "" || endpoint.hash !== "") given.refuse("endpoint", "must be an address without ? and #")
    const bucket = given.text("bucket", 255)
    if (!/^[\w.-]+$/.test(bucket) || /^\.+$/.test(bucket)) given.refuse("bucket", "must be the name of a bucket")
    const prefix = given.optionalText("prefix", 1_024) ?? ""
    const region = given.optionalText("region", 64) ?? regionOf(endpoint.hostname)
    if (!/^[\w-]+$/.test(region)) given.refuse("region", "must be the name of a region, such as eu-central-1")
    const hidden = given.oneOf("hidden", [true, false], false)
    given.end()
    return { endpoint: endpoint.href, bucket, prefix, region, ...(hidden ? { hidden } : {}) }
  },
  credentials(given) {
    const credentials = {
      access_key_id: given.text("access_key_id", 256),
      secret_access_key: given.text("secret_access_key", 1_024),
    }
    given.end()
    return credentials
  },
  place: ({ endpoint }) => endpoint,
  async admit({ endpoint }, { egress }) {
    const { protocol, hostname, port } = new URL(endpoint)
    await egress.check(hostname, Number(port || (protocol === "https:" ? 443 : 80)))
  },
  open: given => new S3Connector(given),
}

class S3Connector implements Connector {
  private readonly config: S3Config
  /** What keys leave out: the folder that the prefix names or lies in. */
  private readonly folder: string
  private opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined

  constructor(private readonly given: Opened<S3Config, S3SourceCredentials>) {
    this.config = given.config
    this.folder = given.config.prefix.slice(0, given.config.prefix.lastIndexOf("/") + 1)
  }

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    let isEmpty = true
    for (let token: string | undefined; ; ) {
      const page = await this.page(signal, token ? { ContinuationToken: token } : {})
      for (const { key: whole, size, etag, updatedAt } of page.objects) {
        if (!whole.startsWith(this.folder)) throw new Outage("the server lists other keys than those of the prefix")
        // Programs that show folders make these for them.
        if (whole.endsWith("/") && size === 0) continue
        const key = whole.slice(this.folder.length)
        if (!this.config.hidden && isLeftOut(key)) continue
        isEmpty = false
        yield {
          key,
          name: nameOf(key),
          fingerprint: etag ?? (updatedAt === undefined ? crypto.randomUUID() : `${size} ${updatedAt}`),
          url: this.addressOf(whole),
          ...(size === undefined ? {} : { size }),
          ...(updatedAt === undefined ? {} : { updatedAt }),
        }
      }
      if (!page.isTruncated) break
      if (!page.next || page.next === token) throw new Outage("the server does not tell how its list goes on")
      token = page.next
    }
    // As where somebody has given the folder of the prefix another name.
    if (isEmpty) throw new Emptied("there is not one object in the bucket, or below the prefix")
  }

  async read(entry: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const { sdk, client } = await this.open()
    const Key = this.folder + entry.key
    // An address cannot name them: what came back would be another object.
    if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(Key))
      throw new AppError("invalid_request", { message: "a key with a part . or .. cannot be asked for" })
    try {
      const command = new sdk.GetObjectCommand({ Bucket: this.config.bucket, Key })
      const { Body } = await client.send(command, { abortSignal: signal })
      return {
        name: nameOf(entry.key),
        bytes: Body ? (Body.transformToWebStream() as ReadableStream<Uint8Array>) : new Blob().stream(),
      }
    } catch (error) {
      signal.throwIfAborted()
      const { name } = error as Error
      if (name === "NoSuchKey") return undefined
      await this.page(signal, { MaxKeys: 1 }) // it may be the whole storage that is in trouble
      const code = statusOf(error) === 403 ? "forbidden" : "fetch_failed" // such as objects in an archive
      throw new AppError(code, { message: wordsOf(error), cause: error })
    }
  }

  async close(): Promise<void> {
    const opened = await this.opened?.catch(() => undefined)
    opened?.client.destroy()
  }

  /** @throws Outage */
  private async page(
    signal: AbortSignal,
    more: { ContinuationToken?: string; MaxKeys?: number },
  ): Promise<ListingPage> {
    try {
      const { sdk, client } = await this.open()
      const { bucket: Bucket, prefix: Prefix } = this.config
      const command = new sdk.ListObjectsV2Command({ Bucket, ...(Prefix ? { Prefix } : {}), ...more })
      let page: ListingPage | undefined
      // Before the client takes the answer apart, which then is an empty list.
      command.middlewareStack.add(
        next => async request => {
          const result = await next(request)
          const response = result.response as { statusCode: number; body: ReadableStream<Uint8Array> }
          if (response.statusCode === 200) {
            page = await readListing(response.body, signal)
            response.body = new Blob(["<ListBucketResult/>"]).stream()
          }
          return result
        },
        { step: "deserialize", priority: "low" },
      )
      await client.send(command, { abortSignal: signal })
      if (page?.isTruncated === undefined) throw new Outage("the server does not answer as S3 does")
      return page
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Outage) throw error
      throw new Outage(`the bucket could not be listed: ${wordsOf(error)}`, { cause: error })
    }
  }

  private open(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.opened ??= this.connect()
    return this.opened
  }

  private async connect(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import("@aws-sdk/client-s3")
    const { config, credentials, parts } = this.given
    const { endpoint, isInHost } = withoutBucket(config)
    const client = clientOf(sdk, {
      endpoint,
      region: config.region,
      forcePathStyle: !isInHost,
      credentials: credentials
        ? { accessKeyId: credentials.access_key_id, secretAccessKey: credentials.secret_access_key }
        : NOBODY,
      // A bucket that everybody may read; the client would look for credentials elsewhere.
      ...(credentials ? {} : { signer: { sign: async request => request } }),
      requestHandler: requestHandler(sendBy(parts.egress)),
      maxAttempts: ATTEMPTS,
    })
    return { sdk, client }
  }

  private addressOf(key: string): string {
    const { endpoint, bucket } = this.config
    const { isInHost } = withoutBucket(this.config)
    const path = (isInHost ? key : `${bucket}/${key}`).toWellFormed().split("/").map(encodeURIComponent).join("/")
    return `${endpoint.replace(/\/$/, "")}/${path}`
  }
}

const NOBODY = { accessKeyId: "", secretAccessKey: "" }

/** Some storages know a bucket by the name of a host alone: `https://BUCKET.storage.example`. */
function withoutBucket({ endpoint, bucket }: S3Config): { endpoint: string; isInHost: boolean } {
  const url = new URL(endpoint)
  const isInHost = url.hostname.startsWith(`${bucket}.`)
  if (isInHost) url.hostname = url.hostname.slice(bucket.length + 1)
  return { endpoint: url.href, isInHost }
}

/** Amazon's servers tell it in their names, and refuse another; others do not care. */
const regionOf = (host: string): string =>
  /(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com$/.exec(host)?.[1] ?? "us-east-1"

const sendBy =
  (egress: { fetch(url: string, init: EgressInit): Promise<Response> }): Send =>
  async (url, { method, headers, signal }) => {
    const limits = new URL(url).searchParams.has("list-type") ? LISTING : READING
    try {
      const answer = await egress.fetch(url, { method, headers, ...limits, ...(signal ? { signal } : {}) })
      return answer.ok ? answer : new Response(await beginningOf(answer.body), answer)
    } catch (error) {
      // The client tries again what says so.
      if (error instanceof AppError && error.code === "fetch_failed") Object.assign(error, { $retryable: {} })
      throw error
    }
  }

/** An error as the client takes it apart, in one go. */
async function beginningOf(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    length += piece.length
    if (length >= MAX_ERROR_BYTES) break
  }
  return new Uint8Array(Buffer.concat(pieces).subarray(0, MAX_ERROR_BYTES))
}

function wordsOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  const { name, message } = error as Error
  const status = statusOf(error)
  if (status === undefined || name === "SyntaxError") return "the server does not answer as S3 does"
  const said = message && message !== name && message !== "UnknownError" ? `: ${message.slice(0, MAX_SAID)}` : ""
  return `the server answered with ${status}${name === "Error" ? "" : ` ${name}`}${said}`
}

/** Like a file of that path. */
const isLeftOut = (key: string): boolean =>
  key
    .split("/")
    .filter(Boolean)
    .some((name, at, { length }) => !/^\.{1,2}$/.test(name) && isJunk(name, at < length - 1))

/** A key may end in slashes. */
const nameOf = (key: string): string => key.split("/").filter(Boolean).at(-1) ?? key
