import { describe, expect, test } from "bun:test"
import { extractDocument, type Surroundings } from "../../../src/ingest/formats/extract.ts"
import { findExtension } from "../../../src/ingest/formats/formats.ts"
import { messagesIn } from "../../../src/ingest/formats/mail/mbox.ts"
import { parseMessage } from "../../../src/ingest/formats/mail/mime.ts"
import type { ExtractedDocument, ExtractionError } from "../../../src/storage/document.ts"
import { attached, type Item, message, multipart, writeMsg, writeTnef } from "./mail-writer.ts"
import { writeZip } from "./zip-writer.ts"

const surroundings: Surroundings = {
  onProgress: () => {},
  onOcrExpected: () => {},
  pause: async () => {},
  recognize: async () => ({ text: "words in a picture", confidence: 90 }),
}
const extract = (content: Uint8Array | string, name = "letter.eml", more: Partial<Surroundings> = {}) =>
  extractDocument(
    { name, bytes: typeof content === "string" ? Buffer.from(content, "latin1") : content },
    findExtension(name)!,
    { ...surroundings, ...more },
  )
const membersOf = ({ blocks }: ExtractedDocument) => [...new Set(blocks.map(({ place }) => place.member))]
const codesOf = ({ warnings }: ExtractedDocument) => warnings.map(({ code }) => code)
const textOf = ({ text, blocks }: ExtractedDocument, member: string | null) =>
  blocks
    .filter(({ place }) => place.member === member)
    .map(({ start, end }) => text.slice(start, end))
    .join("\n")

const HEADERS = {
  From: "=?utf-8?Q?J=C3=BCrgen?= <jurgen@house.test>",
  To: '"Tenant, The" <tenant@house.test>, owner@house.test',
  Cc: "Plants: ficus@house.test, palm@house.test;",
  Date: "Tue, 01 Jul 2003 10:52:37 +0200",
  Subject: "=?iso-8859-1?Q?W=E4ter?= =?iso-8859-1?Q?_the_ficus?=",
  "MIME-Version": "1.0",
}
const letter = (body: string, headers: Record<string, string> = {}) => message({ ...HEADERS, ...headers }, body)
const HEAD =
  "Wäter the ficus\n\nFrom: Jürgen <jurgen@house.test>\nTo: Tenant, The <tenant@house.test>, owner@house.test\n" +
  "Cc: ficus@house.test, palm@house.test\nDate: Tue, 01 Jul 2003 10:52:37 +0200"
const plain = (text: string, headers: Record<string, string> = {}) =>
  message({ "Content-Type": "text/plain", ...headers }, text)
const html = (text: string) => message({ "Content-Type": "text/html; charset=utf-8" }, text)
const mixed = (...parts: string[]) => {
  const { type, body } = multipart("mixed", parts)
  return letter(body, { "Content-Type": type })
}

test("the library's tree of parts, which is not of its interface, is as it was when the reader was written", async () => {
  const { version } = await import("postal-mime/package.json")
  // Where this fails: compare `MimePart` in src/ingest/formats/mail/mime.ts with the nodes of the new version.
  expect(version).toBe("4.0.0")
  const root = await parseMessage(Buffer.from(mixed(plain("a"), html("b"))))
  expect(root.childNodes.map(({ contentType }) => contentType.parsed.value)).toEqual(["text/plain", "text/html"])
  expect(Buffer.from(root.childNodes[0]!.content!).toString().trim()).toBe("a")
  expect(root.childNodes[0]!.decodeFlowedText("a \nb", false)).toBe("a b")
})

