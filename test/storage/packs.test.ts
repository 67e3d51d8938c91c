import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack as tar } from "tar-stream"
import { type PackParts, writePack } from "../../scripts/packs/write-pack.ts"
import { addPack, checkPack, removePack } from "../../src/storage/packs/add.ts"
import { damagedFiles, installedPacks, packLanguages } from "../../src/storage/packs/installed.ts"

let folder: string
let packs: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "carrel-packs-"))
  packs = join(folder, "packs")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const partsOf = (name: string, languages: string[], filling = "data"): PackParts => ({
  name,
  languages: languages.map(language => ({ language, name: language, file: `${language}.traineddata.gz` })),
  files: languages.map(language => ({
    path: `${language}.traineddata.gz`,
    source: "test",
    license: "Apache-2.0",
    bytes: Bun.gzipSync(Buffer.from(`${filling} of ${language} `.repeat(2_000))),
  })),
})

async function packFile(parts: PackParts): Promise<string> {
  const path = join(folder, `${parts.name}.pack`)
  await writePack(path, parts)
  return path
}

const languages = () => [...packLanguages([packs]).keys()].sort()
/** Everything in the directory, whatever its name. */
const everything = () => readdirSync(packs, { recursive: true }).sort()

describe("a pack", () => {
  test("is the same, byte for byte, whenever it is made", async () => {
    const first = await writePack(join(folder, "a"), partsOf("one", ["deu", "fra"]))
    await Bun.sleep(1_100) // times in a tar count seconds
    expect(await writePack(join(folder, "b"), partsOf("one", ["deu", "fra"]))).toBe(first)
    expect(readFileSync(join(folder, "a")).equals(readFileSync(join(folder, "b")))).toBe(true)
  })

  test("is added, found, verified, and taken away without a trace", async () => {
    expect((await addPack(await packFile(partsOf("one", ["deu", "fra"])), packs)).wasThere).toBe(false)
    expect(languages()).toEqual(["deu", "fra"])
    expect(await damagedFiles(installedPacks(packs)[0]!)).toEqual([])
    const { path } = packLanguages([packs]).get("deu")!
    expect(Buffer.from(Bun.gunzipSync(readFileSync(path))).toString()).toStartWith("data of deu")
    await removePack("one", packs)
    expect(everything()).toEqual([])
    await expect(removePack("one", packs)).rejects.toThrow('there is no pack "one"')
  })

  test("that is there already is told so, and mended where it was damaged", async () => {
    const file = await packFile(partsOf("one", ["deu"]))
    await addPack(file, packs)
    expect((await addPack(file, packs)).wasThere).toBe(true)
    const { path } = packLanguages([packs]).get("deu")!
    writeFileSync(path, "something else")
    expect(await damagedFiles(installedPacks(packs)[0]!)).toEqual(["deu.traineddata.gz"])
    expect((await addPack(file, packs)).wasThere).toBe(false)
    expect(await damagedFiles(installedPacks(packs)[0]!)).toEqual([])
  })

  test("replaces the one of the same name; of what several have, the one added last is used", async () => {
    await addPack(await packFile(partsOf("one", ["deu", "fra"], "old")), packs)
    await addPack(await packFile(partsOf("one", ["deu"], "new")), packs)
    expect(languages()).toEqual(["deu"])
    expect(installedPacks(packs)).toHaveLength(1)
    await Bun.sleep(20)
    await addPack(await packFile(partsOf("two", ["deu"], "newest")), packs)
    const { path } = packLanguages([packs]).get("deu")!
    expect(Buffer.from(Bun.gunzipSync(readFileSync(path))).toString()).toStartWith("newest")
    await removePack("two", packs)
    expect(languages()).toEqual(["deu"])
  })
})

