import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import iconv from "iconv-lite"
import { extractDocument } from "../../../../src/ingest/formats/extract.ts"
import { findExtension } from "../../../../src/ingest/formats/formats.ts"
import { openOle } from "../../../../src/ingest/formats/legacy/ole.ts"
import type { ExtractionError } from "../../../../src/storage/document.ts"
import { biff5, cryptoApiScheme, encryptWorkbook, ole, rc4Scheme, word6, word97, xorScheme } from "../office-writer.ts"
import { writeZip } from "../zip-writer.ts"

const FIXTURES = join(import.meta.dir, "../../../fixtures/documents")
const fixture = (name: string) => new Uint8Array(readFileSync(join(FIXTURES, name)))
const read = (bytes: Uint8Array | string, name: string) =>
  extractDocument({ name, bytes: Buffer.from(bytes as string) }, findExtension(name)!, {
    onProgress: () => {},
    onOcrExpected: () => {},
    pause: async () => {},
    recognize: async () => ({ text: "", confidence: 0 }),
  })
const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error: ExtractionError) => error.code,
  )

/** Code page, language id, character set, text. */
const TEXTS: [string, number, number, string][] = [
  [
    "windows-1251",
    0x419,
    204,
    "Компания обязуется поставить товар в течение тридцати дней со дня подписания договора.",
  ],
  ["windows-1251", 0x422, 204, "Орендар поливає фікус щочетверга, а власник платить за воду, яку використано."],
  ["windows-1251", 0x402, 204, "Наемателят полива растението всеки четвъртък, а собственикът плаща за водата."],
  ["windows-1253", 0x408, 161, "Ο ενοικιαστής ποτίζει τον φίκο κάθε Πέμπτη και ο ιδιοκτήτης πληρώνει το νερό."],
  ["windows-1255", 0x40d, 177, "השוכר משקה את הפיקוס בכל יום חמישי, והבעלים משלם עבור המים."],
  ["windows-1256", 0x401, 178, "يسقي المستأجر النبات كل يوم خميس ويدفع المالك ثمن الماء المستخدم في الغرفة"],
  ["windows-1250", 0x415, 238, "Najemca podlewa fikusa w każdy czwartek, a właściciel płaci za wodę."],
  ["windows-1250", 0x405, 238, "Nájemce zalévá fíkus každý čtvrtek a vlastník platí za vodu, kterou použije."],
  ["windows-1254", 0x41f, 162, "Kiracı her perşembe bitkiyi sular ve mal sahibi suyu öder."],
  ["windows-1257", 0x427, 186, "Nuomininkas kiekvieną ketvirtadienį laisto augalą, o savininkas moka už vandenį."],
  ["windows-874", 0x41e, 222, "ผู้เช่ารดน้ำต้นไม้ทุกวันพฤหัสบดี และเจ้าของจ่ายค่าน้ำ"],
  ["windows-1252", 0x407, 0, "Der Mieter gießt den Gummibaum jeden Donnerstag; für das Wasser zahlt der Eigentümer."],
  ["shift_jis", 0x411, 128, "賃借人は毎週木曜日に観葉植物に水をやり、所有者が水道代を支払う。"],
  ["gbk", 0x804, 134, "承租人每星期四给植物浇水，业主支付水费。这是我们的合同。"],
  ["big5", 0x404, 136, "承租人每星期四給植物澆水，業主支付水費。這是我們的合同。"],
  ["euc-kr", 0x412, 129, "세입자는 매주 목요일에 식물에 물을 주고 소유자는 수도 요금을 지불한다."],
]
const ENGLISH = 0x409

describe("a Word document from before Unicode", () => {
  test.each(TEXTS)("in %s is read by its language", async (page, language, _, text) => {
    expect((await read(word6(iconv.encode(text, page), language), "a.doc")).text).toBe(text)
  })

  test.each(TEXTS)("in %s, by an English Word, is read by its fonts", async (page, _, charset, text) => {
    expect((await read(word6(iconv.encode(text, page), ENGLISH, [0, charset]), "a.doc")).text).toBe(text)
  })

  // A sentence of Czech, Turkish or Lithuanian has too few letters that set it apart from Western languages.
  test.each(TEXTS.filter(([, language]) => ![0x405, 0x41f, 0x427].includes(language)))(
    "in %s that names nothing of the kind is read by its letters",
    async (page, _, __, text) => {
      expect((await read(word6(iconv.encode(text, page), ENGLISH), "a.doc")).text).toBe(text)
    },
  )

  test("that names the wrong one is read by its letters", async () => {
    const [page, , , text] = TEXTS[0]!
    expect((await read(word6(iconv.encode(text, page), 0x408, [161]), "a.doc")).text).toBe(text)
    const german = TEXTS.find(([, language]) => language === 0x407)![3]
    expect((await read(word6(iconv.encode(german, "windows-1252"), 0x419, [204]), "a.doc")).text).toBe(german)
  })
})

