/** Long texts in JSON that is sent: the whole is put together piece by piece, so that others have their turn meanwhile. */

/** Shorter ones stand where they are. */
const LONG = 1_000_000

export class Splices {
  private readonly texts: string[] = []
  private readonly mark = `splice ${crypto.randomUUID()} `

  /** What stands for a text in what is made JSON. @param text needs no escapes: base64 */
  of(text: string): string {
    if (text.length < LONG) return text
    this.texts.push(text)
    return `${this.mark}${this.texts.length - 1}.`
  }

  /** The JSON with all that it stands for. */
  async into(json: string): Promise<string | Uint8Array<ArrayBuffer>> {
    if (this.texts.length === 0) return json
    const [first = "", ...rest] = json.split(this.mark)
    const pieces = rest.map(piece => {
      const end = piece.indexOf(".")
      return { text: this.texts[Number(piece.slice(0, end))]!, behind: Buffer.from(piece.slice(end + 1)) }
    })
    const before = Buffer.from(first)
    const body = Buffer.allocUnsafe(
      pieces.reduce((sum, { text, behind }) => sum + text.length + behind.length, before.length),
    )
    let at = before.copy(body)
    for (const { text, behind } of pieces) {
      at += body.write(text, at, "latin1")
      at += behind.copy(body, at)
      await new Promise(setImmediate)
    }
    return body
  }
}
