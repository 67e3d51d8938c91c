/** Pages of the OCR benchmark, drawn by Debian's Chromium with the fonts of fonts-noto-core and fonts-noto-cjk. */
import { type Browser, chromium } from "playwright-core"
import { MIXED, RIGHT_TO_LEFT, TEXTS } from "./texts.ts"

/** How a page is spoilt before it is read. */
export interface Spoiling {
  /** Degrees, clockwise. */
  turned?: number
  /** Dots per inch of the picture; 200 where absent. */
  dpi?: number
}

export interface RenderedPage {
  png: Uint8Array
  text: string
}

/** A5 at 96 dots per inch, which Chromium counts in. */
const PAGE = { width: 560, height: 794 }
const CSS_DPI = 96
const FONTS: Record<string, string> = {
  ara: "Noto Naskh Arabic",
  heb: "Noto Sans Hebrew",
  hin: "Noto Sans Devanagari",
  chi_sim: "Noto Sans CJK SC",
  chi_tra: "Noto Sans CJK TC",
  jpn: "Noto Sans CJK JP",
  kor: "Noto Sans CJK KR",
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] })

/** @param page languages joined by `+`, as in `TEXTS` and `MIXED` */
export async function renderPage(browser: Browser, page: string, spoiling: Spoiling = {}): Promise<RenderedPage> {
  const { turned = 0, dpi = 200 } = spoiling
  const paragraphs = TEXTS[page] ?? MIXED[page]!
  const context = await browser.newContext({ viewport: PAGE, deviceScaleFactor: dpi / CSS_DPI })
  try {
    const tab = await context.newPage()
    await tab.setContent(html(page, paragraphs, turned))
    const png = await tab.screenshot({ type: "png" })
    return { png: new Uint8Array(png), text: paragraphs.join("\n") }
  } finally {
    await context.close()
  }
}

/** A PDF whose pages are these pictures. */
export async function renderPdf(browser: Browser, pages: readonly RenderedPage[]): Promise<Uint8Array> {
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    const pictures = pages.map(({ png }) => `<img src="data:image/png;base64,${Buffer.from(png).toString("base64")}">`)
    await tab.setContent(`<style>@page { size: 148mm 210mm; margin: 0 } body { margin: 0 }
      img { display: block; width: 148mm; break-after: page }</style>${pictures.join("")}`)
    return new Uint8Array(await tab.pdf({ preferCSSPageSize: true }))
  } finally {
    await context.close()
  }
}

function html(page: string, paragraphs: string[], turned: number): string {
  const [main] = page.split("+")
  const family = [FONTS[main!], "Noto Serif", "serif"].filter(Boolean).map(name => `'${name}'`)
  const direction = (text: string) => (RIGHT_TO_LEFT.has(main!) && /[\u0590-\u06ff]/.test(text) ? "rtl" : "ltr")
  const blocks = paragraphs.map(text => `<p dir="${direction(text)}">${text}</p>`)
  return `<meta charset="utf-8"><style>
    body { margin: 0; background: #fff }
    main { font: 15px/1.6 ${family.join(",")}; padding: 56px 52px; transform: rotate(${turned}deg); transform-origin: 50% 280px }
    p { margin: 0 0 14px } p:first-child { font-weight: bold }
  </style><main>${blocks.join("")}</main>`
}
