/** What was filled into the forms of an OpenDocument file (part 3, section 13), which lie apart from its text. */
import { ExtractionError } from "../../../storage/document.ts"
import { ZipReader } from "../archive/zip-reader.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { UnpackBudget } from "../extractor.ts"
import { attribute, walkXml } from "../xml.ts"

const FIELDS = new Set("text textarea formatted-text number date time combobox listbox checkbox radio".split(" "))

/** Adds a line per field that has a value: its label or name, and the value. */
export function addFormValues(bytes: Uint8Array, budget: UnpackBudget, out: DocumentBuilder): void {
  const xml = contentOf(bytes, budget)
  if (!xml?.includes("form:form")) return
  const lines = filledFields(xml)
  if (lines.length > 0) out.at({ section: "Form" })
  for (const line of lines) out.add("paragraph", line)
}

function contentOf(bytes: Uint8Array, budget: UnpackBudget): string | undefined {
  try {
    const zip = new ZipReader(bytes, { ...budget })
    const entry = zip.entries.find(({ name }) => name === "content.xml")
    return entry && new TextDecoder().decode(zip.read(entry))
  } catch (error) {
    if (error instanceof ExtractionError) return undefined // the text was read all the same
    throw error
  }
}

function filledFields(xml: string): string[] {
  const lines: string[] = []
  let chosen: string[] = []
  let forms = 0
  walkXml(xml, {
    open(tag, attributes) {
      if (tag === "forms") forms++
      if (forms === 0) return
      const value = (name: string) => attribute(attributes, name)
      if (tag === "option" && (value("current-selected") ?? value("selected")) === "true")
        chosen.push(value("label") ?? value("value") ?? "")
      else if (FIELDS.has(tag)) {
        chosen = []
        const label = value("label") || value("title") || value("name") || ""
        const ticked = /^(checked|true)$/.test(
          value("current-state") ?? value("current-selected") ?? value("state") ?? value("selected") ?? "",
        )
        if (tag === "checkbox" || tag === "radio") {
          if (ticked) lines.push(`[x] ${label}`)
        } else {
          const filled = value("current-value") ?? value("value")
          if (tag === "listbox") lines.push(`${label}:`)
          else if (filled) lines.push(`${label}: ${filled}`)
        }
      }
    },
    close(tag) {
      if (tag === "forms") forms--
      if (tag !== "listbox" || forms === 0) return
      const name = lines.pop() ?? ""
      if (chosen.length > 0) lines.push(`${name} ${chosen.join(", ")}`)
    },
  })
  return lines
}
