/** What all formats of mail have: a subject, who wrote to whom, a text, files that are attached. */
import { type AttachedFile, addAttachments } from "../attached.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { ExtractContext } from "../extractor.ts"

export interface Letter {
  subject: string | undefined
  /** What stands above the text, as label and value, in the order in which it is shown. */
  fields: [label: string, value: string | undefined][]
  addBody(out: DocumentBuilder): void | Promise<void>
  attachments: AttachedFile[]
}

/** Files that one mail may have; further ones are left out. */
const MAX_ATTACHMENTS = 1000
/** Characters of a subject in the name of a member. */
const MAX_NAME = 120

/** Adds a mail: its subject as the heading, its fields, its text, then the attached files as members. */
export async function addLetter(letter: Letter, context: ExtractContext): Promise<void> {
  const { out } = context
  const { section } = out.currentPlace
  if (letter.subject) out.add("heading", letter.subject, 1)
  const lines = letter.fields.filter(([, value]) => value).map(([label, value]) => `${label}: ${value}`)
  out.add("paragraph", lines.join("\n"))
  await letter.addBody(out)
  out.at({ section })
  const files = letter.attachments.slice(0, MAX_ATTACHMENTS)
  if (files.length === 0) return
  const left = letter.attachments.length - files.length
  if (left > 0) out.warn("attachment_skipped", `${left} attached files: a mail may have ${MAX_ATTACHMENTS}`)
  if (context.mayReadAttachments()) await addAttachments(named(files), context, "mail")
  else out.warn("attachment_skipped", "the files attached to the mail take more memory than is allowed")
}

/** Different files of one name are told apart. */
function* named(files: AttachedFile[]): Generator<AttachedFile> {
  const names = new MemberNames()
  for (const file of files) yield { ...file, name: names.take(file.name) }
}

/** Gives each member of a mail or mailbox a name of its own. */
export class MemberNames {
  private readonly taken = new Map<string, number>()

  /** The name, as one step of a path; of the second of a name, `name (2).ext`. */
  take(given: string): string {
    const name =
      given
        .replace(/[\x00-\x1f\x7f]/g, "")
        .replace(/[/\\]/g, "-")
        .toWellFormed()
        .trim() || "unnamed"
    const count = (this.taken.get(name) ?? 0) + 1
    this.taken.set(name, count)
    if (count === 1) return name
    const dot = name.lastIndexOf(".")
    return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`
  }
}

/** What a mail that is a member is called. */
export function nameBySubject(subject: string | undefined, extension: "eml" | "msg"): string {
  const name = (subject ?? "").slice(0, MAX_NAME).trim()
  return `${name || "no subject"}.${extension}`
}
