import iconv from "iconv-lite"
import { ExtractionError } from "../../../storage/document.ts"
import { DocumentBuilder } from "../document-builder.ts"
import { decodeText } from "../text/decode.ts"
import { addHtml, htmlText } from "../text/html.ts"
import { splitParagraphs } from "../text/text.ts"
import { bytesOf, fileNameOf, type MimePart, parseMessage } from "./mime.ts"
import { signedContent } from "./pkcs7.ts"

/** Parts that a mail program does not show: signatures over others, keys. */
const SIGNATURES = /^application\/(x-)?pkcs7-signature$|^application\/pgp-(signature|keys|encrypted)$/
const PKCS7 = /^application\/(x-)?pkcs7-mime$/
/** Shown as text where they carry no name. */
const TEXTS = new Set(["text/plain", "text/enriched", "message/delivery-status", "text/rfc822-headers", ""])
const MAX_PARTS = 5_000
const MAX_DEPTH = 100
/** A plain text of which the page says five times as much only says that there is a page. */
const STUB_CHARS = 200
const STUB_RATIO = 5

type Text = { kind: "plain" | "html"; text: string }

/** Sorts the parts of a message into its text and its files, in their order. */
export class MailBody {
  readonly files: MimePart[] = []
  private readonly texts: Text[] = []
  private parts = 0

  /** @param isSavedPage of a message that is one, the page is taken whatever plain text stands beside it */
  constructor(
    private readonly out: DocumentBuilder,
    private readonly isSavedPage = false,
  ) {}

  /** `showsText`: whether texts count; not those of an alternative that was not chosen. */
  async walk(part: MimePart, showsText = true, depth = 0): Promise<void> {
    if (++this.parts > MAX_PARTS || depth > MAX_DEPTH)
      throw new ExtractionError("corrupt_file", "the mail has more parts than a mail may have")
    const { multipart } = part.contentType
    if (multipart === "encrypted") this.warnEncrypted()
    else if (multipart === "alternative") {
      const chosen = chooseAlternative(part.childNodes, this.isSavedPage)
      for (const child of part.childNodes) await this.walk(child, showsText && child === chosen, depth + 1)
    } else if (multipart && part.childNodes.length > 0) {
      for (const child of part.childNodes) await this.walk(child, showsText, depth + 1)
    } else await this.leaf(part, showsText, depth)
  }

  /** `titled`: pages begin with their title. */
  addTo(out: DocumentBuilder, { titled }: { titled: boolean }): void {
    for (const { kind, text } of this.texts) {
      if (kind === "html") addHtml(text, out, { titled })
      else if (text.trim()) {
        out.addRaw(text.trim(), splitParagraphs)
        out.endRaw()
      }
    }
  }

  private async leaf(part: MimePart, showsText: boolean, depth: number): Promise<void> {
    const type = part.contentType.parsed.value
    if (SIGNATURES.test(type)) return
    if (PKCS7.test(type)) {
      const content = signedContent(bytesOf(part))
      if (content) await this.walk(await parseMessage(content), showsText, depth + 1)
      else this.warnEncrypted()
      return
    }
    const text = textOf(part)
    if (!text) {
      if (part.content?.byteLength && !isInlinePicture(part)) this.files.push(part)
    } else if (showsText) this.texts.push({ ...text, text: this.withoutArmor(text) })
  }

  /** Text under PGP is of no use to a reader. */
  private withoutArmor({ kind, text }: Text): string {
    if (kind === "html" || !text.includes("-----BEGIN PGP")) return text
    const open = cutBetween(text, "-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----")
    if (open !== text) this.warnEncrypted()
    const signed = open.replace(/-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:Hash:.*\r?\n)*/g, "")
    return cutBetween(signed, "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----")
  }

  private warnEncrypted(): void {
    this.out.warn("mail_encrypted", "the text of the mail is encrypted, and only its headers are read")
  }
}

function cutBetween(text: string, begin: string, end: string): string {
  let kept = ""
  let from = 0
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, from)) {
    kept += text.slice(from, at)
    const close = text.indexOf(end, at)
    from = close < 0 ? text.length : close + end.length
  }
  return kept + text.slice(from)
}

/** Undefined for what is a file. A multipart without its parts is a message that was cut or broken: what it has is text. */
function textOf(part: MimePart): Text | undefined {
  const { parsed, multipart } = part.contentType
  if (!part.content) return undefined
  if (multipart) return { kind: "plain", text: decodeText(bytesOf(part)) }
  if (part.contentDisposition.parsed.value === "attachment") return undefined
  const name = fileNameOf(part)
  if ((parsed.value === "text/html" || parsed.value === "application/xhtml+xml") && (!name || /\.x?html?$/i.test(name)))
    return { kind: "html", text: htmlText(bytesOf(part), parsed.params.charset) }
  if (TEXTS.has(parsed.value) && (!name || /\.txt$/i.test(name) || !name.includes(".")))
    return { kind: "plain", text: plainText(part) }
  return undefined
}

function plainText(part: MimePart): string {
  const { charset, format, delsp } = part.contentType.parsed.params
  const bytes = bytesOf(part)
  // UTF-7 is pure ASCII, so that its bytes do not show it.
  const text = /^(unicode-1-1-)?utf-7$/i.test(charset ?? "")
    ? iconv.decode(Buffer.from(bytes), "utf-7")
    : decodeText(bytes, charset)
  return /^flowed$/i.test(format ?? "") ? part.decodeFlowedText(text, /^yes$/i.test(delsp ?? "")) : text
}

/** The plain text unless it is empty or a stub beside a page, or the page is what was saved. */
function chooseAlternative(children: MimePart[], isSavedPage: boolean): MimePart | undefined {
  const plain = children.find(child => textOf(child)?.kind === "plain")
  const rich = children.findLast(child => pageIn(child) !== undefined)
  if (!plain) return rich ?? children.findLast(({ contentType }) => contentType.multipart) ?? children.at(-1)
  if (!rich) return plain
  if (isSavedPage) return rich
  const { length } = textOf(plain)!.text.trim()
  if (length === 0) return rich
  return length < STUB_CHARS && shownLength(pageIn(rich)!) > STUB_RATIO * length ? rich : plain
}

/** The first page of a part, which may stand among its pictures. */
function pageIn(part: MimePart, depth = 0): string | undefined {
  if (part.contentType.multipart && depth < MAX_DEPTH)
    for (const child of part.childNodes) {
      const page = pageIn(child, depth + 1)
      if (page !== undefined) return page
    }
  const text = part.contentType.multipart ? undefined : textOf(part)
  return text?.kind === "html" ? text.text : undefined
}

function shownLength(html: string): number {
  const scratch = new DocumentBuilder(() => {})
  addHtml(html, scratch, { titled: false })
  return scratch.length
}

/** A picture in the text: of logos, seals and smileys, like those in an Office document, no text is recognized. */
export function isInlinePicture({ contentType, contentDisposition, contentId }: MimePart): boolean {
  return (
    contentType.parsed.value.startsWith("image/") &&
    contentDisposition.parsed.value !== "attachment" &&
    contentId !== undefined
  )
}
