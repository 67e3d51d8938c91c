/** The console in a real browser on the real application. */
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { setupLink, usersAdd } from "../../src/access/users.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { startTestApp, type TestApp } from "../support/app.ts"

export const CHROMIUM = Bun.env.CHROMIUM ?? "/usr/bin/chromium"
export const hasBrowser = existsSync(CHROMIUM)
if (!hasBrowser) console.warn(`console tests are skipped: there is no browser at ${CHROMIUM} (set CHROMIUM)`)

/** Starting the application and a browser on a busy machine. */
export const SLOW_MS = 120_000
/** Only what never comes about is waited for so long: the first redacted reply loads models, on a machine with other tests at work. */
const PATIENCE_MS = 45_000
export const EMAIL = "ada@example.org"
export const PASSWORD = "correct horse battery"

export const ARGUMENTS = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

export interface Console {
  app: TestApp
  /** A page of a fresh profile. What goes wrong in it is collected in `complaints`. */
  open(options?: { width?: number; height?: number; dark?: boolean }): Promise<Page>
  /** A signed-in page. */
  enter(options?: { width?: number; height?: number; dark?: boolean }): Promise<Page>
  /** Ends what earlier tests left open, and what it still asks for. */
  closePages(): Promise<void>
  /** A fresh one-time link; only before somebody claimed the daemon. */
  setupLink(): Promise<string>
  /** Console errors, page errors and requests to other hosts. Each test file expects none. */
  complaints: string[]
  stop(): Promise<void>
}

export async function startConsole(overrides: Record<string, string> = {}, claimed = true): Promise<Console> {
  const app = await startTestApp(overrides)
  const database = await openSqlite(app.data)
  if (claimed) await usersAdd(database, { email: EMAIL, password: PASSWORD, admin: true, name: "Ada" })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
  const complaints: string[] = []
  const open: Console["open"] = ({ width = 1280, height = 800, dark = false } = {}) =>
    openPage(browser, app.url, complaints, { width, height, dark })
  return {
    app,
    complaints,
    open,
    async enter(options) {
      const page = await open(options)
      await page.goto(app.url)
      await signIn(page)
      return page
    },
    async closePages() {
      for (const context of browser.contexts()) await context.close()
    },
    setupLink: async () => (await setupLink(database, app.url))!,
    async stop() {
      await browser.close()
      await database.destroy()
      await app.stop()
    },
  }
}

async function openPage(
  browser: Browser,
  url: string,
  complaints: string[],
  { width, height, dark }: { width: number; height: number; dark: boolean },
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  page.on("pageerror", error => complaints.push(`page error: ${error.message}`))
  page.on("console", message => message.type() === "error" && complaints.push(`console: ${message.text()}`))
  page.on("request", request => {
    const address = request.url()
    if (!address.startsWith(url) && !/^(blob|data|about):/.test(address)) complaints.push(`foreign request: ${address}`)
  })
  return page
}

export async function signIn(page: Page, email = EMAIL, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
}

export const LEASE = `# Lease agreement

## 1 Parties
This lease is made between Harbour Offices Ltd and Quill & Co.

## 2 Termination
Either party may end this lease with a notice period of six months, in writing, to the end of a calendar quarter.

## 3 Rent
The monthly rent is 4,200 euros, payable in advance by the third working day.
`

/** Puts a text file into the library through the page and waits until it is searchable. */
export async function upload(page: Page, name: string, text: string): Promise<void> {
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) })
  await rowOf(page, name).getByText("Searchable").waitFor()
}

export const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })
