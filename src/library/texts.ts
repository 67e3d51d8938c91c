/** Texts that a client holds, as files. */
import { invalid } from "../errors.ts"
import { findExtension } from "../ingest/formats/formats.ts"
import { safeName } from "./labels.ts"

/** How a text is marked up, with the extensions that its file may have; the first one where the name has none of them. */
const EXTENSIONS = {
  text: ["txt", "md", "csv", "json", "sql", "yml", "yaml"],
  markdown: ["md"],
  html: ["html", "htm"],
} as const satisfies Record<string, readonly string[]>

type TextKind = keyof typeof EXTENSIONS

/** @throws AppError invalid_request for a name of which nothing is left */
export function textFileName(given: string, kind: TextKind): string {
  const extensions: readonly string[] = EXTENSIONS[kind]
  const name = safeName(given)
  if (name === "") throw invalid("name", "must not be empty")
  return extensions.includes(findExtension(name) ?? "") ? name : safeName(`${name}.${extensions[0]}`)
}

/** @returns the one of the kinds that is there. @throws AppError invalid_request where there is none, or several */
export function textOf(given: { [Kind in TextKind]?: string | null | undefined }): { kind: TextKind; text: string } {
  const [first, ...others] = (Object.keys(EXTENSIONS) as TextKind[]).flatMap(kind => {
    const text = given[kind]
    return typeof text === "string" ? [{ kind, text }] : []
  })
  if (!first || others.length > 0) throw invalid("text", "exactly one of text, markdown and html must be there")
  return first
}

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