describe("a Word document with Unicode", () => {
  test("whose short characters another program wrote in its own code page is read by it", async () => {
    for (const [page, language, , text] of TEXTS.slice(0, 6))
      expect((await read(word97(iconv.encode(text, page), language), "a.doc")).text).toBe(text)
  })

  test("in a Western language is read as before, whatever language it names", async () => {
    const text = "Der Mieter gießt; “quoted” – à l’été, 20 €"
    expect((await read(word97(iconv.encode(text, "windows-1252"), 0x419), "a.doc")).text).toBe(text)
  })

  test("whose pieces all are one part of the file does not grow beyond it", async () => {
    const text = "The tenant waters the ficus in room twelve on Thursdays.\r".repeat(2000)
    const document = await read(word97(Buffer.from(text), ENGLISH, 5000), "a.doc")
    expect(document.text.length).toBeLessThan(text.length * 3)
  })
})

describe("other formats under the name of a Word document", () => {
  const W = 'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"'
  const styles = '<w:styles><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles>'
  const body =
    '<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Договор</w:t></w:r></w:p><w:p><w:r><w:t>The ficus.</w:t></w:r></w:p>'

  test("Word's XML of 2003, in UTF-8, UTF-16 and windows-1251", async () => {
    const xml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><?mso-application progid="Word.Document"?><w:wordDocument ${W}>${styles}<w:body>${body}</w:body></w:wordDocument>`
    for (const [encoding, bytes] of [
      ["UTF-8", Buffer.from(xml("UTF-8"))],
      ["UTF-16", Buffer.from(`\ufeff${xml("UTF-16")}`, "utf16le")],
      ["windows-1251", iconv.encode(xml("windows-1251"), "windows-1251")],
    ] as const) {
      const document = await read(bytes, "a.doc")
      expect([encoding, document.text]).toEqual([encoding, "Договор\n\nThe ficus."])
      expect(document.blocks[1]!.place.section).toBe("Договор")
    }
  })

  test("a package written flat", async () => {
    const xml = `<?xml version="1.0"?><pkg:package xmlns:pkg="x"><pkg:part pkg:name="/word/document.xml"><pkg:xmlData><w:document ${W}><w:body>${body}</w:body></w:document></pkg:xmlData></pkg:part><pkg:part pkg:name="/word/styles.xml"><pkg:xmlData>${styles}</pkg:xmlData></pkg:part></pkg:package>`
    expect((await read(xml, "a.doc")).text).toBe("Договор\n\nThe ficus.")
  })

  test("a web page saved as a message, its parts inside a part, of two alternatives the richer", async () => {
    const message = [
      "From: <Saved by a browser>",
      "Subject: =?windows-1251?Q?=C4=EE=E3=EE=E2=EE=F0?=",
      "MIME-Version: 1.0",
      'Content-Type: multipart/related;\r\n\tboundary="----=_outer"',
      "",
      "Not shown.",
      "------=_outer",
      "Content-Type: multipart/alternative; boundary=inner",
      "",
      "--inner",
      "Content-Type: text/plain",
      "",
      "Plain, and left out.",
      "--inner",
      'Content-Type: text/html; charset="windows-1251"',
      "Content-Transfer-Encoding: base64",
      "",
      iconv.encode("<html><body><h1>Договор</h1><p>Фикус</p></body></html>", "windows-1251").toString("base64"),
      "--inner--",
      "------=_outer",
      "Content-Type: image/png",
      "Content-Transfer-Encoding: base64",
      "",
      "iVBORw0KGgo=",
      "------=_outer--",
    ]
    expect((await read(message.join("\r\n"), "a.doc")).text).toBe("Договор\n\nФикус")
  })

  test("RTF after a byte-order mark, and plain text", async () => {
    expect((await read("\ufeff{\\rtf1\\ansi The ficus.}", "a.doc")).text).toBe("The ficus.")
    expect((await read(iconv.encode("Фикус стоит в комнате двенадцать.", "windows-1251"), "a.doc")).text).toBe(
      "Фикус стоит в комнате двенадцать.",
    )
    expect(
      await codeOf(
        read(
          Uint8Array.from({ length: 500 }, (_, i) => i),
          "a.doc",
        ),
      ),
    ).toBe("corrupt_file")
  })
})

describe("a workbook that a password only protects against changes", () => {
  const stream = openOle(fixture("rents.xls")).get("workbook")!
  const schemes = [
    ["RC4", rc4Scheme("VelvetSweatshop")],
    ["RC4 by CryptoAPI, 128 bits", cryptoApiScheme("VelvetSweatshop", 128)],
    ["RC4 by CryptoAPI, 40 bits", cryptoApiScheme("VelvetSweatshop", 40)],
    ["XOR", xorScheme],
  ] as const
  test.each(schemes)("by %s is read", async (_, scheme) => {
    const { text } = await read(ole({ Workbook: encryptWorkbook(stream, scheme) }), "a.xls")
    expect(text).toBe("Rents\n\nRoom\tRent\nAttic\t310\n\nNotes\n\nThe ficus is watered on Thursdays.")
  })

  test("of Excel 2010 is read, and its sheets have their names", async () => {
    expect((await read(fixture("protected.xlsx"), "a.xlsx")).text).toBe("Rents\n\nRoom\tRent\nAttic\t310")
    expect((await read(fixture("protected.xlsx"), "a.xls")).text).toBe("Rents\n\nRoom\tRent\nAttic\t310")
  })

  test("and one that a password of its own protects against reading is refused", async () => {
    for (const scheme of [rc4Scheme("secret"), cryptoApiScheme("secret", 128), { ...xorScheme, pass: Buffer.alloc(6) }])
      expect(await codeOf(read(ole({ Workbook: encryptWorkbook(stream, scheme) }), "a.xls"))).toBe("encrypted_file")
    const broken = Buffer.from(fixture("protected.xlsx"))
    broken.write("072", broken.indexOf('keyBits="256"') + 9)
    expect(await codeOf(read(broken, "a.xlsx"))).toMatch(/^(encrypted|corrupt)_file$/)
    const noKey = Buffer.from(fixture("protected.xlsx"))
    noKey.write("====", noKey.indexOf('encryptedKeyValue="') + 19)
    expect(await codeOf(read(noKey, "a.xlsx"))).toMatch(/^(encrypted|corrupt)_file$/)
    const changed = fixture("protected.xlsx")
    const verifier = Buffer.from(changed).indexOf('encryptedVerifierHashValue="') + 28
    changed[verifier] = changed[verifier] === 65 ? 66 : 65
    expect(await codeOf(read(changed, "a.xlsx"))).toBe("encrypted_file")
  })
})

describe("members of an archive", () => {
  const docx = fixture("lease.docx")

  test("are read by what they hold where their names say nothing", async () => {
    const archive = writeZip([
      { name: "README", content: "The ficus is watered." },
      { name: "server.log", content: "ficus log" },
      { name: "schema.xsd", content: '<?xml version="1.0"?><schema name="ficus"/>' },
      { name: "place.kml", content: "<kml><name>Attic</name></kml>" },
      { name: "lease.docm", content: docx },
      { name: "utf16.ini", content: Buffer.from("\ufeffname=Фикус", "utf16le") },
      {
        name: "letter.eml",
        content:
          "From: a@example.org\r\nTo: b@example.org\r\nSubject: Watering\r\nContent-Type: text/plain\r\n\r\nPlease.",
      },
      { name: "film.mp4", content: Buffer.concat([Buffer.from("\0\0\0\x20ftypmp42"), Buffer.alloc(5000, 7)]) },
      { name: "program", content: Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(5000)]) },
    ])
    const { text, blocks, warnings } = await read(archive, "a.zip")
    expect(blocks.map(({ place }) => place.member)).toEqual(expect.arrayContaining(["README", "lease.docm"]))
    for (const found of [
      "The ficus is watered.",
      "ficus log",
      'schema name="ficus"',
      "<name>Attic</name>",
      "Lease of the attic",
      "name=Фикус",
      "Watering",
      "Please.",
    ])
      expect(text).toContain(found)
    expect(warnings).toEqual([
      { code: "member_skipped", message: "film.mp4: files of this type cannot be read" },
      { code: "member_skipped", message: "program: files of this type cannot be read" },
    ])
  })

  test("that cannot be read are not unpacked: a film of 300 MB of zeros does not make a bomb", async () => {
    const film = { name: "film.mp4", content: new Uint8Array(300_000_000) }
    const { text } = await read(writeZip([film, { name: "a.txt", content: "The ficus." }]), "a.zip")
    expect(text).toBe("The ficus.")
  }, 30_000)

  test("packed by Deflate64, Bzip2 and LZMA are read whole", async () => {
    const { text, blocks } = await read(fixture("packed.zip"), "a.zip")
    const whole = Array.from({ length: 6000 }, (_, i) => `${i % 97} ficus ${(i * 7) % 31}`).join("\n")
    for (const name of ["deflate64.txt", "bzip2.txt", "lzma.txt"]) {
      const own = blocks.filter(({ place }) => place.member === name)
      expect(text.slice(own[0]!.start, own.at(-1)!.end)).toBe(whole)
    }
  })
})

describe("what was filled into a form", () => {
  test("of Word: lists and boxes of old forms, fields of new ones", async () => {
    const W = 'xmlns:w="x"'
    const run = (inside: string) => `<w:r>${inside}</w:r>`
    const field = (data: string) => run(`<w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar>`)
    const text = (said: string) => run(`<w:t xml:space="preserve">${said}</w:t>`)
    const list =
      '<w:ddList><w:result w:val="1"/><w:default w:val="0"/><w:listEntry w:val="Paris"/><w:listEntry w:val="London"/></w:ddList>'
    const body = [
      text("City: ") + field(list),
      field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + text("pets"),
      field('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>') + text("smoker"),
      `${text("Name: ")}<w:sdt><w:sdtContent>${text("O'Leary")}</w:sdtContent></w:sdt>`,
    ]
    const document = `<w:document ${W}><w:body>${body.map(p => `<w:p>${p}</w:p>`).join("")}</w:body></w:document>`
    const docx = writeZip([
      {
        name: "_rels/.rels",
        content:
          '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>',
      },
      { name: "word/document.xml", content: document },
    ])
    expect((await read(docx, "a.docx")).text.split("\n\n")).toEqual([
      "City: London",
      "[x] pets",
      "smoker",
      "Name: O'Leary",
    ])
  })

  test("of OpenDocument", async () => {
    const NS = "urn:oasis:names:tc:opendocument:xmlns"
    const names = ["office", "text", "form"].map(name => `xmlns:${name}="${NS}:${name}:1.0"`).join(" ")
    const fields =
      '<form:text form:name="surname" form:current-value="O\'Leary"/><form:text form:name="empty"/><form:checkbox form:label="pets" form:current-state="checked"/><form:checkbox form:label="smoker"/><form:listbox form:name="days"><form:option form:label="Mon" form:current-selected="true"/><form:option form:label="Tue"/><form:option form:label="Thu" form:current-selected="true"/></form:listbox><form:password form:name="secret" form:current-value="hunter2"/>'
    const content = `<office:document-content ${names}><office:body><office:text><office:forms><form:form>${fields}</form:form></office:forms><text:p>Application</text:p></office:text></office:body></office:document-content>`
    const odt = writeZip([
      { name: "mimetype", content: "application/vnd.oasis.opendocument.text", stored: true },
      { name: "content.xml", content },
    ])
    expect((await read(odt, "a.odt")).text.split("\n\n")).toEqual([
      "Application",
      "surname: O'Leary",
      "[x] pets",
      "days: Mon, Thu",
    ])
  })

  test("of a web page: every kind of field but hidden ones and passwords", async () => {
    const html =
      '<form>Mail <input type="email" value="a@example.org"> Since <input type="date" value="2026-01-02"> <input type="checkbox" checked> pets <input type="checkbox"> smoker <input type="hidden" value="token"><input type="password" value="hunter2"></form>'
    expect((await read(html, "a.html")).text).toBe("Mail a@example.org Since 2026-01-02 [x] pets smoker")
  })
})

describe("a workbook of Excel 95", () => {
  const texts: [string, number, string[]][] = [
    ["windows-1251", 1251, ["Компания", "Аренда помещения", "Лист"]],
    ["windows-1253", 1253, ["Ενοικιαστής", "Ιδιοκτήτης του σπιτιού", "Φύλλο"]],
    ["windows-1250", 1250, ["Właściciel", "Książka żółtych łąk", "Arkusz"]],
    ["shift_jis", 932, ["賃借人は毎週", "植物に水をやり", "表の一"]],
  ]

  test.each(texts)("in %s is read by the code page that it names", async (page, number, [a, b, c]) => {
    expect((await read(biff5(page, number, [a!, b!, c!]), "a.xls")).text).toBe(`${c}\n\n${a}\t1\n${b}\t310`)
  })

  test("that names the Western one and is in Russian is read all the same", async () => {
    const [a, b, c] = texts[0]![2]
    expect((await read(biff5("windows-1251", 1252, [a!, b!, c!]), "a.xls")).text).toBe(`${c}\n\n${a}\t1\n${b}\t310`)
  })
})
