/**
 * Mailboxes (RFC 4155, mboxo and mboxrd): messages one after the other, each behind a line that begins with `From `. Such a
 * line inside of a message begins with `>`. They are read one at a time, each as a member that is called by its subject.
 */
import { ExtractionError } from "../../../storage/document.ts"
import type { Extractor } from "../extractor.ts"
import { addMessage } from "./eml.ts"
import { MemberNames, nameBySubject } from "./letter.ts"
import { headerText, parseHead } from "./mime.ts"

/** Of a mailbox; what stands behind them is left out. */
const MAX_MESSAGES = 100_000
const LINE = "\nFrom "
/** Of the line that begins a message and of the one behind it. */
const HEAD_BYTES = 1024

export const extractMbox: Extractor = async ({ bytes, name }, context) => {
  const { out } = context
  const around = out.currentPlace.member
  const names = new MemberNames()
  let count = 0
  let read = 0
  for (const { start, end } of messagesIn(bytes)) {
    if (++count > MAX_MESSAGES) {
      out.warn("messages_skipped", `of ${name} the first ${MAX_MESSAGES} messages were read`)
      break
    }
    const message = unquoted(bytes.subarray(start, end))
    let member = `message ${count}`
    try {
      const subject = headerText(await parseHead(message), "subject")
      const own = names.take(nameBySubject(subject, "eml"))
      member = around ? `${around}/${own}` : own
      out.atMember(member)
      await addMessage(message, member, context)
      read++
    } catch (error) {
      if (error instanceof ExtractionError && error.code === "archive_rejected") throw error
      out.warn("member_damaged", `${member}: ${error instanceof ExtractionError ? error.message : "it is damaged"}`)
    }
    context.progress(end / bytes.length)
    await context.pause()
  }
  out.atMember(around)
  if (read === 0) throw new ExtractionError("corrupt_file", "there is no message in this mailbox that can be read")
}

/** The bytes of each message without the line before it. A file without such a line is one message. */
export function* messagesIn(bytes: Uint8Array): Generator<{ start: number; end: number }> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = isSeparator(file, 0) ? afterLine(file, 0) : 0
  let at = file.indexOf(LINE, Math.max(0, start - 1))
  while (at >= 0) {
    if (isSeparator(file, at + 1)) {
      yield { start, end: at + 1 }
      start = afterLine(file, at + 1)
    }
    at = file.indexOf(LINE, at + 1)
  }
  if (start < file.length) yield { start, end: file.length }
}

/** A sender, a time, and a header on the next line: sentences begin with "From" too, where a program forgot to quote them. */
function isSeparator(file: Buffer, at: number): boolean {
  const head = file.toString("latin1", at, at + HEAD_BYTES)
  return /^From [^\n]{0,300}\d\d:\d\d[^\n]{0,100}\n(?:>?From |[!-9;-~]{1,100}:)/.test(head)
}

function afterLine(file: Buffer, at: number): number {
  const end = file.indexOf("\n", at)
  return end < 0 ? file.length : end + 1
}

/** Lines that begin with `>From `, or with more than one `>`, lose the first. */
function unquoted(message: Uint8Array): Uint8Array {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (!text.includes(">From ")) return message
  return Buffer.from(text.toString("latin1").replace(/^>(>{0,50}From )/gm, "$1"), "latin1")
}
