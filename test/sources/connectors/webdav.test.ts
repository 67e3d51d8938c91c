import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Outage } from "../../../src/sources/connector.ts"
import { webdavSource } from "../../../src/sources/connectors/webdav.ts"
import { entriesOf, opened, reaching, textOf } from "../../support/connectors.ts"
import { rejection } from "../../support/rejection.ts"
import { CREDENTIALS, WEBDAV_SERVERS, type WebdavServerName, webdavServer } from "../../support/webdav-servers.ts"

const HERE = reaching("127.0.0.1", "localhost", "*.localhost")

const room = mkdtempSync(join(tmpdir(), "carrel-webdav-files-"))
afterAll(() => rmSync(room, { recursive: true, force: true }))
chmodSync(room, 0o755) // Apache reads as another user
let count = 0

/** A folder with files, each of which holds its own name unless told. Changed long ago: what is listed then is settled. */
function folderOf(names: readonly string[]): string {
  const folder = join(room, String(++count))
  mkdirSync(folder, { mode: 0o755 })
  for (const name of names) put(folder, name)
  return folder
}

function put(folder: string, name: string, content = name, ageS = 3_600): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, Date.now() / 1000 - ageS, Date.now() / 1000 - ageS)
}

/** What people and programs call their files. */
const NAMES = [
  "plain.txt",
  "with space.txt",
  " before and after .txt",
  "jürgen ł 漢字 🎉 عربي.txt",
  "nfd e\u0301.txt",
  "100%.txt",
  "a+b&c#d?e;f=g.txt",
  "back\\slash\\\\twice.txt",
  "'quote\" <tag>.txt",
  "~!$()*,:@[]{}|^`.txt",
  "2024.10",
  "123",
  "folder 100%/ü/deep.txt",
  "folder#1/a.txt",
  "folder#1/b?.txt",
]

describe.each(Object.keys(WEBDAV_SERVERS) as WebdavServerName[])("a folder of %s", name => {
  const lacks = WEBDAV_SERVERS[name].lacks()
  if (lacks) console.log(`${name}: skipped, because ${lacks}`)
  const serving = (folder: string) => webdavServer(name, folder)
  const opening = (url: string) => opened(webdavSource, HERE, { url }, CREDENTIALS)

  test.skipIf(!!lacks)("is listed with names of every kind, and each is read by its key", async () => {
    const folder = folderOf(NAMES)
    mkdirSync(join(folder, "empty"))
    await using server = await serving(folder)
    const connector = opening(server.url)
    const entries = await entriesOf(connector)
    expect([...entries.keys()].sort()).toEqual([...NAMES].sort())
    for (const key of NAMES) {
      expect(await textOf(connector, key)).toBe(key)
      expect(entries.get(key)).toMatchObject({ size: Buffer.byteLength(key), name: key.split("/").at(-1)! })
      expect(Date.parse(entries.get(key)!.updatedAt!)).toBeWithin(Date.now() - 3_700_000, Date.now() - 3_500_000)
    }
  })

  test.skipIf(!!lacks)("keeps apart names that look like escapes, and bytes that are no UTF-8", async () => {
    const folder = folderOf(["%41.txt", "A.txt", "%2F.txt", "%E9.txt"])
    const latin = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xe9]), Buffer.from(".txt")])
    writeFileSync(latin, "latin")
    await using server = await serving(folder)
    const connector = opening(server.url)
    if (name === "SabreDAV") {
      // It cannot tell of the last one, and then nobody knows what else there is.
      expect((await rejection(entriesOf(connector))).message).toContain(
        "has no name to tell of something in the folder",
      )
      rmSync(latin)
    } else expect((await entriesOf(connector)).has("%E9.txt")).toBe(true)
    const entries = await entriesOf(connector)
    expect(entries.get("%2541.txt")?.name).toBe("%41.txt")
    expect(["%2541.txt", "%25E9.txt", "%252F.txt", "A.txt"].every(key => entries.has(key))).toBe(true)
    expect(await textOf(connector, "%2541.txt")).toBe("%41.txt")
    expect(await textOf(connector, "A.txt")).toBe("A.txt")
    expect(await textOf(connector, "%25E9.txt")).toBe("%E9.txt")
    // rclone reads names as UTF-8 throughout, and does not find this one again.
    if (name !== "rclone" && name !== "SabreDAV") expect(await textOf(connector, "%E9.txt")).toBe("latin")
  })

  test.skipIf(!!lacks)("gives a file another fingerprint when it changes, and only then", async () => {
    const folder = folderOf(["kept.txt", "longer.txt", "same size.txt", "old/moved.txt"])
    await using server = await serving(folder)
    const connector = opening(server.url)
    const before = await entriesOf(connector)
    put(folder, "longer.txt", "more than before", 1_800)
    put(folder, "same size.txt", "SAME SIZE.TXT", 1_800)
    renameSync(join(folder, "old"), join(folder, "new"))
    const after = await entriesOf(connector)
    const fingerprint = (entries: typeof before, key: string) => entries.get(key)?.fingerprint
    expect(fingerprint(after, "kept.txt")).toBe(fingerprint(before, "kept.txt")!)
    expect(fingerprint(after, "longer.txt")).not.toBe(fingerprint(before, "longer.txt"))
    expect(fingerprint(after, "same size.txt")).not.toBe(fingerprint(before, "same size.txt"))
    expect([...after.keys()].sort()).toEqual(["kept.txt", "longer.txt", "new/moved.txt", "same size.txt"])
  })

  test.skipIf(!!lacks)("whose file went after it was listed tells that it is gone", async () => {
    const folder = folderOf(["here.txt", "gone.txt"])
    await using server = await serving(folder)
    const connector = opening(server.url)
    await entriesOf(connector)
    rmSync(join(folder, "gone.txt"))
    expect(await textOf(connector, "gone.txt")).toBeUndefined()
    expect(await textOf(connector, "here.txt")).toBe("here.txt")
  })

  test.skipIf(!!lacks)("that vanished is an outage, and none of its files is taken for gone", async () => {
    const folder = folderOf(["inner/a.txt"])
    await using server = await serving(folder)
    const connector = opening(`${server.url}inner`)
    expect([...(await entriesOf(connector)).keys()]).toEqual(["a.txt"])
    rmSync(join(folder, "inner"), { recursive: true })
    expect(await rejection(entriesOf(connector))).toBeInstanceOf(Outage)
    expect(await rejection(textOf(connector, "a.txt"))).toBeInstanceOf(Outage)
  })

  test.skipIf(!!lacks)("says that the credentials are wrong, for a list and for a file", async () => {
    await using server = await serving(folderOf(["a.txt"]))
    for (const wrong of [{ ...CREDENTIALS, password: "other" }, undefined]) {
      const connector = opened(webdavSource, HERE, { url: server.url }, wrong)
      const said = "does not accept the credentials (401)"
      expect((await rejection(entriesOf(connector))).message).toContain(said)
      expect(await rejection(textOf(connector, "a.txt"))).toBeInstanceOf(Outage)
    }
  })

  test.skipIf(!!lacks)("that a link leads back to is no endless list", async () => {
    const folder = folderOf(["inner/a.txt"])
    symlinkSync(folder, join(folder, "inner", "back"))
    await using server = await serving(folder)
    const connector = opening(server.url)
    if (name === "nginx" || name === "SabreDAV")
      expect((await rejection(entriesOf(connector))).message).toMatch(/more than 64 deep.*inner\/back\/inner/)
    else expect([...(await entriesOf(connector)).keys()]).toEqual(["inner/a.txt"]) // the others follow no links
  })
})
