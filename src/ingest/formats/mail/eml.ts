/** Mail messages (RFC 5322), and web pages that are saved as one (MHTML, RFC 2557), which Word calls `.doc`. */
import type { AttachedFile } from "../attached.ts"
import type { ExtractContext, Extractor } from "../extractor.ts"
import { isInlinePicture, MailBody } from "./body.ts"
import { addLetter, nameBySubject } from "./letter.ts"
import {
  addressesText,
  bytesOf,
  fileNameOf,
  headerText,
  MAX_MESSAGE_BYTES,
  type MimePart,
  parseHead,
  parseMessage,
} from "./mime.ts"

export const extractEml: Extractor = ({ bytes, name }, context) => addMessage(bytes, name, context)

/** Reads a message where the builder stands. @throws where its headers or its nesting are beyond measure. */
export async function addMessage(bytes: Uint8Array, name: string, context: ExtractContext): Promise<void> {
  if (bytes.length > MAX_MESSAGE_BYTES)
    context.out.warn("damaged_file", `of ${name} the first ${MAX_MESSAGE_BYTES / 1024 / 1024} MB were read`)
  const root = await parseMessage(bytes)
  const isLetter = !isSavedPage(root)
  const body = new MailBody(context.out, !isLetter)
  await body.walk(root)
  const attachments: AttachedFile[] = []
  for (const part of body.files) attachments.push(await attachedFile(part, attachments.length + 1))
  await addLetter(
    {
      subject: isLetter ? headerText(root, "subject") : undefined,
      fields: isLetter ? fieldsOf(root) : [],
      addBody: out => body.addTo(out, { titled: !isLetter }),
      attachments,
    },
    context,
  )
}

function fieldsOf(root: MimePart): [string, string | undefined][] {
  return [
    ["From", addressesText(root, "from")],
    ["To", addressesText(root, "to")],
    ["Cc", addressesText(root, "cc")],
    ["Date", headerText(root, "date")],
  ]
}

/** A saved page is sent to nobody; it has a title of its own. */
function isSavedPage({ headers, contentType }: MimePart): boolean {
  if (!/^(text\/html|application\/xhtml|multipart\/related)/.test(contentType.parsed.value)) return false
  const names = new Set(headers.map(({ key }) => key))
  if (names.has("snapshot-content-location")) return true
  const isSent = ["to", "cc", "bcc", "received", "message-id", "date"].some(name => names.has(name))
  return !isSent && !headers.some(({ key, value }) => key === "from" && value.includes("@"))
}

/** What a file without a name is called, by its type. */
const NAMES: Record<string, string> = { "text/calendar": "invite.ics", "application/ms-tnef": "winmail.dat" }

async function attachedFile(part: MimePart, number: number): Promise<AttachedFile> {
  const bytes = bytesOf(part)
  const type = part.contentType.parsed.value
  let name = fileNameOf(part)
  if (type === "message/rfc822" || type === "message/global") {
    const subject = headerText(await parseHead(bytes), "subject")
    if (!name || !/\.(eml|msg)$/i.test(name)) name = nameBySubject(subject ?? name, "eml")
  }
  return {
    name: name ?? NAMES[type] ?? (isInlinePicture(part) ? `picture ${number}` : `attachment ${number}`),
    unpack: mostBytes => (bytes.length <= mostBytes ? bytes : undefined),
  }
}
