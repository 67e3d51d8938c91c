/**
 * Requests to an S3-compatible object storage, each with a time limit and tried again where that is safe. The client is
 * loaded when a store is opened: one machine alone never needs it.
 */
import type { GetObjectCommandOutput, S3Client } from "@aws-sdk/client-s3"
import { EngineError, OperatorError } from "../../../errors.ts"
import { log } from "../../../log.ts"
import { orAbort, pause } from "../../../threads/or-abort.ts"
import { clientOf, type Sdk } from "./client.ts"
import { credentialsIn, type S3Credentials } from "./credentials.ts"
import { fetching, requestHandler } from "./handler.ts"

export interface S3Address {
  bucket: string
  /** Of every key, without slashes at its ends; empty for none. */
  prefix: string
  region: string
  /** Absent for Amazon's own. */
  endpoint?: string
  /** Whether the bucket stands in the path, not in the name of the host. */
  pathStyle: boolean
  /** Authority that signed the server's certificate, in PEM, beside those that the process knows anyway. */
  ca?: string
  /** Themselves, or the file that holds them. */
  credentials: S3Credentials | { file: string }
}

export interface StoredObject {
  key: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970, by the clock of the store. */
  modifiedAt: number
}

/** A part of an upload that was taken. */
export interface UploadedPart {
  number: number
  etag: string
}

export interface UnfinishedUpload {
  key: string
  id: string
  /** Milliseconds since 1970, by the clock of the store. */
  begunAt: number
}

export interface AskOptions {
  signal?: AbortSignal | undefined
  /** Longest time for all attempts. */
  limitMs?: number
}

/**
 * For all attempts of one request: a server that hangs is given up. A part of 8 MiB makes it at .8 MB/s. No attempt has
 * a shorter time of its own, so that one that hangs is not tried again.
 */
const LIMIT_MS = 11_000
const ATTEMPTS = 4
/** Before the second attempt, doubled before each further one. */
const WAIT_MS = 100
/** The storage itself is short of something, a disk without room among it: no request is to blame. */
const isStorageToBlame = (status: number): boolean => status === 429 || status >= 500
const PASSING = new Set([429, 500, 502, 503, 504])
/** Said with other statuses; after the second the client reckons with the server's clock. */
const PASSING_NAMES = new Set(["RequestTimeout", "RequestTimeTooSkewed"])
/** Keys of one page of a list, the most that servers give. */
const PAGE = 1_000

export class ObjectStore {
  /** The server's clock is ahead by so many milliseconds. */
  private aheadMs = 0