describe("a mail", () => {
  test("begins with its subject, who wrote to whom and when; what is quoted stays", async () => {
    const document = await extract(letter("On Thursdays.\n\n> Which day?\n> Any?\n"))
    expect(document.text).toBe(`${HEAD}\n\nOn Thursdays.\n\n> Which day?\n> Any?`)
    expect(document.blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "paragraph"])
    expect(document.blocks.at(-1)!.place).toMatchObject({ section: "Wäter the ficus", member: null })
    expect(document.warnings).toEqual([])
  })

  test("is read in every transfer encoding, and lines that were only folded are joined", async () => {
    const bodies: [body: string, headers: Record<string, string>][] = [
      [
        "Gr=C3=BCn=\n e Ficus",
        { "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "quoted-printable" },
      ],
      [
        Buffer.from("Grün e Ficus").toString("base64"),
        { "Content-Type": 'text/plain; charset="UTF-8"', "Content-Transfer-Encoding": "BASE64" },
      ],
      ["Gr\xfcn \ne Ficus", { "Content-Type": "text/plain; charset=iso-8859-1; format=flowed" }],
      ["Gr+APw-n e Ficus", { "Content-Type": "text/plain; charset=utf-7" }],
      ["Gr\xc3\xbcn e Ficus", {}],
    ]
    for (const [body, headers] of bodies)
      expect((await extract(letter(body, headers))).text).toBe(`${HEAD}\n\nGrün e Ficus`)
  })

  test("is read in the code page it is in, declared or not, in the text as in the headers", async () => {
    const words = "Привет, полейте фикус в двенадцатой комнате по четвергам, пожалуйста."
    const koi8 = new TextDecoder("latin1").decode(Buffer.from(encode(words, "koi8-r")))
    const raw = message({ From: "a@b.test", To: "c@d.test", Subject: koi8 }, koi8)
    expect((await extract(raw)).text).toBe(`${words}\n\nFrom: a@b.test\nTo: c@d.test\n\n${words}`)
    const declared = message({ To: "c@d.test", Subject: koi8, "Content-Type": "text/plain; charset=koi8-r" }, koi8)
    expect((await extract(declared)).text).toBe(`${words}\n\nTo: c@d.test\n\n${words}`)
  })

  test("of a text and its page, the text is read; the page where the text is empty or says only that there is one", async () => {
    const both = (text: string, page: string) => {
      const { type, body } = multipart("alternative", [plain(text), html(page)])
      return letter(body, { "Content-Type": type })
    }
    const page = `<title>T</title><table><tr><th>Room</th><th>Rent</th></tr><tr><td>Attic</td><td>310</td></tr></table><p>${"The tenant waters the ficus. ".repeat(20)}</p>`
    expect((await extract(both("In words.", "<p>As a page.</p>"))).text).toBe(`${HEAD}\n\nIn words.`)
    for (const stub of ["", "Your program shows no pages."]) {
      const { text } = await extract(both(stub, page))
      expect(text).toStartWith(`${HEAD}\n\nRoom\tRent\nAttic\t310\n\nThe tenant waters`)
      expect(text).not.toContain("Your program")
    }
  })

  test("a file that hangs on the alternative that is not read is read", async () => {
    const inner = multipart("mixed", [html("<p>As a page.</p>"), attached("rent.txt", "text/plain", "310 a month")])
    const { type, body } = multipart("alternative", [
      plain("In words."),
      message({ "Content-Type": inner.type }, inner.body),
    ])
    const document = await extract(letter(body, { "Content-Type": type }))
    expect(document.text).toBe(`${HEAD}\n\nIn words.\n\n310 a month`)
    expect(membersOf(document)).toEqual([null, "rent.txt"])
  })

  test("without a subject, without an end, without its parts, is read as far as it goes", async () => {
    expect((await extract(message({ To: "a@b.test" }, "Words."))).text).toBe("To: a@b.test\n\nWords.")
    const whole = mixed(plain("First."), attached("a.txt", "text/plain", "Second."))
    expect((await extract(whole.slice(0, whole.indexOf("U2Vj") + 4))).text).toBe(`${HEAD}\n\nFirst.\n\nSec`)
    expect((await extract(letter("Words.", { "Content-Type": "multipart/mixed" }))).text).toBe(`${HEAD}\n\nWords.`)
    const reason = await extract(message({}, "")).catch((error: ExtractionError) => error.code)
    expect(reason).toBe("no_text")
  })

  test("that was cut out of a mailbox is a mail still", async () => {
    const document = await extract(`From a@b.test Tue Jul  1 10:52:37 2003\r\n${letter("Words.")}`)
    expect(document.text).toBe(`${HEAD}\n\nWords.`)
    expect(membersOf(document)).toEqual([null])
  })

  test("under another name is found by its headers, and a saved page is read without them", async () => {
    expect((await extract(letter("Words."), "letter.doc")).text).toBe(`${HEAD}\n\nWords.`)
    const page = message(
      { From: "<Saved by Blink>", Subject: "Lease", "MIME-Version": "1.0", "Content-Type": "text/html" },
      "<title>Lease</title><p>Attic",
    )
    expect((await extract(page, "page.doc")).text).toBe("Lease\n\nAttic")
  })
})

