/** The command line as a user calls it, from source. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readConfig, settingsHelp } from "../../src/config.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { carrel } from "./carrel.ts"

describe("settings", () => {
  test("come from flags over the environment over defaults", () => {
    const env = { CARREL_PORT: "5000", CARREL_RATE_LIMIT_PER_MINUTE: "7", OLLAMA_HOST: "0.0.0.0" }
    const { config, rest } = readConfig(["--port", "6000", "--offline", "word"], env)
    expect(config).toMatchObject({ port: 6000, rate_limit_per_minute: 7, offline: true, host: "127.0.0.1" })
    expect(config.ollama_host).toBe("http://127.0.0.1:11434")
    expect(rest).toEqual(["word"])
  })

  test.each([
    [["--port", "99999"], {}, "--port: must be a whole number from 0 to 65535"],
    [["--ollama-host", "ht!tp://x y"], {}, "--ollama-host: must be an http or https address"],
    [["--ollama-host=ftp://127.0.0.1"], {}, "--ollama-host: must be an http or https address"],
    [["--port"], {}, "--port: needs a value"],
    [[], { CARREL_PORT: "x" }, "CARREL_PORT: must be a whole number"],
    [["--log-level=loud"], {}, "--log-level: must be one of debug, info, warn, error"],
    [[], { CARREL_OFFLINE: "perhaps" }, "CARREL_OFFLINE: must be true or false"],
  ] as [string[], Record<string, string>, string][])(
    "%p %p stop the start with name and rule",
    (args, env, message) => {
      expect(() => readConfig(args, env)).toThrow(message)
    },
  )

  test("each have a flag, a variable and a help line", () => {
    const help = settingsHelp()
    for (const [flag] of help.matchAll(/^ {2}--[a-z-]+/gm))
      expect(help).toContain(`CARREL_${flag.trim().slice(2).replaceAll("-", "_").toUpperCase()}`)
  })
})

describe("the command line", () => {
  test("helps, and refuses what it does not know", async () => {
    const help = await carrel(["--help"])
    expect([help.code, help.err]).toEqual([0, ""])
    for (const name of ["serve", "keys", "users", "models", "doctor", "backup", "restore", "version"])
      expect(help.out).toContain(name)
    const unknown = await carrel(["bogus"])
    expect(unknown.code).toBe(2)
    expect(unknown.err).toContain('there is no command "bogus"\n')
    expect((await carrel(["srve"])).err).toContain('there is no command "srve"; did you mean serve?\n')
    const inherited = await carrel(["constructor"])
    expect([inherited.code, inherited.err.split("\n")[0]]).toEqual([2, 'carrel: there is no command "constructor"'])
    expect((await carrel(["help", "bogus"])).code).toBe(2)
    const option = await carrel(["keys", "list", "--bogus"])
    expect([option.code, option.out]).toEqual([2, ""])
    expect(option.err).toBe("carrel: unknown option --bogus\n")
  })

  test.each([
    "serve",
    "keys",
    "users",
    "models",
    "packs",
    "doctor",
    "backup",
    "restore",
    "verify",
    "reindex",
    "eval",
    "settings",
    "licenses",
    "version",
  ])("%s --help and -h say how it is used", async name => {
    for (const words of [
      [name, "--help"],
      [name, "-h"],
      ["help", name],
    ]) {
      const { code, out, err } = await carrel(words)
      expect([code, err]).toEqual([0, ""])
      expect(out).toContain(`Usage: carrel ${["restore", "verify"].includes(name) ? "backup" : name}`)
    }
  })

  test("a mistyped data directory is said and not made", async () => {
    const data = join(tmpdir(), `carrel-never-${crypto.randomUUID()}`)
    const commands = [
      "keys list",
      "keys revoke key_x",
      "users list",
      "users setup-link",
      "reindex",
      "reindex --model x",
    ]
    for (const words of [...commands, "backup b.tar", "eval questions.jsonl"].map(line => line.split(" "))) {
      const { code, out, err } = await carrel(words, { data })
      expect([code, out, err]).toEqual([
        2,
        "",
        `carrel: there is no Carrel in ${data}; name its directory with --data\n`,
      ])
    }
    expect(existsSync(data)).toBe(false)
  })

  test("version is one line", async () => {
    expect((await carrel(["version"])).out).toMatch(/^\d+\.\d+\.\d+(\+\w+)?\n$/)
  })

  test("a wrong setting stops the daemon before it makes anything", async () => {
    const data = join(tmpdir(), `carrel-never-${crypto.randomUUID()}`)
    const { code, err } = await carrel(["serve", "--rate-limit-per-minute", "0"], { data })
    expect(code).toBe(2)
    expect(err).toBe('carrel: --rate-limit-per-minute: must be a whole number from 1 to 1000000 (given: "0")\n')
    expect(await Bun.file(join(data, "carrel.db")).exists()).toBe(false)
  })
})

describe("a daemon that cannot listen", () => {
  const data = join(tmpdir(), `carrel-never-${crypto.randomUUID()}`)
  afterEach(() => expect(existsSync(data)).toBe(false))

  test("says that its port is taken, leaves it to its holder, and no data directory behind", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", reusePort: true, fetch: () => new Response("other") })
    try {
      const { code, err } = await carrel(["serve", "--port", String(other.port)], { data })
      expect(code).toBe(1)
      expect(err).toContain(`carrel: --port: something is already listening on 127.0.0.1:${other.port}\n`)
    } finally {
      other.stop(true)
    }
  })

  test("says that its address is none, and what its configuration lacks", async () => {
    const host = await carrel(["serve", "--port", "0", "--host", "192.0.2.1"], { data })
    expect([host.code, host.err]).toEqual([
      2,
      "carrel: --host: 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)\n",
    ])
    const tools = await carrel(["serve", "--port", "0", "--mcp-config", "/nowhere.json"], { data })
    expect(tools.code).toBe(2)
    expect(tools.err).toStartWith("carrel: --mcp-config /nowhere.json: ")
  })
})

describe("keys and users", () => {
  let data: string
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), "carrel-cli-"))
  })
  afterAll(() => rmSync(data, { recursive: true, force: true }))

  test("a key is made, listed without its secrets, and revoked", async () => {
    const made = await carrel(
      [
        "keys",
        "create",
        "--name",
        "ci",
        "--workspace",
        "lab",
        "--scopes",
        "search,chat",
        "--expires-at",
        "2999-01-01T00:00:00Z",
        "--rate-limit-per-minute",
        "5",
        "--json",
      ],
      { data },
    )
    const key = JSON.parse(made.out)
    expect(key).toMatchObject({
      name: "ci",
      workspace: "lab",
      scopes: ["search", "chat"],
      rate_limit_per_minute: 5,
      expires_at: "2999-01-01T00:00:00.000Z",
    })
    expect(key.private_key).toMatch(/^cpk_.{32,}/)
    const list = await carrel(["keys", "list", "--json"], { data })
    expect(list.out).not.toContain(key.private_key)
    expect(list.out).not.toContain(key.secret)
    expect(JSON.parse(list.out)).toHaveLength(1)
    expect((await carrel(["keys", "revoke", key.client_id], { data })).code).toBe(0)
    expect(JSON.parse((await carrel(["keys", "list", "--json"], { data })).out)[0].revoked_at).toBeString()
  })

  test.each([
    [["keys", "create"], "--name is required"],
    [["keys", "create", "--name", "x", "--scopes", "everything"], "scopes: everything is not one of"],
    [["keys", "create", "--name", "x", "--expires-at", "2001-01-01"], "expires_at: must be in the future"],
    [["keys", "create", "--name", "x", "--contexts", "a b"], "context_ids: must be 1 to 128 letters"],
    [["keys", "create", "--name", "x", "--filter", "{"], "--filter must be JSON"],
    [["keys", "create", "--name", "x", "--filter", '{"type": "eq"}'], "filter.key"],
  ] as [string[], string][])("%p says what is wrong", async (args, message) => {
    const { code, out, err } = await carrel(args, { data })
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })

  test("a key is made that sees a part of the library and uses some models", async () => {
    const filter = { type: "eq", key: "metadata.public", value: true }
    const narrowing = ["--contexts", "a, b", "--models", "ollama/*", "--filter", JSON.stringify(filter)]
    const { out } = await carrel(["keys", "create", "--name", "narrow", ...narrowing, "--json"], { data })
    const key = JSON.parse(out)
    expect(key).toMatchObject({ context_ids: ["a", "b"], models: ["ollama/*"], filter })
    expect(key.token).toBe(`${key.client_id}.${key.private_key}.${key.secret}`)
    const table = (await carrel(["keys", "list"], { data })).out
    expect(table).toMatch(/ all +contexts a,b; models ollama\/\*; a filter +active /)
    await carrel(["keys", "revoke", key.id], { data })
  })

  test("a key is shown once, each part and all of it as one token", async () => {
    const { out } = await carrel(["keys", "create", "--name", "shown"], { data })
    const { id, client_id, private_key, secret, token } = Object.fromEntries(
      out
        .trimEnd()
        .split("\n")
        .map(line => line.split(/ +/)),
    )
    expect(token).toBe(`${client_id}.${private_key}.${secret}`)
    await carrel(["keys", "revoke", id], { data })
  })

  test("a key that is not there is not revoked: nothing was wrong with the command line", async () => {
    const { code, out, err } = await carrel(["keys", "revoke", "key_none"], { data })
    expect([code, out]).toEqual([1, ""])
    expect(err).toBe("carrel: there is no key key_none\n")
  })

  test("a user's password is read from standard input", async () => {
    const link = await carrel(["users", "setup-link"], { data })
    expect(link.out).toMatch(/^http:\/\/127\.0\.0\.1:4747\/setup\?token=/)
    const added = await carrel(["users", "add", "--email", "a@example.com", "--admin"], {
      data,
      input: "correct horse battery\n",
    })
    expect([added.code, added.err]).toEqual([0, ""])
    expect((await carrel(["users", "list"], { data })).out).toContain("a@example.com")
    const groups = (...change: string[]) => carrel(["users", "groups", "--email", "a@example.com", ...change], { data })
    expect(await groups("--add", "hr,it")).toMatchObject({ code: 0, out: "hr\nit\n" })
    expect(await groups("--add", "board", "--remove", "it,none")).toMatchObject({ code: 0, out: "board\nhr\n" })
    expect(await groups()).toMatchObject({ code: 0, out: "board\nhr\n" })
    expect(await groups("--add", "h r")).toMatchObject({ code: 2, out: "" })
    expect((await carrel(["users", "list"], { data })).out).toContain("board,hr")
    const claimed = await carrel(["users", "setup-link"], { data })
    expect([claimed.code, claimed.err]).toEqual([1, expect.stringContaining("already has an administrator")])
  })
})

describe("a running daemon", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon()
  })
  afterAll(() => daemon.remove())

  test("keeps a second one off its data directory", async () => {
    const { code, err } = await carrel(["serve", "--port", "0"], { data: daemon.data })
    expect(code).toBe(1)
    expect(err).toBe(`carrel: another Carrel is running on ${daemon.data}: ${daemon.url} (process ${daemon.pid})\n`)
  })

  test("is joined by keys made, and left by keys revoked, beside it", async () => {
    const key = JSON.parse((await daemon.run("keys", "create", "--name", "beside", "--json")).out)
    const ask = () =>
      fetch(`${daemon.url}/external/models`, {
        headers: { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret },
      })
    expect((await ask()).status).toBe(200)
    await daemon.run("keys", "revoke", key.id)
    expect((await ask()).status).toBe(401)
  })

  test("is examined by the doctor, and ends in order", async () => {
    const doctor = JSON.parse((await daemon.run("doctor", "--json")).out)
    expect(doctor.findings.filter((finding: { state: string }) => finding.state === "ok").length).toBeGreaterThan(3)
    expect(await daemon.stop()).toBe(0)
  })
})
