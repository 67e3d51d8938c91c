/** The page that a signed link opens, and those that say why one does not. Made here whole: no script, nothing from elsewhere. */
import { createHash } from "node:crypto"
import { replaceControlCharacters } from "../../control-characters.ts"
import type { LinkedText } from "../../library/linked-text.ts"
import type { Place } from "../../storage/document.ts"
import { Html, html } from "./html.ts"

/** As the console looks (`console.css`), in the little that is needed here. */
const STYLE = `
:root { color-scheme: light dark;
  --paper: light-dark(#f6f6f4, #111415); --surface: light-dark(#ffffff, #181c1e); --line: light-dark(#e0e1dd, #2b3135);
  --ink: light-dark(#1b1f22, #e6e9ea); --soft: light-dark(#575e64, #9ba5ab); --accent: light-dark(#0d6e67, #4fd1c1);
  --mark: light-dark(#fde68a, #6b5514); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 15px / 1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%; }
main { max-width: 860px; margin: 0 auto; padding: 28px 16px 40px; }
h1 { margin: 0; font-size: 21px; line-height: 1.3; font-weight: 620; letter-spacing: -0.012em; }
p, h2 { margin: 0; }
h2 { font-weight: 600; }
h2 + .card { margin-top: 6px; }
.soft { color: var(--soft); font-size: 13px; }
.card { margin: 18px 0; background: var(--surface); border: 1px solid var(--line); border-radius: 11px; }
.text { padding: 18px 20px; white-space: pre-wrap; tab-size: 4; unicode-bidi: plaintext; }
a { color: var(--accent); }
.picture { display: block; width: 100%; height: auto; background: #ffffff; }
figure.card { overflow: hidden; }
mark { background: var(--mark); color: inherit; border-radius: 3px; padding: 1px 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 480px) { main { padding: 20px 12px 32px; } .text { padding: 14px; } }
@media print { body { background: none; } .card { border: 0; } }
`

/** Nothing loads but the page's own picture; `data:` is the icon that is none. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' data:",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Of everything under `/view`: whoever has the address has the passage, so it is to go no further by itself. */
export const VIEW_HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex, nofollow, noarchive",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

export interface ShownPicture {
  /** Relative to the page's own. */
  address: string
  page: number
  width: number
  height: number
}

export interface ShownFile {
  name: string
  place: Place
  /** Undefined where there is nothing to read. */
  text: LinkedText | undefined
  picture: ShownPicture | undefined
  /** Some of it was replaced, as the workspace asks. */
  redacted: boolean
  /** Unix seconds. */
  expiresAt: number
  /** Where the console shows the whole document to who may sign in, relative to the page. */
  inConsole: string
}

export function filePage({ name, place, text, picture, redacted, expiresAt, inConsole }: ShownFile): Html {
  const shownName = plain(name)
  const where = placeText(picture ? { ...place, page: picture.page } : place)
  const until = new Date(expiresAt * 1000).toISOString()
  return document(
    shownName,
    html`<h1><bdi>${shownName}</bdi></h1>
${where && html`<p class="soft" dir="auto">${where}</p>`}
${picture ? figure(picture, shownName) : null}
${textCard(text, picture !== undefined)}
<p class="soft">${redacted ? "Private values are replaced here. " : null}This link shows this place only, and ends on <time datetime="${until}">${until.slice(0, 10)} at ${until.slice(11, 16)} UTC</time>. <a href="${inConsole}">Open the document in Carrel</a>, if you have an account.</p>`,
  )
}

const figure = ({ address, page, width, height }: ShownPicture, name: string): Html =>
  html`<figure class="card"><img class="picture" src="${address}" width="${Math.round(width)}" height="${Math.round(height)}" alt="Page ${page} of ${name} as a picture"></figure>`

/** Under a picture the passage alone, for those who cannot read it there: what stands around it can be seen. */
function textCard(text: LinkedText | undefined, isUnderPicture: boolean): Html | null {
  if (!text)
    return isUnderPicture ? null : html`<p class="card text">This document holds no text that could be shown.</p>`
  const { before, passage, after, goesOnBefore, goesOnAfter } = text
  if (isUnderPicture)
    return passage === ""
      ? null
      : html`<h2 class="soft">The passage</h2><div class="card text" dir="auto">${legible(passage)}</div>`
  const marked = passage === "" ? null : html`<mark>${legible(passage)}</mark>`
  return html`<div class="card text" dir="auto">${goesOnBefore ? "… " : null}${legible(before)}${marked}${legible(after)}${goesOnAfter ? " …" : null}</div>`
}

const REFUSALS: Record<number, { title: string; text: string }> = {
  403: {
    title: "This link opens nothing",
    text: "It is not complete, or has been changed, withdrawn, or is over. Ask whoever gave it to you for a new one.",
  },
  404: { title: "Nothing is here any more", text: "The document that this link was made for has been deleted." },
  429: { title: "Too many wrong links", text: "Wait for a minute, then open the link again." },
}

/** Whether there is a page that says so. */
export const isRefusal = (status: number): boolean => status in REFUSALS

export function refusalPage(status: number): Html {
  const { title, text } = REFUSALS[status]!
  return document(title, html`<h1>${title}</h1><p class="card text">${text}</p>`)
}

/** A whole page. */
export const document = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/** `Page 4`, `Sheet Costs · in annex.xlsx`; null where nothing is known. */
function placeText({ page, slide, sheet, member }: Place): string | null {
  const parts = [
    page === null ? null : `Page ${page}`,
    slide === null ? null : `Slide ${slide}`,
    sheet === null ? null : `Sheet ${plain(sheet)}`,
    member === null ? null : `in ${plain(member)}`,
  ].filter(part => part !== null)
  return parts.length > 0 ? parts.join(" · ") : null
}

/** A name on one line, in the order in which it is written. */
const plain = (name: string): string => replaceControlCharacters(name, () => "")

/** Line breaks and tabs stay; what would turn the direction of the text around it goes. */
const legible = (text: string): string =>
  replaceControlCharacters(text, character => (character === "\n" || character === "\t" ? character : ""))
