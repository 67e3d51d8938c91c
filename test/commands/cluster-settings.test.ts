/** Settings of several machines: which go together, what their addresses may be, and that no password is shown. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { amazonCredentials, readConfig } from "../../src/config.ts"
import { engineAddresses, withoutPassword } from "../../src/config-engines.ts"
import { clusterOf, enginesOf } from "../../src/configured-cluster.ts"
import { carrel } from "./carrel.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "carrel-engines-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = "0123456789abcdef0123456789abcdef"
/** A file of this text, for its owner alone. */
function file(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const ALL = {
  CARREL_DATABASE_URL: "postgres://carrel:p%40ss@db:6000/records?sslmode=require",
  CARREL_BLOB_URL: "s3://KEY:se%2Fcret@bucket/some/where/?endpoint=http://store:8333&region=eu-1",
  CARREL_SEARCH_URL: "opensearch+https://finder:p%3Ass@search:9200/",
  CARREL_NODE_URL: "http://10.0.0.5:4747",
}
const withSecret = () => ({ ...ALL, CARREL_CLUSTER_SECRET_FILE: file("secret", `${SECRET}\n`) })
const read = (env: Record<string, string>, ...args: string[]) => readConfig(["--data", folder, ...args], env).config
const cluster = (env: Record<string, string>, ...args: string[]) => clusterOf(read(env, ...args))

describe("settings of several machines", () => {
  test("are none on one machine", () => {
    expect(cluster({})).toBeUndefined()
    expect(enginesOf(read({}))).toBeUndefined()
  })

  test("give addresses and passwords apart, as drivers take them", () => {
    expect(cluster(withSecret(), "--role", "worker", "--node-name", "b1")).toEqual({
      engines: {
        database: ALL.CARREL_DATABASE_URL,
        blobs: {
          bucket: "bucket",
          prefix: "some/where",
          region: "eu-1",
          endpoint: "http://store:8333",
          pathStyle: true,
          credentials: { accessKeyId: "KEY", secretAccessKey: "se/cret" },
        },
        search: { url: "https://search:9200", prefix: "carrel", credentials: { user: "finder", password: "p:ss" } },
      },
      node: { name: "b1", url: "http://10.0.0.5:4747", role: "worker" },
      secret: SECRET,
    })
    expect(cluster(withSecret())!.node).toMatchObject({ name: hostname(), role: "all" })
  })

  test("take passwords from files", () => {
    const [one, two, three] = ["a@b", "c/d", "e:f"].map((text, i) => file(`password${i}`, `${text}\n`))
    const engines = enginesOf(
      read({
        CARREL_DATABASE_URL: `postgresql://carrel@db/records?password_file=${one}`,
        CARREL_BLOB_URL: `s3://KEY@bucket?region=eu-1&path_style=false&password_file=${two}`,
        CARREL_SEARCH_URL: `https://finder@search?prefix=two&password_file=${three}`,
      }),
    )!
    expect(engines.database).toBe(`postgresql://carrel@db/records?password_file=${one}`)
    expect(engines.blobs).toEqual({
      bucket: "bucket",
      prefix: "",
      region: "eu-1",
      pathStyle: false,
      credentials: { accessKeyId: "KEY", secretAccessKey: "c/d" },
    })
    expect(engines.search).toEqual({
      url: "https://search",
      prefix: "two",
      credentials: { user: "finder", password: "e:f" },
    })
  })

  test("take the object storage's credentials from a file or the variables of Amazon's tools, and name what is missing", () => {
    const credentials = (url: string, env = {}) =>
      engineAddresses(
        { database: ALL.CARREL_DATABASE_URL, blobs: url, search: ALL.CARREL_SEARCH_URL },
        amazonCredentials(env),
      ).blobs.credentials
    const amazon = { AWS_ACCESS_KEY_ID: "ID", AWS_SECRET_ACCESS_KEY: "own", AWS_SESSION_TOKEN: "token" }
    const own = { accessKeyId: "ID", secretAccessKey: "own", sessionToken: "token" }
    expect(credentials("s3://bucket?region=eu-1", amazon)).toEqual(own)
    expect(credentials("s3://KEY:secret@bucket?region=eu-1", amazon)).toEqual({
      accessKeyId: "KEY",
      secretAccessKey: "secret",
    })
    expect(credentials("s3://bucket?region=eu-1&credentials_file=/c", amazon)).toEqual({ file: "/c" })
    expect(() => credentials("s3://bucket?region=eu-1")).toThrow("--blob-url: there are no credentials")
    expect(() => credentials("s3://KEY@bucket?region=eu-1", amazon)).toThrow("--blob-url: there are no credentials")
  })

  test.each([
    [["CARREL_BLOB_URL"], "--blob-url"],
    [["CARREL_DATABASE_URL", "CARREL_SEARCH_URL"], "--database-url and --search-url"],
    [["CARREL_NODE_URL", "CARREL_CLUSTER_SECRET_FILE"], "--node-url and --cluster-secret-file"],
    [
      ["CARREL_DATABASE_URL", "CARREL_BLOB_URL", "CARREL_SEARCH_URL", "CARREL_NODE_URL"],
      "--database-url, --blob-url, --search-url, and --node-url",
    ],
  ])("without %j are refused, which is named", (without, missing) => {
    const given = Object.fromEntries(Object.entries(withSecret()).filter(([name]) => !without.includes(name)))
    expect(() => cluster(given)).toThrow(new RegExp(`need(s)? ${missing} as well`))
  })

  test.each(["http://user:password@10.0.0.5:4747", "http://10.0.0.5:4747/path", "http://10.0.0.5:4747/?a=b"])(
    "of a node's own address are its origin alone: %s",
    address => {
      expect(() => cluster({ ...withSecret(), CARREL_NODE_URL: address })).toThrow(/without user, path and query/)
    },
  )

  test("of a role need the others", () => {
    expect(() => cluster({}, "--role", "api")).toThrow("--role: one machine does all")
  })

  test.each([
    ["short", 0o600, "holds fewer than 32 bytes"],
    [SECRET, 0o604, "can be read by every user of this machine"],
    ["", 0o600, "is empty"],
  ])("with a secret file of %j and mode %o are refused", (text, mode, why) => {
    const path = file("secret", text, mode)
    expect(() => cluster({ ...ALL, CARREL_CLUSTER_SECRET_FILE: path })).toThrow(`--cluster-secret-file: ${path} ${why}`)
  })

  test("with a secret or password file that is not there are refused", () => {
    expect(() => cluster({ ...ALL, CARREL_CLUSTER_SECRET_FILE: "/nope" })).toThrow("/nope does not exist")
    const env = { ...withSecret(), CARREL_DATABASE_URL: "postgres://db/records?password_file=/nope" }
    expect(() => cluster(env)).toThrow("--database-url: /nope does not exist")
  })
})

describe("an address of an engine", () => {
  test.each([
    ["database", "mysql://db/records", "must be the address of a PostgreSQL database"],
    ["database", "postgres://db", "must be the address of a PostgreSQL database"],
    ["database", "postgres://carrel:50%off@db/records", "must have % before two hexadecimal digits"],
    ["database", "postgres://carrel:a#b@db/records", "must be the address of a PostgreSQL database"],
    ["database", "postgres://c:p@db/records?password_file=/f", "must have a password or a password_file, not both"],
    ["blob", "https://bucket", "must be a bucket"],
    ["blob", "s3://?region=eu-1", "must be a bucket"],
    ["blob", "s3://bucket", "must name its region"],
    ["blob", "s3://bucket?endpoint=store:8333", "must name an http or https address as its endpoint"],
    ["blob", "s3://bucket?region=eu-1&regoin=eu-1", 'must have no parameter "regoin"'],
    ["blob", "s3://bucket?region=eu-1&path_style=yes", "must have true or false as path_style"],
    [
      "blob",
      "s3://KEY@bucket?region=eu-1&credentials_file=/f",
      "must have an access key or a credentials_file, not both",
    ],
    ["blob", "s3://:secret@bucket?region=eu-1", "must name the access key"],
    ["search", "search:9200", "must be the address of OpenSearch"],
    ["search", "https://search?prefix=Own", "must have a prefix of small letters"],
    ["search", "https://:secret@search", "must name the user"],
  ])("%s-url %j is refused: %s", (engine, url, rule) => {
    const flag = `--${engine}-url`
    expect(() => readConfig([flag, url, "--data", folder], {})).toThrow(`${flag}: ${rule}`)
    // What is wrong may be the password's own signs.
    expect(() => readConfig([flag, url, "--data", folder], {})).toThrow("(given: …)")
  })

  test("may lead to a socket of this machine", () => {
    expect(read({ CARREL_DATABASE_URL: "postgres:///records?host=/run/postgresql" }).database_url).not.toBe("")
  })
})

describe("a password in an address", () => {
  test.each([
    ["postgres://carrel:hunter2@db/records", "postgres://carrel:…@db/records"],
    ["postgres://db/records?user=carrel&password=hunter2", "postgres://db/records?user=carrel&password=…"],
    ["s3://KEY:hunter2@bucket?region=eu-1", "s3://KEY:…@bucket/?region=eu-1"],
    ["https://finder:hunter2@search:9200", "https://finder:…@search:9200/"],
    ["https://finder@search:9200", "https://finder@search:9200"],
    ["postgres://car rel:hunter2@", "…"],
  ])("is not shown: %s", (url, shown) => expect(withoutPassword(url)).toBe(shown))

  test("is shown by no command, and one in the command line is warned of", async () => {
    const env = Object.fromEntries(
      Object.entries(ALL).map(([name, url]) => [name, url.replace(/:[^:@]*@/, ":hunter2@")]),
    )
    writeFileSync(join(folder, "carrel.toml"), 'blob_url = "s3://KEY:hunter2@bucket?region=eu-1"\n')
    const all = [
      await carrel(["settings", "--all"], { data: folder, env }),
      await carrel(["settings", "--json"], { data: folder }),
      await carrel(["serve", "--port", "0"], { data: folder, env }),
      await carrel(["settings", "--database-url", "postgres://carrel:hunter2@"], { data: folder }),
      await carrel(["settings", "--database-url", env.CARREL_DATABASE_URL!], { data: folder }),
    ]
    expect(JSON.stringify(all)).not.toContain("hunter2")
    expect(all[0]!.out).toContain("postgres://carrel:…@db:6000/records")
    expect(all[2]!.err).toContain("need --cluster-secret-file as well")
    expect(all.map(({ code }) => code)).toEqual([0, 0, 2, 2, 0])
    expect(all[0]!.err).not.toContain("process list")
    expect(all[4]!.err).toContain("--database-url holds a secret that every user of this machine sees")
    expect(existsSync(join(folder, "carrel.db"))).toBe(false)
  }, 60_000)
})