describe("files on a mail", () => {
  test("are members, those of mails and archives among them too", async () => {
    const inner = multipart("mixed", [plain("Inner words."), attached("note.md", "text/markdown", "# Note")], "inner")
    const forwarded = message({ To: "a@b.test", Subject: "Inner / letter", "Content-Type": inner.type }, inner.body)
    const zip = writeZip([{ name: "a/rent.csv", content: "Room,Rent\nAttic,310" }])
    const document = await extract(
      mixed(
        plain("Words."),
        attached("=?utf-8?Q?r=C3=A4nts.zip?=", "application/zip", zip),
        message({ "Content-Type": "message/rfc822" }, forwarded),
        attached("note.txt", "text/plain", "one"),
        attached("note.txt", "text/plain", "two"),
      ),
    )
    expect(membersOf(document)).toEqual([
      null,
      "ränts.zip/a/rent.csv",
      "Inner - letter.eml",
      "Inner - letter.eml/note.md",
      "note.txt",
      "note (2).txt",
    ])
    expect(textOf(document, "Inner - letter.eml")).toBe("Inner / letter\nTo: a@b.test\nInner words.")
    expect(textOf(document, "note (2).txt")).toBe("two")
    expect(document.warnings).toEqual([])
  })

  test("that cannot be read are warned of, and those that unfold too far cost the mail nothing else", async () => {
    const nested = [1, 2, 3, 4].reduce(
      (content, level) => writeZip([{ name: `${level}.zip`, content }]),
      writeZip([{ name: "a.txt", content: "deep" }]),
    )
    const good = writeZip([{ name: "b.zip", content: writeZip([{ name: "b.txt", content: "In two." }]) }])
    const document = await extract(
      mixed(
        plain("Words."),
        attached("film.mp4", "video/mp4", "\x00\x00\x00 ftypisom\x00"),
        attached("deep.zip", "application/zip", nested),
        attached("good.zip", "application/zip", good),
        attached("note.txt", "text/plain", "Still there."),
      ),
    )
    expect(document.text).toBe(`${HEAD}\n\nWords.\n\nIn two.\n\nStill there.`)
    expect(codesOf(document)).toEqual(["attachment_skipped", "attachment_skipped"])
  })

  test("are left out with a warning where the reader may not read them", async () => {
    const mail = mixed(plain("Words."), attached("note.txt", "text/plain", "one"))
    const document = await extract(mail, "letter.eml", { mayReadAttachments: () => false })
    expect(document.text).toBe(`${HEAD}\n\nWords.`)
    expect(codesOf(document)).toEqual(["attachment_skipped"])
  })

  test("mails on mails are read three deep", async () => {
    let mail = message({ To: "a@b.test", Subject: "6" }, "Level 6.")
    for (let level = 5; level >= 1; level--) {
      const { type, body } = multipart(
        "mixed",
        [plain(`Level ${level}.`), message({ "Content-Type": "message/rfc822" }, mail)],
        `=_${level}`,
      )
      mail = message({ To: "a@b.test", Subject: String(level), "Content-Type": type }, body)
    }
    const document = await extract(mail)
    expect(membersOf(document)).toEqual([null, "2.eml", "2.eml/3.eml", "2.eml/3.eml/4.eml"])
    expect(codesOf(document)).toEqual(["attachment_skipped"])
  })

  test("pictures in the text are left, attached ones read", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNiAAAABgADNjd8qAAAAABJRU5ErkJggg==",
      "base64",
    )
    const shown = message(
      { "Content-Type": "image/png", "Content-ID": "<logo>", "Content-Transfer-Encoding": "base64" },
      png.toString("base64"),
    )
    const related = multipart("related", [html('<p>Words.<img src="cid:logo">'), shown])
    const document = await extract(
      mixed(message({ "Content-Type": related.type }, related.body), attached("scan.png", "image/png", png)),
    )
    expect(document.text).toBe(`${HEAD}\n\nWords.\n\nwords in a picture`)
    expect(membersOf(document)).toEqual([null, "scan.png"])
  })

  test("an invitation says what, when, where and who", async () => {
    const calendar =
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Watering\\, the ficus\r\nDTSTART;TZID=Europe/Berlin:20240301T093000\r\nDTEND:20240301T100000Z\r\n" +
      'LOCATION:Room\r\n  twelve\r\nORGANIZER;CN="Owner: of the house":mailto:owner@house.test\r\nATTENDEE:mailto:tenant@house.test\r\nDESCRIPTION:Bring\\nwater.\r\nEND:VEVENT\r\nEND:VCALENDAR'
    const { type, body } = multipart("alternative", [
      plain("You are invited."),
      message({ "Content-Type": "text/calendar; method=REQUEST" }, calendar),
    ])
    const document = await extract(letter(body, { "Content-Type": type }))
    expect(textOf(document, "invite.ics")).toBe(
      "Watering, the ficus\nBegins: 2024-03-01 09:30 Europe/Berlin\nEnds: 2024-03-01 10:00 UTC\nWhere: Room twelve\n" +
        "Organizer: Owner: of the house <owner@house.test>\nAttendees: tenant@house.test\nBring\nwater.",
    )
  })
})

