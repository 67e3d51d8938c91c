/** Repositories of the git program, served by its own server over http, as a source sees them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AppError } from "../../../src/errors.ts"
import { Outage } from "../../../src/sources/connector.ts"
import { gitSource } from "../../../src/sources/connectors/git.ts"
import { Fields } from "../../../src/sources/fields.ts"
import { contentOf, entriesOf, opened, someParts } from "../../support/connectors.ts"
import { GitServer, type GitServerOptions, hasGit } from "../../support/git-server.ts"
import { rejection } from "../../support/rejection.ts"

let server: GitServer
let here: ReturnType<typeof someParts>
const closing: (() => Promise<void>)[] = []

function serve(options: GitServerOptions = {}): GitServer {
  server = new GitServer(options)
  return server
}

function connect(config: Record<string, unknown> = {}, credentials?: Record<string, unknown>) {
  const connector = opened(gitSource, here.parts, { url: server.url("repo"), ...config }, credentials)
  closing.push(() => connector.close!())
  return connector
}

const keysOf = async (connector: ReturnType<typeof connect>) => [...(await entriesOf(connector)).keys()].sort()
const textOf = async (connector: ReturnType<typeof connect>, key: string) =>
  (await contentOf(connector, (await entriesOf(connector)).get(key)!))?.toString()

const SERVERS = [
  ["that gives out single files", {}, {}],
  ["that gives out whole commits alone", {}, { filters: false }],
  ["of the protocol's first version", { firstVersionOnly: true }, {}],
  ["with ids of SHA-256", {}, { format: "sha256" }],
] as const

describe.skipIf(!hasGit)("git source", () => {
  beforeEach(() => {
    here = someParts()
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    await server?.close()
    here.remove()
  })

  describe.each(SERVERS)("at a server %s", (_, options, settings) => {
    test("files are listed by path, with the id of their content, and read", async () => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one", "deep/er/b.txt": "two", empty: "" })
      repository.commit({ "a.md": "three" })
      const connector = connect()
      const entries = await entriesOf(connector)
      expect([...entries.keys()].sort()).toEqual(["a.md", "deep/er/b.txt", "empty"])
      expect(entries.get("a.md")).toMatchObject({ fingerprint: repository.run("rev-parse", "HEAD:a.md"), name: "a.md" })
      const texts = await Promise.all(
        [...entries].map(async ([key, entry]) => [key, String(await contentOf(connector, entry))]),
      )
      expect(Object.fromEntries(texts)).toEqual({ "a.md": "three", "deep/er/b.txt": "two", empty: "" })
    })

    test("large files, and files that are packed as differences, come whole", async () => {
      const repository = serve(options).make("repo", settings)
      const random = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
      const lines = Array.from({ length: 4_000 }, (_, at) => `line ${at} ${at * 7919}`)
      const large = Buffer.concat(
        Array.from({ length: 80 }, (_, at) => Buffer.concat([random, Buffer.from(String(at))])),
      )
      const files: Record<string, string | Uint8Array> = {
        "large.bin": large,
        "large2.bin": Buffer.concat([large, random]),
      }
      for (let at = 0; at < 30; at++) files[`like/${at}.txt`] = lines.with(at * 100, `another ${at}`).join("\n")
      repository.commit(files)
      repository.run("repack", "-adfq", "--depth=50")
      const connector = connect()
      const hash = (bytes: string | Uint8Array) => createHash("sha1").update(bytes).digest("hex")
      const read = [...(await entriesOf(connector))].map(async ([key, entry]) => [
        key,
        hash((await contentOf(connector, entry))!),
      ])
      const expected = Object.entries(files).map(([key, bytes]) => [key, hash(bytes)])
      expect(Object.fromEntries(await Promise.all(read))).toEqual(Object.fromEntries(expected))
    }, 60_000)

    test("a branch that stays where it is costs one question, and no file is listed anew", async () => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one", "b.md": "two" })
      const before = await entriesOf(connect())
      const asked = server.requests.length
      expect(await entriesOf(connect())).toEqual(before)
      expect(server.requests.slice(asked).filter(({ body }) => body.includes("want "))).toEqual([])
    })

    test("a change gives one file another fingerprint, a rename none", async () => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one", "b.md": "two", "c.md": "three" })
      const before = await entriesOf(connect())
      repository.run("mv", "b.md", "moved.md")
      repository.commit({ "a.md": "changed", "c.md": null })
      const after = await entriesOf(connect())
      expect([...after.keys()].sort()).toEqual(["a.md", "moved.md"])
      expect(after.get("moved.md")!.fingerprint).toBe(before.get("b.md")!.fingerprint)
      expect(after.get("a.md")!.fingerprint).not.toBe(before.get("a.md")!.fingerprint)
      expect(await textOf(connect(), "a.md")).toBe("changed")
    })

    test("after a forced push the new commit counts; what is no more on the server is gone", async () => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one" })
      const former = (await entriesOf(connect())).get("a.md")!
      writeFileSync(join(repository.path, "a.md"), "other")
      repository.run("commit", "-qa", "--amend", "-m", "again")
      repository.run("reflog", "expire", "--expire=now", "--all")
      repository.run("gc", "-q", "--prune=now")
      expect(await textOf(connect(), "a.md")).toBe("other")
      expect(await contentOf(connect(), former)).toBeUndefined()
    })

    test("nothing is left of packs once the connector is closed, nor of those that a kill left", async () => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one" })
      mkdirSync(join(here.directory, "packs-of-another-process"))
      const connector = connect()
      const entry = (await entriesOf(connector)).get("a.md")!
      await connector.read(entry, new AbortController().signal) // left unread
      expect(readdirSync(here.directory)).not.toContain("packs-of-another-process")
      await connector.close!()
      const left = readdirSync(here.directory)
      const isWhole = "filters" in settings || "firstVersionOnly" in options
      // A whole commit waits for the next slice of the sync: see the tests of kept commits.
      expect(left.filter(name => !(isWhole && name.startsWith("packs-")))).toEqual(["listing.jsonl"])
    })
  })

  test.each(SERVERS.slice(1, 3))(
    "a sync in slices fetches a commit once, at a server %s",
    async (_, options, settings) => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "one", "b.md": "two" })
      const first = connect()
      const entries = await entriesOf(first)
      await first.close!()
      const asked = server.requests.length
      for (const [key, text] of [
        ["a.md", "one"],
        ["b.md", "two"],
      ]) {
        const next = connect()
        expect(String(await contentOf(next, entries.get(key!)!))).toBe(text!)
        await next.close!()
      }
      expect(server.requests.slice(asked).filter(({ body }) => body.includes("want "))).toEqual([])
      repository.commit({ "b.md": "three" })
      expect(await textOf(connect(), "b.md")).toBe("three")
    },
  )

  test("files that are wanted together are asked for together, and no others", async () => {
    const repository = serve().make("repo")
    repository.commit(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.md`, `number ${at}`])))
    const connector = connect()
    const entries = [...(await entriesOf(connector)).values()]
    const asked = server.requests.length
    await Promise.all(entries.slice(0, 32).map(entry => contentOf(connector, entry)))
    const bodies = server.requests.slice(asked).map(({ body }) => body)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]!.match(/want /g)).toHaveLength(32)
  })

  test("links and submodules are left out; programs are files", async () => {
    const repository = serve().make("repo")
    server.make("other").commit({ "x.md": "x" })
    symlinkSync("/etc/passwd", join(repository.path, "link.md"))
    writeFileSync(join(repository.path, "run.sh"), "echo")
    chmodSync(join(repository.path, "run.sh"), 0o755)
    repository.run(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(server.folder, "other"),
      "sub",
    )
    repository.commit()
    expect(await keysOf(connect())).toEqual([".gitmodules", "run.sh"])
  })

  test("names of any script are kept; bytes that are no UTF-8 are written out", async () => {
    const repository = serve().make("repo")
    const names = [
      "Ünïcode ß.md",
      "日本語/ファイル.md",
      "עברית.md",
      "emoji 😀.md",
      'quote"d.md',
      "tab\there.md",
      "new\nline.md",
    ]
    repository.commit(Object.fromEntries(names.map(name => [name, name])))
    const path = Buffer.concat([Buffer.from(`${repository.path}/caf`), Buffer.from([0xe9]), Buffer.from(".md")])
    writeFileSync(path, "latin")
    repository.commit()
    const connector = connect()
    const entries = await entriesOf(connector)
    expect([...entries.keys()].sort()).toEqual([...names, "caf%E9.md"].sort())
    for (const name of names) expect(String(await contentOf(connector, entries.get(name)!))).toBe(name)
  })

  test("a folder of the repository is a source of its own; without that folder nothing is listed", async () => {
    const repository = serve().make("repo")
    repository.commit({ "docs/a.md": "one", "docs/sub/b.md": "two", "other.md": "three" })
    expect(await keysOf(connect({ path: "/docs/" }))).toEqual(["a.md", "sub/b.md"])
    repository.commit({ "docs/a.md": null, "docs/sub/b.md": null })
    const error = await rejection(entriesOf(connect({ path: "docs" })))
    expect(error).toBeInstanceOf(Outage)
    expect((error as Error).message).toContain("no folder docs")
  })

  test.each(SERVERS.slice(0, 3))(
    "branches, tags and the main branch are told apart at a server %s",
    async (_, options, settings) => {
      const repository = serve(options).make("repo", settings)
      repository.commit({ "a.md": "tagged" })
      repository.run("tag", "-a", "v1", "-m", "a tag with words of its own")
      repository.commit({ "a.md": "main" })
      repository.run("checkout", "-q", "-b", "feature/x")
      repository.commit({ "a.md": "feature" })
      repository.run("checkout", "-q", "main")
      expect(await textOf(connect(), "a.md")).toBe("main")
      expect(await textOf(connect({ branch: "feature/x" }), "a.md")).toBe("feature")
      expect(await textOf(connect({ branch: "v1" }), "a.md")).toBe("tagged")
      repository.run("branch", "-qD", "feature/x")
      const error = await rejection(entriesOf(connect({ branch: "feature/x" })))
      expect(error).toBeInstanceOf(Outage)
      expect((error as Error).message).toBe("the repository has no branch feature/x")
    },
  )

  test("a repository without commits is an outage, not an empty source", async () => {
    serve().make("repo")
    expect(await rejection(entriesOf(connect()))).toBeInstanceOf(Outage)
  })

  test("user and password, or a token, are told to the server; wrong ones are an outage that says so", async () => {
    serve({ login: "oauth2:s3cret" }).make("repo").commit({ "a.md": "one" })
    expect(await keysOf(connect({}, { username: "oauth2", password: "s3cret" }))).toEqual(["a.md"])
    expect(await keysOf(connect({}, { token: "s3cret" }))).toEqual(["a.md"])
    for (const wrong of [undefined, { username: "oauth2", password: "guess" }]) {
      const error = await rejection(entriesOf(connect({}, wrong)))
      expect(error).toBeInstanceOf(Outage)
      expect((error as Error).message).toBe("the server refuses the user name, password or token")
    }
  })

  test("credentials stay with the server that they were given for", async () => {
    const elsewhere = new GitServer()
    try {
      elsewhere.make("repo").commit({ "a.md": "one" })
      serve()
      const seen: (string | null)[] = []
      elsewhere.intercept = request => void seen.push(request.headers.get("authorization")) as undefined
      server.intercept = (_, url) => Response.redirect(`${elsewhere.origin}${url.pathname}${url.search}`, 302)
      expect(await keysOf(connect({}, { token: "s3cret" }))).toEqual(["a.md"])
      expect(seen.length).toBeGreaterThan(1)
      expect(new Set(seen)).toEqual(new Set([null]))
    } finally {
      await elsewhere.close()
    }
  })

  test.each([
    ["an error of the server", () => new Response("no", { status: 500 }), "the server answered with status 500"],
    [
      "a page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      "there is no Git repository",
    ],
    [
      "what is no answer",
      () => new Response("hello", { headers: { "content-type": "application/x-git-upload-pack-advertisement" } }),
      "could not be read",
    ],
    ["a repository that is not there", () => new Response("", { status: 404 }), "there is no repository"],
  ])("%s is an outage", async (_, answer, words) => {
    serve().intercept = answer
    const error = await rejection(entriesOf(connect()))
    expect(error).toBeInstanceOf(Outage)
    expect((error as Error).message).toContain(words)
  })

  test.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    [
      "changed",
      (bytes: Buffer) =>
        Buffer.from(bytes.toString("latin1").replace(/PACK[\s\S]{30}/, `PACK${"x".repeat(30)}`), "latin1"),
    ],
  ])("a pack that is %s is an outage", async (_, spoiled) => {
    const repository = serve().make("repo")
    repository.commit({ "a.md": "one", "b.md": "two" })
    let isInner = false
    server.intercept = (request, url) => {
      if (isInner || !server.requests.at(-1)!.body.includes("want ")) return undefined
      const body = Buffer.from(server.requests.at(-1)!.body, "latin1")
      const relayed = new ReadableStream<Uint8Array>({
        async start(controller) {
          isInner = true
          const answer = await fetch(`${server.origin}${url.pathname}`, {
            method: "POST",
            headers: request.headers,
            body,
          })
          controller.enqueue(spoiled(Buffer.from(await answer.arrayBuffer())))
          controller.close()
        },
      })
      return new Response(relayed)
    }
    expect(await rejection(entriesOf(connect()))).toBeInstanceOf(Outage)
    expect(readdirSync(here.directory)).not.toContain("listing.jsonl")
  })

  test("a listing that was cut off on disk is no listing: an outage, and whole the next time", async () => {
    const repository = serve().make("repo")
    repository.commit({ "a.md": "one", "b.md": "two" })
    await entriesOf(connect())
    const path = join(here.directory, "listing.jsonl")
    const lines = (await Bun.file(path).text()).split("\n")
    writeFileSync(path, lines.slice(0, 2).join("\n"))
    expect(await rejection(entriesOf(connect()))).toBeInstanceOf(Outage)
    expect(await keysOf(connect())).toEqual(["a.md", "b.md"])
  })

  test("an end of the wait ends the transfer", async () => {
    serve().make("repo").commit({ "a.md": "one" })
    server.intercept = request =>
      request.method === "POST" ? new Response(new ReadableStream({ pull: () => new Promise(() => {}) })) : undefined
    const stop = new AbortController()
    const listing = rejection(entriesOf(connect(), stop.signal))
    setTimeout(() => stop.abort(new Error("enough")), 50)
    expect(((await listing) as Error).message).toBe("enough")
  })

  describe("large files that are kept in Git LFS", () => {
    const content = Buffer.from("the large file itself")
    const sha256 = createHash("sha256").update(content).digest("hex")
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${content.length}\n`

    function withStore(stored: Buffer | undefined): void {
      serve()
        .make("repo")
        .commit({ "big.pdf": pointer, "about.md": "version https://git-lfs.github.com/spec/v1 is LFS" })
      server.intercept = (_, { pathname }) => {
        if (pathname === "/store") return new Response(stored && new Uint8Array(stored))
        if (!pathname.endsWith("/repo.git/info/lfs/objects/batch")) return undefined
        if (!stored) return Response.json({ objects: [{ oid: sha256, error: { code: 404, message: "not here" } }] })
        return Response.json({ objects: [{ oid: sha256, actions: { download: { href: `${server.origin}/store` } } }] })
      }
    }

    test("are fetched in the place of their pointers", async () => {
      withStore(content)
      expect(await textOf(connect(), "big.pdf")).toBe(String(content))
      expect(await textOf(connect(), "about.md")).toContain("is LFS")
    })

    test("fail alone where the server has them not, or other ones", async () => {
      withStore(undefined)
      const error = await rejection(textOf(connect(), "big.pdf"))
      expect((error as AppError).code).toBe("not_found")
      expect((error as AppError).message).toContain("Git LFS")
      await server.close()
      withStore(Buffer.from("the large file, forged"))
      expect(((await rejection(textOf(connect(), "big.pdf"))) as AppError).code).toBe("file_too_large")
      await server.close()
      withStore(Buffer.from("the large file forged"))
      expect(((await rejection(textOf(connect(), "big.pdf"))) as AppError).message).toContain("another file")
    })
  })

  test("an address that may not be reached is refused when the source is made, and when it is listed", async () => {
    serve().make("repo").commit({ "a.md": "one" })
    const { parts, remove } = someParts([])
    try {
      const config = { url: server.url("repo") }
      expect(((await rejection(gitSource.admit!(config, parts))) as AppError).code).toBe("forbidden")
      expect(await rejection(entriesOf(opened(gitSource, parts, config)))).toBeInstanceOf(Outage)
      expect(server.requests).toEqual([])
    } finally {
      remove()
    }
  })

  test.each([
    [{ url: "ssh://host/repo.git" }, "config.url"],
    [{ url: "git@host:repo.git" }, "config.url"],
    [{ url: "https://user:password@host/repo.git" }, "config.url"],
    [{ url: "https://host/repo.git?x=1" }, "config.url"],
    [{ url: "https://host/repo.git", branch: "--upload-pack=x" }, "config.branch"],
    [{ url: "https://host/repo.git", branch: "a..b" }, "config.branch"],
    [{ url: "https://host/repo.git", branch: "a\nwant b" }, "config.branch"],
    [{ url: "https://host/repo.git", path: "../etc" }, "config.path"],
    [{ url: "https://host/repo.git", depth: 1 }, "config.depth"],
  ])("refuses %p", (config, field) => {
    expect(() => gitSource.config(new Fields("config", config))).toThrow(field)
  })
})