  private constructor(
    private readonly sdk: Sdk,
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  /** Asks nobody yet. */
  static async open({ bucket, region, endpoint, pathStyle, ca, credentials }: S3Address): Promise<ObjectStore> {
    const sdk = await import("@aws-sdk/client-s3")
    const client = clientOf(sdk, {
      region,
      ...(endpoint ? { endpoint } : {}),
      forcePathStyle: pathStyle,
      credentials: "file" in credentials ? () => credentialsIn(credentials.file) : credentials,
      requestHandler: requestHandler(fetching(ca), serverTime => {
        store.aheadMs = serverTime - Date.now()
      }),
      maxAttempts: 1, // see `ask`
    })
    const store = new ObjectStore(sdk, client, bucket)
    return store
  }

  /** Milliseconds since 1970, by the clock of the store as its last answer told it. */
  get now(): number {
    return Date.now() + this.aheadMs
  }

  /** Bytes of an object; undefined where there is none. */
  async size(key: string, options?: AskOptions): Promise<number | undefined> {
    try {
      return await this.ask(async abortSignal => {
        const command = new this.sdk.HeadObjectCommand({ Bucket: this.bucket, Key: key })
        return (await this.client.send(command, { abortSignal })).ContentLength ?? 0
      }, options)
    } catch (error) {
      if (statusOf(error) !== 404) throw error
      await this.assertBucket(options) // what has no body cannot say what is missing
      return undefined
    }
  }

  /** @param range first byte and last; all of it by default */
  get(key: string, range?: { first: number; last: number }, options?: AskOptions): Promise<ReadObject> {
    return this.ask(async abortSignal => {
      const Range = range && `bytes=${range.first}-${range.last}`
      const command = new this.sdk.GetObjectCommand({ Bucket: this.bucket, Key: key, ...(Range ? { Range } : {}) })
      const { Body, ETag } = await this.client.send(command, { abortSignal })
      return { bytes: await bytesOf(Body), etag: ETag }
    }, options)
  }

  async put(key: string, body: Uint8Array, options?: AskOptions): Promise<void> {
    await this.ask(abortSignal => {
      const command = new this.sdk.PutObjectCommand({ Bucket: this.bucket, Key: key, Body: body, ...BINARY })
      return this.client.send(command, { abortSignal })
    }, options)
  }

  /**
   * Nothing happens where there is one already; stores that know no such condition write it all the same.
   * @returns whether it was written
   */
  async putNew(key: string, body: Uint8Array, options?: AskOptions): Promise<boolean> {
    try {
      await this.ask(abortSignal => {
        const input = { Bucket: this.bucket, Key: key, Body: body, ...BINARY, IfNoneMatch: "*" }
        return this.client.send(new this.sdk.PutObjectCommand(input), { abortSignal })
      }, options)
    } catch (error) {
      const status = statusOf(error)
      if (status === 412 || status === 409) return false
      if (status !== 501 && status !== 400) throw error
      await this.put(key, body, options)
    }
    return true
  }

  /** Nothing happens where there is none. */
  async remove(key: string, options?: AskOptions): Promise<void> {
    await this.ask(abortSignal => {
      const command = new this.sdk.DeleteObjectCommand({ Bucket: this.bucket, Key: key })
      return this.client.send(command, { abortSignal })
    }, options)
  }

  /** Pages of what begins with the prefix. */
  async *list(prefix: string, { pageSize = PAGE, ...options }: AskOptions & { pageSize?: number } = {}) {
    for (let token: string | undefined; ; ) {
      const page = await this.ask(abortSignal => {
        const command = new this.sdk.ListObjectsV2Command({
          Bucket: this.bucket,
          Prefix: prefix,
          MaxKeys: pageSize,
          ...(token ? { ContinuationToken: token } : {}),
        })
        return this.client.send(command, { abortSignal })
      }, options)
      const found = page.Contents ?? []
      yield found.map(
        ({ Key, Size, LastModified }): StoredObject => ({
          key: Key!,
          size: Size ?? 0,
          modifiedAt: LastModified?.getTime() ?? Number.POSITIVE_INFINITY,
        }),
      )
      token = page.IsTruncated ? page.NextContinuationToken : undefined
      if (!token) return
    }
  }

  /** Begins an upload in parts. */
  begin(key: string, options?: AskOptions): Promise<string> {
    return this.ask(async abortSignal => {
      const command = new this.sdk.CreateMultipartUploadCommand({ Bucket: this.bucket, Key: key, ...BINARY })
      const { UploadId } = await this.client.send(command, { abortSignal })
      if (!UploadId) throw new EngineError("blobs", "it began an upload without an id", { answered: true })
      return UploadId
    }, options)
  }

  part(key: string, id: string, number: number, body: Uint8Array, options?: AskOptions): Promise<UploadedPart> {
    return this.ask(async abortSignal => {
      const command = new this.sdk.UploadPartCommand({
        Bucket: this.bucket,
        Key: key,
        UploadId: id,
        PartNumber: number,
        Body: body,
      })
      const { ETag } = await this.client.send(command, { abortSignal })
      if (!ETag) throw new EngineError("blobs", "it took a part without a mark", { answered: true })
      return { number, etag: ETag }
    }, options)
  }

  /** @param size of the whole: an answer that got lost on its way is found out by it */
  async complete(
    key: string,
    id: string,
    { parts, size }: { parts: readonly UploadedPart[]; size: number },
    options?: AskOptions,
  ): Promise<void> {
    try {
      await this.ask(abortSignal => {
        const command = new this.sdk.CompleteMultipartUploadCommand({
          Bucket: this.bucket,
          Key: key,
          UploadId: id,
          MultipartUpload: { Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })) },
        })
        return this.client.send(command, { abortSignal })
      }, options)
    } catch (error) {
      if (statusOf(error) !== 404 || (await this.size(key, options)) !== size) throw error
    }
  }

  /** Drops an upload in parts; nothing happens where there is none. */
  async drop(key: string, id: string, options?: AskOptions): Promise<void> {
    try {
      await this.ask(abortSignal => {
        const command = new this.sdk.AbortMultipartUploadCommand({ Bucket: this.bucket, Key: key, UploadId: id })
        return this.client.send(command, { abortSignal })
      }, options)
    } catch (error) {
      if (statusOf(error) !== 404) throw error
    }
  }

  /** Uploads in parts that are neither complete nor dropped, page by page. */
  async *unfinished(prefix: string, options?: AskOptions): AsyncGenerator<UnfinishedUpload[]> {
    for (let at: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; at; ) {
      const page = await this.ask(abortSignal => {
        const command = new this.sdk.ListMultipartUploadsCommand({ Bucket: this.bucket, Prefix: prefix, ...at })
        return this.client.send(command, { abortSignal })
      }, options)
      yield (page.Uploads ?? [])
        .filter(({ Key }) => Key?.startsWith(prefix))
        .map(({ Key, UploadId, Initiated }) => ({
          key: Key!,
          id: UploadId!,
          begunAt: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
        }))
      const { NextKeyMarker, NextUploadIdMarker } = page
      at =
        page.IsTruncated && NextKeyMarker
          ? { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker ? { UploadIdMarker: NextUploadIdMarker } : {}) }
          : undefined
    }
  }

  /** @throws EngineError where the bucket is not there */
  async assertBucket(options?: AskOptions): Promise<void> {
    await this.ask(
      abortSignal => this.client.send(new this.sdk.HeadBucketCommand({ Bucket: this.bucket }), { abortSignal }),
      options,
    )
  }

  /** @throws EngineError, the reason of the signal */
  private async ask<T>(request: (signal: AbortSignal) => Promise<T>, options: AskOptions = {}): Promise<T> {
    const { signal, limitMs = LIMIT_MS } = options
    signal?.throwIfAborted()
    const stop = new AbortController()
    const cut = () => stop.abort(signal?.reason)
    signal?.addEventListener("abort", cut, { once: true })
    const late = new EngineError("blobs", `no answer within ${limitMs} ms`)
    const timer = setTimeout(() => stop.abort(late), limitMs)
    try {
      for (let attempt = 1; ; attempt++)
        try {
          return await orAbort(request(stop.signal), stop.signal)
        } catch (error) {
          if (stop.signal.aborted) throw stop.signal.reason
          if (attempt === ATTEMPTS || !isPassing(error)) throw asEngineError(error)
          log.debug("object storage is asked again", { attempt, error })
          await pause(WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random()), stop.signal)
        }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", cut)
    }
  }
}

export interface ReadObject {
  bytes: Uint8Array
  /** Changes with the content. */
  etag: string | undefined
}

const BINARY = { ContentType: "application/octet-stream" }

const bytesOf = async (body: GetObjectCommandOutput["Body"]): Promise<Uint8Array> =>
  (await body?.transformToByteArray()) ?? new Uint8Array()

/** Of the answer that an error tells of, also of one that was passed on; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const told = error instanceof EngineError ? error.cause : error
  return (told as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode
}

/** What the server calls an error, such as NoSuchBucket. */
export const nameOf = (error: unknown): string | undefined =>
  ((error instanceof EngineError ? error.cause : error) as Error | undefined)?.name

function isPassing(error: unknown): boolean {
  if (error instanceof EngineError) return error.answered
  if (error instanceof OperatorError) return false
  const status = statusOf(error)
  return status === undefined || PASSING.has(status) || PASSING_NAMES.has((error as Error).name)
}

function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  const status = statusOf(error)
  const { name, message } = error as Error
  const said = status === undefined ? message : `${status} ${name}${message === name ? "" : ` (${message})`}`
  return new EngineError("blobs", said, { cause: error, answered: status !== undefined && !isStorageToBlame(status) })
}