describe("mails under S/MIME and PGP", () => {
  const enveloped = attached(
    "smime.p7m",
    "application/pkcs7-mime; smime-type=enveloped-data",
    Buffer.from("3080060992864886f70d010703", "hex"),
  )

  test("what is encrypted is warned of, and found by its headers", async () => {
    const pgp = multipart("encrypted", [
      message({ "Content-Type": "application/pgp-encrypted" }, "Version: 1"),
      attached("encrypted.asc", "application/octet-stream", "-----BEGIN PGP MESSAGE-----"),
    ])
    const inline = "Before.\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"
    for (const [mail, text] of [
      [mixed(enveloped), HEAD],
      [letter(pgp.body, { "Content-Type": pgp.type }), HEAD],
      [letter(inline), `${HEAD}\n\nBefore.`],
    ] as const) {
      const document = await extract(mail)
      expect(document.text).toBe(text)
      expect(codesOf(document)).toEqual(["mail_encrypted"])
    }
  })

  test("what is only signed is read without its signature", async () => {
    const { type, body } = multipart("signed", [
      plain("Words."),
      attached("smime.p7s", "application/pkcs7-signature", "x"),
    ])
    const inline =
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nWords.\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"
    for (const mail of [letter(body, { "Content-Type": type }), letter(inline)]) {
      const document = await extract(mail)
      expect(document.text).toBe(`${HEAD}\n\nWords.`)
      expect(document.warnings).toEqual([])
    }
  })

  test("what is wrapped in its signature is unwrapped, in strings of known and of open length", async () => {
    const content = Buffer.from(plain("Wrapped words."))
    const oid = (last: number) => Buffer.from(`06092a864886f70d0107${last.toString(16).padStart(2, "0")}`, "hex")
    const der = (tag: number, ...inner: Buffer[]) => {
      const body = Buffer.concat(inner)
      return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 255]), body])
    }
    const open = (tag: number, ...inner: Buffer[]) =>
      Buffer.concat([Buffer.from([tag, 0x80]), ...inner, Buffer.from([0, 0])])
    const wrapped = (strings: Buffer, wrap: typeof der) =>
      wrap(
        0x30,
        oid(2),
        wrap(0xa0, wrap(0x30, Buffer.from([2, 1, 1]), der(0x31), wrap(0x30, oid(1), wrap(0xa0, strings)))),
      )
    for (const bytes of [
      wrapped(der(0x04, content), der),
      wrapped(open(0x24, der(0x04, content.subarray(0, 20)), der(0x04, content.subarray(20))), open),
    ]) {
      const mail = message(
        {
          ...HEADERS,
          "Content-Type": "application/pkcs7-mime; smime-type=signed-data",
          "Content-Transfer-Encoding": "base64",
        },
        bytes.toString("base64"),
      )
      expect((await extract(mail)).text).toBe(`${HEAD}\n\nWrapped words.`)
    }
  })
})

