/** What a browser fetches before the console can be used, and that it can be installed like an application. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type ConsoleAsset, consoleAssets } from "../../src/native/console-assets.ts"
import { violations } from "./axe.ts"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

/** Compressed, all together. */
const MAX_FIRST_LOAD_BYTES = 60_000

/** A file with what it imports at once; pages that are imported when they are shown are not among it. */
function closureOf(entry: string, assets: Map<string, ConsoleAsset>, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found
  found.add(entry)
  const text = new TextDecoder().decode(Bun.gunzipSync(assets.get(entry)!.body))
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport|href=|src=)\s*"(?:\.\/|\/console\/)([^"]+\.(?:js|css))"/g))
    closureOf(`/console/${name}`, assets, found)
  return found
}

test("the first page is at most 60 KB, and every page of the console with it", async () => {
  const assets = await consoleAssets()
  const shell = closureOf("/index.html", assets)
  expect([...shell].some(path => path.endsWith(".css"))).toBe(true)
  const sizes = ["overview", "library", "chat", "search", "agents", "settings", "governance"].map(page => {
    const chunk = [...assets.keys()].find(path => path.startsWith(`/console/${page}-`))!
    const files = shell.union(closureOf(chunk, assets))
    return [page, [...files].reduce((sum, path) => sum + assets.get(path)!.body.byteLength, 0)] as const
  })
  expect(sizes.filter(([, bytes]) => bytes > MAX_FIRST_LOAD_BYTES)).toEqual([])
  expect(Math.min(...sizes.map(([, bytes]) => bytes))).toBeGreaterThan(MAX_FIRST_LOAD_BYTES / 4) // it was all counted
})

describe.skipIf(!hasBrowser)("the console in a browser", () => {
  let site: Console
  beforeAll(async () => {
    site = await startConsole()
  }, SLOW_MS)
  afterAll(() => site.stop())

  test(
    "can be installed, under its own name and icons",
    async () => {
      const page = await site.open()
      await page.goto(site.app.url)
      const session = await page.context().newCDPSession(page)
      const { errors, data } = await session.send("Page.getAppManifest")
      expect(errors).toEqual([])
      const { installabilityErrors } = await session.send("Page.getInstallabilityErrors")
      // the profiles of tests are private windows, where no browser installs anything
      expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([])
      const { name, icons } = JSON.parse(data!)
      expect(name).toBe("Carrel")
      for (const { src, type } of icons) {
        const icon = await fetch(new URL(src, site.app.url))
        expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type])
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "on a phone a button opens the palette, which leads to the tabs of pages that one may see",
    async () => {
      const page = await site.enter({ width: 360, height: 740 })
      await page.getByRole("button", { name: "Go to …" }).filter({ visible: true }).click()
      const palette = page.getByRole("dialog", { name: "Go to" })
      await palette.getByRole("option", { name: "Governance: Holds" }).waitFor()
      await page.keyboard.type("workspaces")
      expect(await violations(page)).toEqual([])
      if (Bun.env.CARREL_SCREENSHOTS) await page.screenshot({ path: `${Bun.env.CARREL_SCREENSHOTS}/palette-360.png` })
      await palette.getByRole("option", { name: "Settings: Workspaces" }).click()
      await page.getByRole("heading", { name: "Workspaces" }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
