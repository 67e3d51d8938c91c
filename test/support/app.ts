/** The real application on a data directory of its own, with keys and a small client. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KeySettings } from "../../src/access/key-settings.ts"
import { ApiKeys, ensureWorkspace, type NewApiKey } from "../../src/access/keys.ts"
import { type App, startApp } from "../../src/app.ts"
import { readConfig } from "../../src/config.ts"
import { setLogLevel } from "../../src/log.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { holdToDocument } from "./documented.ts"
import { until } from "./until.ts"

setLogLevel((Bun.env.TEST_LOG_LEVEL as "info" | undefined) ?? "error")

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export interface TestApp {
  url: string
  /** Data directory. */
  data: string
  /** A client with a new key of that workspace. */
  client(workspace?: string, settings?: Partial<KeySettings>): Promise<Client>
  /** Stops and starts again on the same data. */
  restart(overrides?: Record<string, string>): Promise<void>
  /** Stops and removes the data. */
  stop(): Promise<void>
}

/** `overrides` are settings by flag name: `{ "rate-limit-per-minute": "5" }`. No model server is configured by default. */
export async function startTestApp(
  overrides: Record<string, string> = {},
  data = mkdtempSync(join(tmpdir(), "carrel-test-")),
): Promise<TestApp> {
  holdToDocument()
  const start = (more: Record<string, string> = {}): Promise<App> => {
    const given = { ...overrides, ...more }
    const settings = {
      "ollama-host": "http://127.0.0.1:9",
      "rate-limit-per-minute": "100000",
      // Without the large model, but for a test that names one or a tier.
      ...("embedding-model" in given ? {} : { "embedding-tier": "fast" }),
      rerank: "off", // the same
      "storage-low-mb": "0", // whatever this machine has left
      "encryption-key-file": Bun.env.TEST_ENCRYPTION_KEY_FILE ?? "", // the whole suite, with everything encrypted
      ...given,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    const { config, sources } = readConfig(["--data", data, "--port", "0", ...flags], {})
    return startApp(config, { sources })
  }
  let app = await start()
  return {
    get url() {
      return app.url
    },
    data,
    async client(workspace = "default", settings = {}) {
      const database = await openSqlite(data)
      const key = await new ApiKeys(database).create(await ensureWorkspace(database, workspace), {
        name: "test",
        ...settings,
      })
      await database.destroy()
      return new Client(() => app.url, key)
    },
    async restart(more) {
      await app.stop()
      app = await start(more)
    },
    async stop() {
      await app.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

type Upload = { name: string; data: string | Uint8Array }

export class Client {
  constructor(
    protected readonly base: () => string,
    readonly key: NewApiKey,
    readonly prefix = "/external-docs/external",
  ) {}

  get credentials(): Record<string, string> {
    return { "client-id": this.key.client_id, "private-key": this.key.private_key, secret: this.key.secret }
  }

  /** The same credentials, for paths below another prefix. */
  under(prefix: string): Client {
    return new Client(this.base, this.key, prefix)
  }

  /** A client with a scoped token of this one's key. */
  async scoped(settings: Record<string, unknown> = {}): Promise<Client> {
    const { status, body } = await this.post("/tokens", settings)
    if (status !== 201) throw new Error(`no token: ${JSON.stringify(body)}`)
    return this.bearer(body.token)
  }

  /** The same paths with a bearer token: of a scoped token, or of a console session. */
  bearer(token: string): Client {
    return new TokenClient(this.base, this.key, token)
  }

  raw(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<Response> {
    const isRaw =
      body instanceof FormData ||
      typeof body === "string" ||
      body instanceof Uint8Array ||
      body instanceof ReadableStream
    return fetch(this.base() + this.prefix + path, {
      method,
      headers: {
        ...this.credentials,
        ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      ...init,
    })
  }

  async send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    const response = await this.raw(method, path, body, headers)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse(text) }
  }

  get = (path: string, headers?: Record<string, string>) => this.send("GET", path, undefined, headers)
  post = (path: string, body?: unknown, headers?: Record<string, string>) => this.send("POST", path, body, headers)
  patch = (path: string, body?: unknown) => this.send("PATCH", path, body)
  delete = (path: string) => this.send("DELETE", path)

  upload(
    files: Upload[],
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
    method = "POST",
  ): Promise<Answer> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const { name, data } of files) form.append("files", new Blob([data as BlobPart]), name)
    return this.send(method, "/upload", form, headers)
  }

  /** Waits until the file left the queue; returns its record. */
  async settled(id: string): Promise<Answer["body"]> {
    return until(
      async () => {
        const { body } = await this.get(`/libraries/${id}`)
        return (body.status === "searchable" || body.status === "failed") && body
      },
      { everyMs: 25 },
    )
  }

  /** Uploads and waits; returns the records. */
  async index(files: Upload[], fields: Record<string, string> = {}): Promise<Answer["body"][]> {
    const { status, body } = await this.upload(files, fields)
    if (status !== 202) throw new Error(`upload answered ${status}: ${JSON.stringify(body)}`)
    return Promise.all(body.files.map((file: { id: string }) => this.settled(file.id)))
  }
}

class TokenClient extends Client {
  constructor(
    base: () => string,
    key: NewApiKey,
    private readonly token: string,
    prefix?: string,
  ) {
    super(base, key, prefix)
  }

  override under(prefix: string): Client {
    return new TokenClient(this.base, this.key, this.token, prefix)
  }

  override get credentials(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : null
  } catch {
    return text
  }
}