describe("a mailbox", () => {
  const FROM = "From owner@house.test Tue Jul  1 10:52:37 2003\n"
  const box = (...bodies: string[]) =>
    bodies.map((body, i) => `${FROM}To: a@b.test\nSubject: Note ${i % 2}\n\n${body}\n\n`).join("")

  test("is read message by message, each called by its subject", async () => {
    const document = await extract(box("First.", "Second.", "Third."), "notes.mbox")
    expect(membersOf(document)).toEqual(["Note 0.eml", "Note 1.eml", "Note 0 (2).eml"])
    expect(textOf(document, "Note 0 (2).eml")).toBe("Note 0\nTo: a@b.test\nThird.")
  })

  test("lines of a message that begin with From are told from the beginnings of messages", async () => {
    const document = await extract(
      box(">From here on.\n>>From there.\n\nFrom 10:00 on we water.", "Second."),
      "notes.mbox",
    )
    expect(textOf(document, "Note 0.eml")).toBe(
      "Note 0\nTo: a@b.test\nFrom here on.\n>From there.\n\nFrom 10:00 on we water.",
    )
    expect(membersOf(document)).toHaveLength(2)
  })

  test("a message that cannot be read costs the others nothing", async () => {
    const endless = `${FROM}To: a@b.test\nSubject: Endless\n${"X-Fill: x\n".repeat(300_000)}\nWords.\n\n`
    const document = await extract(`${endless}${box("First.")}`, "notes.mbox")
    expect(membersOf(document)).toEqual(["Note 0.eml"])
    expect(codesOf(document)).toEqual(["member_damaged"])
  })

  test("without a single message that begins as they do is read as one", async () => {
    expect((await extract(letter("Words."), "notes.mbox")).text).toContain("Words.")
    expect([...messagesIn(Buffer.from("Subject: x\n\ny"))]).toEqual([{ start: 0, end: 13 }])
  })

  test("of more messages than are read, the first are", async () => {
    const document = await extract(`${FROM}To: a@b.test\n\nx\n\n`.repeat(100_002), "notes.mbox")
    expect(codesOf(document)).toEqual(["messages_skipped"])
    expect(membersOf(document)).toHaveLength(100_000)
  }, 60_000)
})

