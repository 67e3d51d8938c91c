/**
 * Long lists of the console in a real browser: a library of files and a conversation of messages, written into the database.
 * Of each the milliseconds from the reload to its first rows and to a page that answers, the elements in the page, and the
 * milliseconds between two frames while it is scrolled from one end towards the other.
 *
 *   bun scripts/bench/console-lists.ts [--files 100000] [--messages 10000] [--rounds 5]
 */
import { parseArgs } from "node:util"
import type { Page } from "playwright-core"
import { startConsole } from "../../test/console/console.ts"
import { addManyFiles } from "../../test/console/many.ts"
import { addManyMessages } from "../../test/console/many-messages.ts"

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "100000" },
    messages: { type: "string", default: "10000" },
    rounds: { type: "string", default: "5" },
  },
})
const FILES = Math.min(1_000_000, Number(values.files))
const MESSAGES = Math.min(100_000, Number(values.messages))
const ROUNDS = Math.min(50, Number(values.rounds))
const FRAMES = 300
const STEP_PIXELS = 400

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
function line(name: string, took: readonly number[]): void {
  const sorted = took.toSorted((a, b) => a - b)
  const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)]
  console.log(
    name.padEnd(44),
    `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, most ${sorted.at(-1)!.toFixed(0)} ms`,
  )
}

/** Between two frames, while it is scrolled. */
const framesOf = (page: Page, box: string, down: boolean): Promise<number[]> =>
  page.evaluate(
    async ([selector, step, frames]) => {
      const element = document.querySelector(selector)!
      const took: number[] = []
      let last = await new Promise<number>(requestAnimationFrame)
      for (let i = 0; i < frames; i++) {
        element.scrollTop += step
        const now = await new Promise<number>(requestAnimationFrame)
        took.push(now - last)
        last = now
      }
      return took
    },
    [box, down ? STEP_PIXELS : -STEP_PIXELS, FRAMES] as const,
  )

/** @param isThere a selector of what is looked for first */
async function measure(page: Page, name: string, address: string, isThere: string, box: string, down: boolean) {
  const [first, ready]: [number[], number[]] = [[], []]
  for (let i = 0; i < ROUNDS; i++) {
    await page.goto("about:blank")
    const began = performance.now()
    await page.goto(address, { waitUntil: "commit" })
    await page.locator(isThere).first().waitFor()
    first.push(performance.now() - began)
    await page.evaluate(() => new Promise(answered => setTimeout(answered)))
    ready.push(performance.now() - began)
  }
  const elements = await page.evaluate(() => document.querySelectorAll("*").length)
  line(`${name}: first rows`, first)
  line(`${name}: the page answers`, ready)
  line(`${name}: between two frames`, await framesOf(page, box, down))
  const after = await page.evaluate(() => document.querySelectorAll("*").length)
  console.log(`${name}: ${elements} elements in the page, ${after} after ${FRAMES} frames`)
}

const site = await startConsole()
await addManyFiles(site.app, FILES)
const page = await site.enter()
const { url } = site.app
const id = await page.evaluate(async () => {
  const asked = { method: "POST", headers: { "content-type": "application/json", "x-carrel-console": "1" } }
  const body = JSON.stringify({ message: "Hello", use_library: false })
  const answer = await fetch("/external-docs/external/start-conversation", { ...asked, body })
  return (await answer.text()).match(/conv_\w+/)![0]
})
await addManyMessages(site.app, id, MESSAGES)
console.log(`${FILES} files, ${MESSAGES} messages; ${ROUNDS} rounds`)
await measure(page, "library", `${url}/library`, "main tbody tr[data-index]", "#main", true)
await measure(page, "conversation", `${url}/chat/${id}`, ".message.reply .message-foot", ".messages", false)
await site.stop()
