/**
 * An object storage in memory that speaks as much S3 as is needed, for faults that a real one does not have at hand: it
 * hangs, cuts, or answers as it is told.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"

/** What becomes of a request in place of its answer: nothing ever, a cut, or a status with the code of an S3 error. */
export type Fault = "hang" | "cut" | { status: number; code: string; headers?: Record<string, string> }

export interface Asked {
  method: string
  /** Without the bucket. */
  key: string
  query: URLSearchParams
}

interface Stored {
  bytes: Buffer
  etag: string
  at: Date
}

export class StandIn {
  readonly objects = new Map<string, Stored>()
  /** Uploads in parts that are neither complete nor dropped, by id. */
  readonly uploads = new Map<string, { key: string; parts: Map<number, Stored>; at: Date }>()
  /** What was asked for, in order. */
  readonly asked: Asked[] = []
  /** Decides before anything is done. */
  fault: (asked: Asked) => Fault | undefined = () => undefined
  /** Decides when all is done, before the answer. */
  lateFault: (asked: Asked) => Fault | undefined | Promise<undefined> = () => undefined
  /** What is told as the mark of a stored part. */
  etagOf: (bytes: Buffer) => string = bytes => `"${createHash("md5").update(bytes).digest("hex")}"`
  private count = 0

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: "http" | "https",
  ) {
    server.on("request", (request, response) => void this.serve(request, response))
  }

  /** @param tls key and certificate in PEM, for one that is reached by https */
  static async start(tls?: { key: string; cert: string }): Promise<StandIn> {
    const server = tls ? createTlsServer(tls) : createServer()
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    return new StandIn(server, tls ? "https" : "http")
  }

  get endpoint(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>(resolve => this.server.close(() => resolve()))
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, "http://stand-in")
    const [, , ...rest] = decodeURIComponent(url.pathname).split("/")
    const asked = { method: request.method!, key: rest.join("/"), query: url.searchParams }
    this.asked.push(asked)
    const early = this.fault(asked)
    if (early) return tell(early, response)
    const body = Buffer.concat(await Array.fromAsync(request).catch(() => []))
    if (request.destroyed && !request.complete) return
    const answer = this.answer(asked, body, request.headers)
    const late = await this.lateFault(asked)
    if (late) return tell(late, response)
    send(response, answer)
  }

  private answer({ method, key, query }: Asked, body: Buffer, headers: IncomingMessage["headers"]): Answer {
    const uploadId = query.get("uploadId")
    if (query.has("uploads")) return method === "POST" ? this.begin(key) : this.unfinished(query.get("prefix") ?? "")
    if (uploadId !== null) return this.ofUpload(method, key, uploadId, query, body)
    if (key === "") return method === "HEAD" ? { status: 200 } : this.list(query)
    if (method === "PUT" && headers["if-none-match"] === "*" && this.objects.has(key))
      return failure(412, "PreconditionFailed")
    if (method === "PUT") return this.put(key, body)
    const stored = this.objects.get(key)
    if (method === "DELETE") {
      this.objects.delete(key)
      return { status: 204 }
    }
    if (!stored) return missing("NoSuchKey")
    return read(stored, headers.range, method === "HEAD")
  }

  private put(key: string, bytes: Buffer): Answer {
    const stored = { bytes, etag: this.etagOf(bytes), at: new Date() }
    this.objects.set(key, stored)
    return { status: 200, headers: { etag: stored.etag } }
  }

  private begin(key: string): Answer {
    const id = `upload-${++this.count}`
    this.uploads.set(id, { key, parts: new Map(), at: new Date() })
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }

  private ofUpload(method: string, key: string, id: string, query: URLSearchParams, body: Buffer): Answer {
    const upload = this.uploads.get(id)
    if (!upload) return missing("NoSuchUpload")
    if (method === "PUT") {
      const stored = { bytes: body, etag: this.etagOf(body), at: new Date() }
      upload.parts.set(Number(query.get("partNumber")), stored)
      return { status: 200, headers: { etag: stored.etag } }
    }
    if (method === "DELETE") {
      this.uploads.delete(id)
      return { status: 204 }
    }
    const named = [
      ...body
        .toString()
        .matchAll(
          /<ETag>(.*?)<\/ETag>.*?<PartNumber>(\d+)<\/PartNumber>|<PartNumber>(\d+)<\/PartNumber>.*?<ETag>(.*?)<\/ETag>/gs,
        ),
    ]
    const parts = named.map(([, etag, number, otherNumber, otherEtag]) => {
      const found = upload.parts.get(Number(number ?? otherNumber))
      const mark = (etag ?? otherEtag)!.replaceAll("&quot;", '"')
      return found && `"${createHash("md5").update(found.bytes).digest("hex")}"` === mark ? found : undefined
    })
    if (parts.includes(undefined)) return failure(400, "InvalidPart")
    this.uploads.delete(id)
    this.put(key, Buffer.concat(parts.map(part => part!.bytes)))
    return xml("<CompleteMultipartUploadResult><ETag>&quot;whole&quot;</ETag></CompleteMultipartUploadResult>")
  }

  private list(query: URLSearchParams): Answer {
    const after = query.get("continuation-token") ?? ""
    const found = [...this.objects].filter(([key]) => key.startsWith(query.get("prefix") ?? "") && key > after).sort()
    const page = found.slice(0, Number(query.get("max-keys") ?? 1000))
    const more = page.length < found.length
    const contents = page.map(
      ([key, { bytes, etag, at }]) =>
        `<Contents><Key>${Bun.escapeHTML(key)}</Key><ETag>${Bun.escapeHTML(etag)}</ETag><Size>${bytes.length}</Size><LastModified>${at.toISOString()}</LastModified></Contents>`,
    )
    const token = more ? `<NextContinuationToken>${page.at(-1)![0]}</NextContinuationToken>` : ""
    return xml(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${contents.join("")}</ListBucketResult>`)
  }

  private unfinished(prefix: string): Answer {
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix))
    const uploads = found.map(
      ([id, { key, at }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
    )
    return xml(
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`,
    )
  }
}

interface Answer {
  status: number
  headers?: Record<string, string>
  body?: Buffer | string
  length?: number
}

const xml = (body: string): Answer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0"?>${body}`,
})

const failure = (status: number, code: string): Answer => ({
  ...xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`),
  status,
})

const missing = (code: string): Answer => failure(404, code)

function read({ bytes, etag, at }: Stored, range: string | undefined, isHead: boolean): Answer {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
  const headers = { etag, "last-modified": at.toUTCString() }
  if (first === undefined) return { status: 200, headers, ...(isHead ? { length: bytes.length } : { body: bytes }) }
  if (Number(first) >= bytes.length) return failure(416, "InvalidRange")
  return { status: 206, headers, body: bytes.subarray(Number(first), Number(last) + 1) }
}

function send(response: ServerResponse, { status, headers = {}, body = "", length }: Answer): void {
  response.writeHead(status, { ...headers, "content-length": String(length ?? Buffer.byteLength(body)) })
  response.end(body)
}

function tell(fault: Fault, response: ServerResponse): void {
  if (fault === "hang") return
  if (fault === "cut") return void response.socket?.destroy()
  const answer = failure(fault.status, fault.code)
  send(response, { ...answer, headers: { ...answer.headers, ...fault.headers } })
}