describe("an Outlook item", () => {
  const item: Item = {
    texts: {
      "0037": "Water the ficus",
      "0C1A": "Owner",
      "5D01": "owner@house.test",
      "1000": "On Thursdays.\r\n\r\n> Which day?",
    },
    recipients: [
      { name: "Tenant", address: "tenant@house.test", type: 1 },
      { name: "palm@house.test", address: "palm@house.test", type: 2 },
    ],
  }
  const head = "Water the ficus\n\nFrom: Owner <owner@house.test>\nTo: Tenant <tenant@house.test>\nCc: palm@house.test"

  test("is read like a mail, with its files and the items in it as members", async () => {
    const inner = { texts: { "0037": "Inner letter", "1000": "Inner words." } }
    const files = [{ name: "rent.csv", bytes: Buffer.from("Room,Rent\nAttic,310") }]
    const document = await extract(writeMsg({ ...item, files, items: [inner] }), "letter.msg")
    expect(textOf(document, null)).toBe(`${head.replace("\n\n", "\n")}\nOn Thursdays.\n\n> Which day?`)
    expect(membersOf(document)).toEqual([null, "rent.csv", "Inner letter.msg"])
    expect(textOf(document, "Inner letter.msg")).toBe("Inner letter\nInner words.")
  })

  test("with a page or RTF alone is read by that", async () => {
    const { "1000": _, ...texts } = item.texts
    const page = Buffer.from("<title>T</title><p>As a page.</p>")
    expect(
      (await extract(writeMsg({ texts, recipients: item.recipients!, binaries: { "1013": page } }), "a.msg")).text,
    ).toBe(`${head}\n\nAs a page.`)
    const rtf = uncompressed("{\\rtf1\\ansi In rich text.\\par}")
    expect(
      (await extract(writeMsg({ texts, recipients: item.recipients!, binaries: { "1009": rtf } }), "a.msg")).text,
    ).toBe(`${head}\n\nIn rich text.`)
  })

  test("whose chains and folders lead back to themselves is damaged, not read for ever", async () => {
    const intact = writeMsg(item)
    const view = new DataView(intact.buffer, intact.byteOffset)
    const at = (sector: number) => (sector + 1) * 512
    const codes: string[] = []
    for (const damage of [
      // The chain of the directory.
      (file: DataView) =>
        file.setUint32(at(file.getUint32(76, true)) + file.getUint32(48, true) * 4, file.getUint32(48, true), true),
      // The first entry below the root is its own neighbor.
      (file: DataView) => {
        const directory = at(file.getUint32(48, true))
        const first = file.getUint32(directory + 76, true)
        file.setUint32(directory + first * 128 + 68, first, true)
      },
    ]) {
      const copy = intact.slice()
      damage(new DataView(copy.buffer))
      const failed = await extract(copy, "a.msg").catch((error: ExtractionError) => error)
      codes.push(failed instanceof Error ? failed.code : "read")
    }
    expect(view.getUint16(30, true)).toBe(9)
    expect(codes).toEqual(["corrupt_file", "corrupt_file"])
  })

  test("is found under another name", async () => {
    expect((await extract(writeMsg(item), "letter.doc")).text).toStartWith(head)
  })

  test("under S/MIME is unwrapped, or warned of", async () => {
    const encrypted: Item = {
      ...item,
      texts: { ...item.texts, "001A": "IPM.Note.SMIME" },
      files: [{ name: "smime.p7m", bytes: Buffer.from("30800609", "hex") }],
    }
    expect(codesOf(await extract(writeMsg(encrypted), "a.msg"))).toEqual(["mail_encrypted"])
    const { type, body } = multipart("signed", [
      plain("Signed words."),
      attached("smime.p7s", "application/pkcs7-signature", "x"),
    ])
    const signed: Item = {
      ...encrypted,
      texts: { ...item.texts, "001A": "IPM.Note.SMIME.MultipartSigned" },
      files: [{ name: "smime.p7m", bytes: Buffer.from(message({ "Content-Type": type }, body)) }],
    }
    expect((await extract(writeMsg(signed), "a.msg")).text).toBe(`${head}\n\nSigned words.`)
  })
})

test("what Outlook wrapped for other Outlooks gives its text and its files", async () => {
  const title = Buffer.from("rent.csv\0")
  const long = Buffer.from("the rents.csv\0\0\0")
  const properties = Buffer.concat([u32(1), u16(0x1e), u16(0x3707), u32(1), u32(14), long])
  const winmail = writeTnef([
    { id: 0x800c, value: Buffer.from("Wrapped words.\0") },
    { id: 0x9002, value: Buffer.alloc(14) },
    { id: 0x8010, value: title },
    { id: 0x800f, value: Buffer.from("Room,Rent\nAttic,310") },
    { id: 0x9005, value: properties },
  ])
  const document = await extract(mixed(attached("winmail.dat", "application/ms-tnef", winmail)))
  expect(textOf(document, "winmail.dat")).toBe("Wrapped words.")
  expect(textOf(document, "winmail.dat/the rents.csv")).toContain("Attic")
  expect(document.warnings).toEqual([])
})

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)

/** RTF as Outlook stores it where compressing does not help ([MS-OXRTFCP]). */
function uncompressed(rtf: string): Buffer {
  const bytes = Buffer.from(rtf)
  return Buffer.concat([u32(bytes.length + 12), u32(bytes.length), Buffer.from("MELA"), u32(0), bytes])
}

/** Cyrillic in an 8-bit code page that the platform only decodes. */
function encode(text: string, charset: "koi8-r"): Uint8Array {
  const all = new TextDecoder(charset).decode(Uint8Array.from({ length: 256 }, (_, i) => i))
  return Uint8Array.from(text, letter => all.indexOf(letter))
}
