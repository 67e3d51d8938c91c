/** Files inside of another: enclosures of a letter, the parts of a portfolio, the data of an invoice. */
import { ExtractionError } from "../../storage/document.ts"
import type { ExtractContext } from "./extractor.ts"

export interface AttachedFile {
  name: string
  /** Undefined where it has more than so many bytes. */
  unpack(mostBytes: number): Uint8Array | undefined
}

/** A file in a file in a file is still read. */
const MAX_DEPTH = 3

/**
 * Adds the text of attached files behind that of their holder, each as a member; what cannot be read is warned of.
 * @throws ExtractionError `archive_rejected` from a PDF. A mail goes without the file that unfolds too far: one letter
 * must not cost a mailbox.
 */
export async function addAttachments(
  files: Iterable<AttachedFile>,
  context: ExtractContext,
  holder: "PDF" | "mail",
): Promise<void> {
  const { out, budget } = context
  const { pageCount, currentPlace } = out
  const around = currentPlace.member
  /** One file may hang on several pages. */
  const seen = new Set<string>()
  budget.depth++
  for (const { name, unpack } of files) {
    if (holder === "PDF" && --budget.entries < 0)
      throw new ExtractionError("archive_rejected", "the PDF has too many attached files")
    const bytes = unpack(budget.bytes)
    budget.bytes -= bytes?.length ?? 0
    const key = `${name} ${new Bun.CryptoHasher("sha256").update(bytes ?? "").digest("hex")}`
    if (seen.has(key)) continue
    seen.add(key)
    const member = around ? `${around}/${name}` : name
    out.atMember(member)
    await addFile({ name, bytes, member }, context, holder)
    await context.pause()
  }
  budget.depth--
  out.atMember(around)
  out.pageCount = pageCount // of the document itself
}

async function addFile(
  { name, bytes, member }: { name: string; bytes: Uint8Array | undefined; member: string },
  context: ExtractContext,
  holder: "PDF" | "mail",
): Promise<void> {
  const { formats, budget, out } = context
  const { depth } = budget
  try {
    if (!bytes) throw new ExtractionError("no_text", `it unpacks to more than is allowed for a ${holder} of this size`)
    if (depth > MAX_DEPTH) throw new ExtractionError("no_text", "it lies too deep")
    const format = formats.byName(name) ?? formats.byContent(bytes)
    if (!format) throw new ExtractionError("no_text", "files of this type cannot be read")
    await context.extractMember({ name: member, bytes }, format)
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    budget.depth = depth
    if (error.code === "archive_rejected") {
      if (holder === "PDF") throw error
      // A thousand bombs in a mailbox then cost no more than two.
      budget.bytes = Math.floor(budget.bytes / 2)
    }
    out.warn("attachment_skipped", `the attached file ${member}: ${error.message}`)
  }
}
