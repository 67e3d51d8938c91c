/** Settings in `carrel.toml`, what wins over them, and what a wrong one does. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { readConfig } from "../../src/config.ts"
import { SETTINGS } from "../../src/config-settings.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"
import { carrel } from "./carrel.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "carrel-settings-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))
const write = (text: string) => writeFileSync(join(data, "carrel.toml"), text)
const read = (args: string[] = [], env: Record<string, string> = {}) => readConfig(["--data", data, ...args], env)

describe("carrel.toml", () => {
  test("gives what neither a flag nor a variable gives", () => {
    write(
      'port = 5001\nhost = "::1"\nlog_level = "warn" # quiet\nmax_uploads = 1_000\nollama_host = "box:1"\noffline = true\n',
    )
    const { config, sources } = read(["--host", "127.0.0.2"], { CARREL_LOG_LEVEL: "debug", OLLAMA_HOST: "other" })
    expect(config).toMatchObject({
      port: 5001,
      host: "127.0.0.2",
      log_level: "debug",
      max_uploads: 1_000,
      ollama_host: "http://other:11434",
      offline: true,
      data,
    })
    const { port, host, log_level, ollama_host, offline, rate_limit_per_minute } = sources
    expect([port, host, log_level, ollama_host, offline, rate_limit_per_minute]).toEqual([
      "carrel.toml",
      "--host",
      "CARREL_LOG_LEVEL",
      "OLLAMA_HOST",
      "carrel.toml",
      "default",
    ])
  })

  test("takes lists as arrays or as text, and paths from where it lies", () => {
    write(
      'trusted_proxies = ["127.0.0.1", "::0001"]\ncors_origins = "https://A.example.org/, http://b:8080"\nmodels_dir = "m"\n',
    )
    const { config } = read()
    expect(config.trusted_proxies).toEqual(["127.0.0.1", "::1"])
    expect(config.cors_origins).toEqual(["https://a.example.org", "http://b:8080"])
    expect(config.models_dir).toBe(join(data, "m"))
    expect(read(["--models-dir", "m"]).config.models_dir).toBe(resolve("m"))
  })

  test("in Windows line ends, with a byte order mark, or empty is read", () => {
    write("\ufeffport = 5001\r\nmax_uploads = 3\r\n")
    expect(read().config).toMatchObject({ port: 5001, max_uploads: 3 })
    write("")
    expect(read().config.port).toBe(4747)
    write('host = ""\n')
    expect(read().config.host).toBe("127.0.0.1")
  })

  test.each([
    ["# one\n\nprot = 1\n", 3, "prot: there is no such setting"],
    ["a\n", 1, ""],
    ['port = 1\nhost = "unfinished\nmax_uploads = 2\n', 2, ""],
    ['port = 1\nhost = """\nunfinished\n\n', 2, ""],
    ["port = 1\nport = 2\n", 2, "Cannot redefine"],
    ["port = 1\nrate-limit-per-minute = 3\n", 2, "rate-limit-per-minute: is written rate_limit_per_minute here"],
    ['\nport = "80"\n', 2, "port: must be a whole number, without quotes"],
    ["port = 80.5\n", 1, "port: must be a whole number, without quotes"],
    ["port = 99999\n", 1, "port: must be a whole number from 0 to 65535 (given: 99999)"],
    ['offline = "yes"\n', 1, "offline: must be true or false, without quotes"],
    ["host = 1\n", 1, "host: must be a string in quotes"],
    ["host = 1979-05-27\n", 1, "host: must be a string in quotes"],
    ["cors_origins = [\n  1,\n]\n", 1, "cors_origins: must be an array of strings"],
    ['port = 1\ntrusted_proxies = [\n  "127.0.0.1",\n  "banana",\n]\n', 2, "trusted_proxies: must be IP addresses"],
    ["[server]\nport = 1\n", 1, "server: there are no tables"],
    ["server.port = 1\n", 1, "server: there are no tables"],
    ['data = "/elsewhere"\n', 1, "data: cannot be set here"],
    ['toString = "x"\n', 1, "toString: there is no such setting"],
    ['openai_base_url = "ftp://x"\n', 1, "openai_base_url: must be an http or https address"],
  ])("%j stops whoever reads it and names line %d", (text, line, what) => {
    write(text)
    expect(() => read()).toThrow(`${join(data, "carrel.toml")}, line ${line}: ${what}`)
  })

  test("that is too large or no file is refused", () => {
    write(`# ${"x".repeat(70_000)}\n`)
    expect(() => read()).toThrow("larger than")
    rmSync(join(data, "carrel.toml"))
    mkdirSync(join(data, "carrel.toml"))
    expect(() => read()).toThrow("must be a file with settings")
  })

  test("with a mistake stops every command that reads it, and not help or those that touch no data", async () => {
    write("prot = 1\n")
    for (const command of ["keys list", "users list", "models", "doctor", "reindex", "settings", "serve"]) {
      const { code, out, err } = await carrel(command.split(" "), { data })
      expect([command, code, out]).toEqual([command, 2, ""])
      expect(err).toBe(`carrel: ${data}/carrel.toml, line 1: prot: there is no such setting; did you mean port?\n`)
    }
    for (const command of ["keys --help", "serve --help", "licenses", "version"])
      expect((await carrel(command.split(" "), { data })).code).toBe(0)
    expect(existsSync(join(data, "carrel.db"))).toBe(false)
  }, 60_000)
})

describe("a variable that is named like a setting and is none", () => {
  test.each([
    ["CARREL_PROT", "CARREL_PORT"],
    ["CARREL_RATE_LIMITS_PER_MINUTE", "CARREL_RATE_LIMIT_PER_MINUTE"],
    ["CARREL_ENFORCE_REDACTON", "CARREL_ENFORCE_REDACTION"],
    ["carrel_offline", "CARREL_OFFLINE"],
    ["CARREL_SOMETHING_ELSE", null],
  ])("%s changes nothing and is told, with the one that was meant", (name, meant) => {
    expect(read([], { [name]: "1", CARREL_PORT: "5000", PATH: "/bin" }).unknown).toEqual([{ name, meant }])
  })

  test("is named on standard error, without its value", async () => {
    const { code, err } = await carrel(["settings"], { data, env: { CARREL_OPENAI_API_KEYS: "hidden" } })
    expect(code).toBe(0)
    expect(err).toContain(
      "CARREL_OPENAI_API_KEYS is the name of no setting and changes nothing; CARREL_OPENAI_API_KEY is one",
    )
    expect(err).not.toContain("hidden")
  })
})

describe("the data directory", () => {
  test("is the flag's, else CARREL_DATA's, else ./data", async () => {
    const where = async (args: string[], env: Record<string, string>) =>
      JSON.parse((await carrel(["settings", "--json", ...args], { cwd: data, env })).out).data
    expect(await where(["--data", "flag"], { CARREL_DATA: "variable" })).toEqual({
      value: join(data, "flag"),
      source: "--data",
    })
    expect(await where([], { CARREL_DATA: "variable" })).toEqual({
      value: join(data, "variable"),
      source: "CARREL_DATA",
    })
    expect(await where([], {})).toEqual({ value: join(data, "data"), source: "default" })
    expect((await carrel(["settings", "--data="], { cwd: data })).err).toContain("--data: must name a directory")
  }, 20_000)
})

describe("carrel settings", () => {
  test("shows what is set, from where, and no secret", async () => {
    write('port = 5001\nopenai_api_key = "sk-secret"\n')
    const { out } = await carrel(["settings"], { data, env: { CARREL_MAX_UPLOADS: "7" } })
    expect(out).toMatch(/^port +5001 +carrel\.toml$/m)
    expect(out).toMatch(/^max_uploads +7 +CARREL_MAX_UPLOADS$/m)
    expect(out).toMatch(/^openai_api_key +… +carrel\.toml$/m)
    expect(out).not.toContain("rate_limit_per_minute")
    const all = await carrel(["settings", "--all"], { data })
    for (const name of Object.keys(SETTINGS)) expect(all.out).toMatch(new RegExp(`^${name} `, "m"))
    expect(all.out + (await carrel(["settings", "--json"], { data })).out).not.toContain("sk-secret")
  })

  test("prints a template that is a valid file, as it is and with every mark taken off", async () => {
    const { out } = await carrel(["settings", "--template"], { data })
    write(out)
    expect(read().config).toEqual(readConfig(["--data", data], {}, { settingsFile: false }).config)
    write(out.replace(/^# (?=[a-z_]+ = )/gm, ""))
    const { config, sources } = read()
    expect(config).toEqual(readConfig(["--data", data], {}, { settingsFile: false }).config)
    expect(sources.port).toBe("carrel.toml")
  })
})

describe("a value that stops the start", () => {
  test.each([
    ["--trusted-proxies banana", "--trusted-proxies: must be IP addresses"],
    ["--trusted-proxies 10.0.0.0/8", "--trusted-proxies: must be IP addresses"],
    ["--cors-origins banana", "--cors-origins: must be origins"],
    ["--cors-origins *", "--cors-origins: must be origins"],
    ["--cors-origins https://a.example/path", "--cors-origins: must be origins"],
    ["--ocr-languages /nope", "--ocr-languages: /nope does not exist"],
    ["--ocr-languages /dev/null", "--ocr-languages: /dev/null is no folder"],
    ["--ocr-languages /proc/self/task", "holds no NAME.traineddata"],
    ["--models-dir /nope", "--models-dir: /nope does not exist"],
    ["--default-model ollama/", "--default-model: must be a model"],
    ["--default-model builtin/nope", '--default-model: there is no model "builtin/nope"; there are builtin/extractive'],
    ["--keep-alive banana", "--keep-alive: must be a duration"],
    ["--embedding-model nope", 'there is no embedding model "nope"'],
    ["--tls-cert /nope", "--tls-cert and --tls-key go together"],
    ["--tls-cert /etc/hostname --tls-key /etc/hostname", "--tls-cert: the file holds no certificate in PEM form"],
    ["--host banana", "--host: banana is not an address of this machine"],
    ["--log-format loud", "--log-format: must be one of auto, pretty, json"],
  ])("%s is named, and no data directory is left", async (flags, message) => {
    const fresh = join(data, "parent", "fresh")
    const { code, out, err } = await carrel(["serve", "--port", "0", ...flags.split(" ")], { data: fresh })
    expect([code, out]).toEqual([2, ""])
    expect(err).toStartWith("carrel: ")
    expect(err).toContain(message)
    expect(existsSync(join(data, "parent"))).toBe(false)
  })

  test("is an unknown default model of a server that answers; one that does not answer may have it", async () => {
    const ollama = await startOllama([LLAMA])
    const url = ollama.server.url
    try {
      const { code, err } = await carrel(["serve", "--port", "0", "--default-model", "nope"], {
        data,
        env: { CARREL_OLLAMA_HOST: url },
      })
      expect([code, err]).toEqual([
        2,
        `carrel: --default-model: there is no model "nope"; there are ollama/${LLAMA.name}, builtin/extractive\n`,
      ])
      const daemon = await startDaemon(["--ollama-host", url, "--default-model", LLAMA.name])
      const models = await daemon.call("GET", "/models")
      expect(JSON.stringify(models)).toContain(`"value":"ollama/${LLAMA.name}"`)
      await daemon.remove()
    } finally {
      ollama.server.stop()
    }
    const later = await startDaemon(["--default-model", "nope"])
    await later.remove()
  }, 60_000)
})

describe("commands beside a daemon", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon()
  }, 60_000)
  afterAll(() => daemon.remove())

  test("know where it listens, also from a flag that only it was given; after a kill its note is not believed", async () => {
    const { out } = await daemon.run("users", "setup-link")
    expect(out).toStartWith(`${daemon.url}/setup?token=`)
    expect((await daemon.run("doctor")).out).toContain(`daemon: runs at ${daemon.url} (process ${daemon.pid}`)
    await daemon.kill()
    expect(existsSync(join(daemon.data, "daemon.json"))).toBe(true)
    expect((await daemon.run("users", "setup-link")).out).toStartWith("http://127.0.0.1:4747/setup?token=")
    expect((await daemon.run("doctor")).out).toContain("daemon: not running")
    await daemon.start()
    expect((await daemon.run("users", "setup-link")).out).toStartWith(`${daemon.url}/setup?token=`)
    await daemon.stop()
    expect(existsSync(join(daemon.data, "daemon.json"))).toBe(false)
  }, 60_000)

  test("the doctor names what keeps it from starting", async () => {
    const own = mkdtempSync(join(tmpdir(), "carrel-settings-"))
    writeFileSync(join(own, "carrel.toml"), 'ocr_languages = "/nope"\n')
    const { code, out } = await carrel(["doctor"], { data: own })
    expect(code).toBe(1)
    expect(out).toContain("PROBLEM settings: --ocr-languages: /nope does not exist")
    rmSync(own, { recursive: true })
  })

  test("use its settings: the doctor its model server, the setup link its address", async () => {
    const ollama = await startOllama([LLAMA])
    try {
      writeFileSync(
        join(daemon.data, "carrel.toml"),
        `app_url = "https://carrel.example.org/"\nopenai_base_url = "http://127.0.0.1:9/v1"\nollama_host = "${ollama.server.url}"\n`,
      )
      const own = { data: daemon.data, env: { CARREL_OLLAMA_HOST: "" } }
      expect((await carrel(["users", "setup-link"], own)).out).toStartWith("https://carrel.example.org/setup?token=")
      const doctor = (await carrel(["doctor"], own)).out
      expect(doctor).toContain(`chat models: ollama/${LLAMA.name}`)
      expect(doctor).toContain("ollama_host from carrel.toml")
    } finally {
      ollama.server.stop()
    }
  }, 60_000)

  test("survive a backup: the settings come back with it", async () => {
    const file = join(data, "b.tar")
    expect((await daemon.run("backup", file)).code).toBe(0)
    const restored = join(data, "restored")
    expect((await carrel(["restore", file], { data: restored })).code).toBe(0)
    expect(readFileSync(join(restored, "carrel.toml"), "utf8")).toContain("app_url")
  }, 60_000)
})

test("the page of settings is right about files, formats and the unit", () => {
  const page = readFileSync(resolve(import.meta.dir, "../../docs/settings.md"), "utf8")
  const example = /```toml\n(.*?)```/s.exec(page)![1]!
  write(example)
  expect(Object.values(read().sources).filter(source => source === "carrel.toml")).toHaveLength(7)
  const unit = readFileSync(resolve(import.meta.dir, "../../deploy/carrel.service"), "utf8")
  expect(unit).toContain("/var/lib/carrel/carrel.toml")
  expect([...unit.matchAll(/^ExecStart=.*/gm)].map(([line]) => line)).toEqual([
    "ExecStart=/usr/local/bin/carrel serve --data /var/lib/carrel",
  ])
})
