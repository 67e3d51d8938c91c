import { decodeText } from "./decode.ts"
import type { Extractor } from "./extractor.ts"
import { addHtml } from "./html.ts"

const MAX_PARTS = 200

/** A web page saved as a mail message (RFC 2557): its HTML and text parts. Word calls such a file `.doc`. */
export const extractMht: Extractor = ({ bytes }, { out }) => {
  const message = Buffer.from(bytes).toString("latin1")
  const boundary = /boundary="?([^"\r\n;]+)"?/i.exec(message)?.[1]
  const parts = boundary ? message.split(`--${boundary}`).slice(1, MAX_PARTS) : [message]
  for (const part of parts) {
    const gap = /\r?\n\r?\n/.exec(part)
    if (!gap) continue
    const headers = part.slice(0, gap.index)
    const type = /^content-type:\s*text\/(html|plain)/im.exec(headers)?.[1]?.toLowerCase()
    if (!type) continue
    const charset = /charset="?([\w-]+)/i.exec(headers)?.[1]
    const text = decodeText(transferDecoded(headers, part.slice(gap.index + gap[0].length)), charset)
    if (type === "html") addHtml(text, out)
    else out.add("paragraph", text)
  }
}

function transferDecoded(headers: string, body: string): Uint8Array {
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(headers)?.[1]?.toLowerCase()
  if (encoding === "base64") return Buffer.from(body, "base64")
  if (encoding !== "quoted-printable") return Buffer.from(body, "latin1")
  const joined = body.replace(/=[ \t]*\r?\n/g, "")
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  )
}
