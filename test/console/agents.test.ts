import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-mcp-"))
const server = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname

let site: Console
let model: ModelServer

beforeAll(async () => {
  if (!hasBrowser) return
  const config = join(directory, "mcp.json")
  writeFileSync(config, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [server] } } }))
  model = (await startOllama()).server
  site = await startConsole({ "mcp-config": config, "ollama-host": model.url })
}, SLOW_MS)
afterAll(async () => {
  await site?.stop()
  model?.stop()
  rmSync(directory, { recursive: true, force: true })
})

describe.skipIf(!hasBrowser)("agent runs", () => {
  test(
    "the form offers the tools of external servers, unticked; a ticked one is asked for beside the built-in ones",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents`)
      await page.getByRole("button", { name: "New run" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Search the library").and(page.locator(":checked")).waitFor()
      const echo = dialog.getByLabel("echo (local)")
      expect(await echo.isChecked()).toBe(false)
      await echo.check()
      await dialog.getByLabel("Task").fill("Say hello")
      const [request] = await Promise.all([
        page.waitForRequest(/agents\/run$/),
        dialog.getByRole("button", { name: "Start" }).click(),
      ])
      expect(request.postDataJSON().tools).toEqual(
        expect.arrayContaining(["search_library", "calculate", "local.echo"]),
      )
      await page.getByRole("heading", { name: "Agent run" }).waitFor()
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "a call that waits is shown letter by letter and can be approved, or denied with a reason",
    async () => {
      const page = await site.enter()
      for (const [at, decision] of (["Approve", "Deny"] as const).entries()) {
        const path = join(directory, `${decision}.txt`)
        model.scenes.add(decision.toLowerCase(), (_, count) =>
          count % 2 === 0
            ? { tools: [{ name: "local.note", arguments: { path, line: "a\u202eb" } }] }
            : { text: "It is over." },
        )
        await page.goto(`${site.app.url}/agents`)
        await page.getByRole("button", { name: "New run" }).click()
        const form = page.getByRole("dialog")
        await form.getByLabel("note (local)").check()
        await form.getByLabel("Task").fill(`case-${decision.toLowerCase()} Write it down`)
        await form.getByRole("button", { name: "Start" }).click()
        await page.getByText("Waits for approval").waitFor()
        await page.getByRole("button", { name: "Review" }).click()
        const review = page.getByRole("dialog", { name: "Allow local.note?" })
        expect(await review.locator("pre").textContent()).toContain("a\\u{202e}b")
        expect(existsSync(path)).toBe(false)
        if (at === 1) await review.getByLabel("Reason").fill("Not today")
        await review.getByRole("button", { name: decision, exact: true }).click()
        await page.getByText("It is over.").waitFor()
        expect(existsSync(path)).toBe(decision === "Approve")
        const outcome = page.getByLabel("Approvals").locator("p")
        expect(await outcome.textContent()).toContain(at === 0 ? "was approved" : "Not today")
      }
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )

  test(
    "the list of runs keeps its state filter over a reload",
    async () => {
      const page = await site.enter()
      await page.goto(`${site.app.url}/agents`)
      await page.getByLabel("State").selectOption({ label: "Timed out" })
      await page.getByText("No runs").waitFor()
      await page.reload()
      await page.getByText("No runs").waitFor()
      expect(await page.getByLabel("State").inputValue()).toBe("timed_out")
      expect(site.complaints).toEqual([])
    },
    SLOW_MS,
  )
})