describe("a file is refused, and nothing of it is left, where it", () => {
  const refused = async (path: string, why: string | RegExp) => {
    await expect(addPack(path, packs)).rejects.toThrow(why)
    await expect(checkPack(path)).rejects.toThrow(why)
    expect(everything()).toEqual([])
  }
  const write = (bytes: Uint8Array | string) => {
    const path = join(folder, "given.pack")
    writeFileSync(path, bytes)
    return path
  }

  test("is not there, or a folder", async () => {
    await refused(join(folder, "none"), "there is no file")
    await refused(folder, "is not a file")
  })

  test("is cut, wherever", async () => {
    const bytes = readFileSync(await packFile(partsOf("one", ["deu", "fra"])))
    const end = bytes.lastIndexOf("carrel-pack.sha256")
    for (const at of [0, 100, 600, Math.floor(end / 2), end - 1, end + 100, end + 520]) {
      const path = write(bytes.subarray(0, at))
      await expect(addPack(path, packs)).rejects.toThrow(/not a pack|truncated|damaged/)
      expect(everything()).toEqual([])
    }
  })

  test("has a wrong bit, wherever", async () => {
    const bytes = readFileSync(await packFile(partsOf("one", ["deu", "fra"])))
    for (let at = 5; at < bytes.length - 1_024; at += 97) {
      const spoilt = Buffer.from(bytes)
      spoilt[at]! ^= 4
      const changed = await addPack(write(spoilt), packs).then(
        () => true,
        () => false,
      )
      // Times, padding and the like of the tar itself say nothing of what is packed.
      if (changed) {
        expect(await damagedFiles(installedPacks(packs)[0]!)).toEqual([])
        expect(languages()).toEqual(["deu", "fra"])
        await removePack("one", packs)
      } else expect(everything()).toEqual([])
    }
  })

  test("is something else", async () => {
    await refused(write("some text"), "is not a pack")
    await refused(write(Buffer.alloc(5_000, 7)), "is not a pack")
    const other = tar()
    other.entry({ name: "carrel.db" }, "a backup")
    other.finalize()
    await refused(write(Buffer.concat(await Array.fromAsync(other))), "is not a pack")
  })

  test("was made for a newer version, or for another purpose", async () => {
    const changed = async (change: object) => {
      const bytes = readFileSync(await packFile(partsOf("one", ["deu"])))
      const from = bytes.indexOf("{")
      const manifest = { ...JSON.parse(bytes.subarray(from, bytes.indexOf("\n}\n") + 2).toString()), ...change }
      const other = tar()
      other.entry({ name: "carrel-pack.json" }, JSON.stringify(manifest))
      other.finalize()
      return write(Buffer.concat(await Array.fromAsync(other)))
    }
    await refused(await changed({ format: 2 }), "was made for a newer version of Carrel")
    await refused(await changed({ kind: "speech" }), "is not a pack")
    await refused(await changed({ name: "../../etc" }), "is not a pack")
    await refused(await changed({ files: [] }), "is not a pack")
  })

  test("names a file outside, or twice", async () => {
    const parts = partsOf("one", ["deu"])
    const outside = { ...parts, files: [{ ...parts.files[0]!, path: "../deu.traineddata.gz" }] }
    await refused(await packFile(outside), "is not a pack")
    await refused(await packFile({ ...parts, files: [...parts.files, ...parts.files] }), "is not a pack")
  })

  test("holds data that are packed wrongly", async () => {
    const parts = partsOf("one", ["deu"])
    parts.files[0]!.bytes = Buffer.from("not of gzip")
    const path = await packFile(parts)
    await expect(addPack(path, packs)).rejects.toThrow()
    expect(everything()).toEqual([])
  })
})

test("an addition that is killed leaves no pack, and the next one clears what it left", async () => {
  const parts = partsOf("one", ["deu"])
  parts.files[0]!.bytes = Bun.gzipSync(crypto.getRandomValues(new Uint8Array(60_000)))
  parts.files = Array.from({ length: 200 }, (_, i) => ({ ...parts.files[0]!, path: `l${i}.traineddata.gz` }))
  parts.languages = parts.files.map(({ path }) => ({ language: path.split(".")[0]!, name: "", file: path }))
  const file = await packFile(parts)
  const script = join(folder, "add.ts")
  const from = join(import.meta.dir, "../../src/storage/packs/add.ts")
  writeFileSync(
    script,
    `import { addPack } from ${JSON.stringify(from)}\nconsole.log("begin"); await addPack(${JSON.stringify(file)}, ${JSON.stringify(packs)})`,
  )
  let killed = 0
  for (const ms of [1, 20, 60, 120]) {
    const child = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "ignore" })
    await child.stdout.getReader().read()
    await Bun.sleep(ms)
    child.kill("SIGKILL")
    await child.exited
    const found = installedPacks(packs)
    if (found.length === 0) killed++
    for (const pack of found) expect(await damagedFiles(pack)).toEqual([])
  }
  expect(killed).toBeGreaterThan(0)
  await addPack(file, packs)
  expect(installedPacks(packs)).toHaveLength(1)
  expect(readdirSync(packs)).toHaveLength(1)
})
