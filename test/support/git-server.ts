/** Repositories of the git program behind its own `git http-backend`, over http, for tests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface GitServerOptions {
  /** `user:password` that requests must carry. */
  login?: string
  /** As servers before Git 2.18. */
  firstVersionOnly?: boolean
}

/** The settings of the machine and of whoever runs the tests stay out of it. */
const ENV = {
  PATH: process.env.PATH!,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
}

export const hasGit = Bun.which("git") !== null

export class GitServer {
  readonly folder = mkdtempSync(join(tmpdir(), "carrel-git-"))
  /** Paths that were asked for, and what was posted there. */
  readonly requests: { path: string; body: string }[] = []
  /** Answers before the repositories do; for outages and for servers of large files. */
  intercept: ((request: Request, url: URL) => Response | undefined) | undefined
  private readonly server: Bun.Server<undefined>

  constructor(readonly options: GitServerOptions = {}) {
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: request => this.answer(request) })
  }

  get port(): number {
    return this.server.port!
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  url(repository: string): string {
    return `${this.origin}/${repository}`
  }

  /** Makes one. @param filters whether single files may be asked for, as at the large services */
  make(repository: string, { filters = true, format = "sha1" } = {}): Repository {
    const path = join(this.folder, repository)
    git(this.folder, "init", "-q", "-b", "main", `--object-format=${format}`, path)
    git(path, "config", "uploadpack.allowFilter", String(filters))
    return new Repository(path)
  }

  async close(): Promise<void> {
    await this.server.stop(true)
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    this.requests.push({ path: url.pathname, body: body.toString("latin1") })
    const { login, firstVersionOnly } = this.options
    const given = request.headers.get("authorization") ?? ""
    if (login !== undefined && given !== `Basic ${Buffer.from(login).toString("base64")}`)
      return new Response("who are you?", { status: 401, headers: { "www-authenticate": "Basic" } })
    const intercepted = this.intercept?.(request, url)
    if (intercepted) return intercepted
    const child = Bun.spawn(["git", "http-backend"], {
      stdin: body,
      stdout: "pipe",
      stderr: "ignore",
      env: {
        ...ENV,
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_PROTOCOL: firstVersionOnly ? "" : (request.headers.get("git-protocol") ?? ""),
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers.get("content-type") ?? "",
      },
    })
    return await cgiResponse(child.stdout)
  }
}

/** A repository with a work tree. */
export class Repository {
  constructor(readonly path: string) {}

  /** Paths and contents; null removes one. @returns the commit's id */
  commit(files: Record<string, string | Uint8Array | null> = {}): string {
    for (const [name, content] of Object.entries(files))
      if (content === null) git(this.path, "rm", "-q", name)
      else {
        Bun.spawnSync(["mkdir", "-p", join(this.path, name, "..")])
        Bun.spawnSync(["tee", join(this.path, name)], { stdin: Buffer.from(content as string), stdout: "ignore" })
      }
    git(this.path, "add", "-A")
    git(this.path, "commit", "-q", "--allow-empty", "-m", "a change")
    return git(this.path, "rev-parse", "HEAD")
  }

  run(...words: string[]): string {
    return git(this.path, ...words)
  }
}

function git(cwd: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...words], { cwd, env: ENV })
  if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`)
  return stdout.toString().trim()
}

/** Of a CGI program's output: a head with an optional status, an empty line, the body. */
async function cgiResponse(output: ReadableStream<Uint8Array>): Promise<Response> {
  const reader = output.getReader()
  let bytes = Buffer.alloc(0)
  let end = -1
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes = Buffer.concat([bytes, part.value])
    end = bytes.indexOf("\r\n\r\n")
    if (end >= 0) break
  }
  const headers = new Headers()
  let status = 200
  for (const line of bytes.toString("latin1", 0, end).split("\r\n")) {
    const [name = "", value = ""] = line.split(": ")
    if (name === "Status") status = Number.parseInt(value, 10)
    else headers.set(name, value)
  }
  const rest = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(bytes.subarray(end + 4)),
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: reason => reader.cancel(reason),
  })
  return new Response(rest, { status, headers })
}
