/** What is wrong with a page for people who use it by keyboard, screen reader or magnifier. */
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

const AXE = await Bun.file(fileURLToPath(import.meta.resolve("axe-core/axe.min.js"))).text()

/** One line each; none where all is well. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE) // run by the debugger, which the page's policy does not bind
  const found = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page only
    const { violations } = await (globalThis as any).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    })
    return violations as { id: string; nodes: { html: string; failureSummary: string }[] }[]
  })
  return found.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 120)} ${node.failureSummary.slice(0, 300)}`),
  )
}
