/** HTML written by hand, safely: what is put into it is text, unless it is HTML made here as well. */

export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[]

/** html`<p>${"<b>"}</p>` is `<p>&lt;b&gt;</p>`; null is nothing, a list is its parts. Attributes must stand in double quotes. */
export const html = (literal: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(literal.map((text, i) => (i === 0 ? text : written(parts[i - 1]!) + text)).join(""))

function written(part: Part): string {
  if (part === null) return ""
  if (part instanceof Html) return part.text
  return typeof part === "object" ? part.map(written).join("") : escaped(String(part))
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escaped = (text: string): string => text.toWellFormed().replace(/[&<>"']/g, character => ESCAPES[character]!)
