/** Where the executable finds its own modules; the addresses are those that executables of Bun 1.4.5 hold. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { embeddedRoot, workerUrl } from "../../src/native/self.ts"

const WORKER = "search/thread/search-worker"

describe("a module of the executable", () => {
  test.each([
    ["on Linux and macOS", "file:///$bunfs/root/chunk-0a1b2c3d.js", "/$bunfs/root/"],
    ["on Windows", "file:///B:/%7EBUN/root/chunk-0a1b2c3d.js", "B:/~BUN/root/"],
    ["on Windows, where the address is written plainly", "file:///B:/~BUN/root/carrel.exe", "B:/~BUN/root/"],
  ])("%s is known by its address, and starts workers from beside it", (_, address, root) => {
    expect(embeddedRoot(address)).toBe(root)
    expect(workerUrl(WORKER, address)).toBe(`${root}${WORKER}.js`)
  })
})

describe("a module of the source", () => {
  test("starts workers that are there", () => {
    expect(embeddedRoot(import.meta.url)).toBeUndefined()
    expect(existsSync(fileURLToPath(workerUrl(WORKER)))).toBe(true)
  })

  test.each([
    ["file:///home/ann/~BUN/src/native/self.ts", "file:///home/ann/~BUN/src/a-worker.ts"],
    ["file:///home/ann/$bunfs/root/src/native/self.ts", "file:///home/ann/$bunfs/root/src/a-worker.ts"],
    ["file:///C:/carrel/100%25/src/native/self.ts", "file:///C:/carrel/100%25/src/a-worker.ts"],
  ])("is none of the executable's, whatever its folder is called: %s", (address, worker) => {
    expect([embeddedRoot(address), workerUrl("a-worker", address)]).toEqual([undefined, worker])
  })
})
