/** Outlook items ([MS-OXMSG]): mails, and what of appointments, tasks and contacts is text. */
import { decompressRTF } from "@kenjiuno/decompressrtf"
import MsgReader, { type FieldsData } from "@kenjiuno/msgreader"
import iconv from "iconv-lite"
import { ExtractionError } from "../../../storage/document.ts"
import type { AttachedFile } from "../attached.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { ExtractContext, Extractor } from "../extractor.ts"
import { addHtml, htmlText } from "../text/html.ts"
import { splitParagraphs } from "../text/text.ts"
import { addMessage } from "./eml.ts"
import { addLetter, nameBySubject } from "./letter.ts"
import { oneLine } from "./mime.ts"
import { bounded } from "./msg-bounds.ts"
import { signedContent } from "./pkcs7.ts"

/** The library unpacks into an array of numbers, which takes eight times the memory. */
const MAX_RTF_BYTES = 16 * 1024 * 1024
const PICTURE = /\.(png|jpe?g|gif|bmp|webp|emz|wmz|emf|wmf)$/i

type MsgFile = MsgReader
/** In the executable, where the bundler follows Node's rule for CommonJS, the default is the module as a whole. */
const MsgFile: typeof MsgReader = (MsgReader as unknown as { default?: typeof MsgReader }).default ?? MsgReader

export const extractMsg: Extractor = async ({ bytes }, context) => {
  const { file, fields } = open(bytes)
  const signed = smimeContent(file, fields)
  if (signed === "encrypted")
    context.out.warn("mail_encrypted", "the text of the mail is encrypted, and only its headers are read")
  await addLetter(
    {
      subject: fields.subject || undefined,
      fields: shownFields(fields),
      addBody: out =>
        signed instanceof Uint8Array ? addMessage(signed, "the signed mail", context) : addBody(fields, out, context),
      attachments: signed ? [] : [...attachedFiles(file, fields)],
    },
    context,
  )
}

/** Old items hold their strings in the code page that they name. */
function open(bytes: Uint8Array): { file: MsgFile; fields: FieldsData } {
  const copy = bytes.slice().buffer
  const read = (ansiEncoding?: string) => {
    const file = bounded(new MsgFile(copy), copy.byteLength)
    if (ansiEncoding) file.parserConfig = { ansiEncoding }
    return { file, fields: file.getFileData() }
  }
  const opened = read()
  if (opened.fields.error) throw new ExtractionError("corrupt_file", "not an Outlook item")
  const encoding = encodingOf(opened.fields.messageCodepage ?? opened.fields.internetCodepage)
  return encoding ? read(encoding) : opened
}

/** Code pages of mail by the one that Windows has for the same writing. */
const ENCODINGS: Record<number, string> = {
  20127: "latin1",
  28591: "latin1",
  50220: "cp932",
  50221: "cp932",
  50222: "cp932",
  51932: "cp932",
  51949: "cp949",
  65001: "utf-8",
}

function encodingOf(codePage: number | undefined): string | undefined {
  if (codePage === undefined) return undefined
  const encoding = ENCODINGS[codePage] ?? `cp${codePage}`
  return iconv.encodingExists(encoding) ? encoding : undefined
}

function shownFields(fields: FieldsData): [string, string | undefined][] {
  const people = (type: string) =>
    (fields.recipients ?? [])
      .filter(({ recipType = "to" }) => recipType === type)
      .map(({ name, email, smtpAddress }) => person(name, smtpAddress || email))
      .filter(Boolean)
      .join(", ")
  const { senderName, senderSmtpAddress, senderEmail, sentRepresentingSmtpAddress } = fields
  const when = [fields.apptStartWhole, fields.apptEndWhole].filter(Boolean).join(" – ")
  return [
    ["From", person(senderName, senderSmtpAddress || sentRepresentingSmtpAddress || senderEmail)],
    ["To", people("to")],
    ["Cc", people("cc")],
    ["Date", fields.clientSubmitTime || fields.messageDeliveryTime || fields.creationTime],
    ["When", when],
    ["Where", fields.apptLocation || fields.location],
    ["Name", [fields.givenName, fields.surname].filter(Boolean).join(" ")],
    ["Company", fields.companyName],
    ["Title", fields.title],
    ["Email", fields.email1EmailAddress],
    ["Phone", [fields.businessTelephoneNumber, fields.mobileTelephoneNumber].filter(Boolean).join(", ")],
    ["Address", fields.workAddress],
  ]
}

/** Addresses inside of an Exchange organization (`/o=…/cn=…`) tell nobody anything. */
function person(name = "", address = ""): string {
  const known = address.includes("@") && address !== name ? address : ""
  return oneLine(name && known ? `${name} <${known}>` : name || known)
}

async function addBody(fields: FieldsData, out: DocumentBuilder, context: ExtractContext): Promise<void> {
  const { body = "", bodyHtml, html, internetCodepage, compressedRtf } = fields
  if (body.trim()) {
    out.addRaw(body.trim(), splitParagraphs)
    out.endRaw()
  } else if (html) addHtml(htmlText(html, encodingOf(internetCodepage)), out, { titled: false })
  else if (bodyHtml) addHtml(bodyHtml, out, { titled: false })
  else if (compressedRtf && compressedRtf.length <= MAX_RTF_BYTES) {
    const rtf = Uint8Array.from(decompressRTF([...compressedRtf]))
    if (rtf.length > 0) await context.extractMember({ name: "the text of the mail", bytes: rtf }, "rtf")
  }
}

/** What an item under S/MIME carries as its only attachment; undefined for other items. */
function smimeContent(file: MsgFile, { messageClass = "", attachments = [] }: FieldsData) {
  const [only] = attachments
  if (!/^IPM\.Note\.SMIME/i.test(messageClass) || !only) return undefined
  const content = file.getAttachment(only).content
  if (!content) return undefined
  return /MultipartSigned/i.test(messageClass) ? content : (signedContent(content) ?? "encrypted")
}

function* attachedFiles(file: MsgFile, { attachments = [], bodyHtml = "", html }: FieldsData): Generator<AttachedFile> {
  const page = html ? Buffer.from(html).toString("latin1") : bodyHtml
  for (const [index, attachment] of attachments.entries()) {
    const { fileName, fileNameShort, name, pidContentId, attachmentHidden, innerMsgContent } = attachment
    const called = fileName || fileNameShort || name || `attachment ${index + 1}`
    const isShown = attachmentHidden || (pidContentId && page.includes(`cid:${pidContentId}`))
    if (isShown && PICTURE.test(called)) continue
    if (!innerMsgContent && attachment.dataId === undefined) continue
    yield {
      name: innerMsgContent ? nameBySubject(attachment.innerMsgContentFields?.subject || name, "msg") : called,
      unpack(mostBytes) {
        if ((attachment.contentLength ?? 0) > mostBytes) return undefined
        const { content } = file.getAttachment(attachment)
        return content && content.length <= mostBytes ? content : undefined
      },
    }
  }
}
