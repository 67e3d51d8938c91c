import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import iconv from "iconv-lite"
import { decodePieces, decodeText, detectEncoding } from "../../../../src/ingest/formats/text/decode.ts"

const TEXTS = {
  german: "Über die Straße gehen fünf größere Männer, die schöne Bäume mögen und sich darüber ärgern, dass es regnet.",
  russian: "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью.",
  japanese:
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられている。",
  chinese: "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
}
const CASES: [encoding: string, text: string][] = [
  ["utf-8", TEXTS.japanese],
  ["utf-16le", TEXTS.german],
  ["utf-16be", TEXTS.german],
  ["utf-16le", `${TEXTS.japanese}\n${TEXTS.japanese}\nwith some ASCII`],
  ["windows-1252", TEXTS.german],
  ["windows-1251", TEXTS.russian],
  ["koi8-r", TEXTS.russian],
  ["shift_jis", TEXTS.japanese],
  ["euc-jp", TEXTS.japanese],
  ["gb18030", TEXTS.chinese.repeat(3)],
  [
    "shift_jis",
    `氏名,住所,電話番号\n山田太郎,東京都千代田区,〇三\n${"There is support for images, tables, lists and notes.\n".repeat(40)}`,
  ],
  ["windows-1251", "Имя;Фамилия;Город\nИван;Петров;Москва\n"],
  ["windows-1251", "Dear Sirs, the company Компания is our partner in Moscow. ".repeat(3)],
  ["windows-1250", "Najemca podlewa fikusa w każdy czwartek, a właściciel płaci za wodę. Książka, żółw, źdźbło, łąka."],
  ["windows-1250", "A bérlő minden csütörtökön megöntözi a növényt, és a tulajdonos fizeti a vizet. Őrült űrhajós."],
  ["iso-8859-2", "Najemca podlewa fikusa w każdy czwartek, a właściciel płaci za wodę. Książka, żółw, źdźbło, łąka."],
  ["windows-1252", "Name;Straße;Ort\nMüller;Hauptstraße 1;Köln\n"],
  ["euc-kr", "세입자는 매주 목요일에 식물에 물을 주고 소유자는 수도 요금을 지불한다."],
  ["big5", "人人生而自由，在尊嚴及權利上均各平等。人各賦有理性良知，誠應和睦相處，情同手足。".repeat(2)],
]

describe("the encoding of a text", () => {
  for (const [encoding, text] of CASES)
    test(`${encoding} is found without being told: ${text.slice(0, 12)}…`, () => {
      expect(decodeText(iconv.encode(text, encoding))).toBe(text)
    })

  test("a byte-order mark decides, and is no part of the text", () => {
    for (const encoding of ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])
      expect(decodeText(iconv.encode(TEXTS.german, encoding, { addBOM: true }))).toBe(TEXTS.german)
  })

  test("a few broken bytes do not make UTF-8 something else", () => {
    const bytes = Buffer.concat([Buffer.from(TEXTS.russian), Buffer.from([0xff]), Buffer.from(TEXTS.russian)])
    expect(decodeText(bytes)).toBe(`${TEXTS.russian}\ufffd${TEXTS.russian}`)
  })

  test("a declaration is believed only where it can be true", () => {
    expect(detectEncoding(Buffer.from("plain ASCII"), "koi8-r")).toBe("utf-8")
    expect(detectEncoding(iconv.encode(TEXTS.russian, "koi8-r"), "windows-1251")).toBe("windows-1251")
    expect(detectEncoding(iconv.encode(TEXTS.russian, "koi8-r"), "no-such-thing")).toBe("koi8-r")
  })

  test("pieces of a long text join to the whole, wherever they are cut", () => {
    const text = fc
      .array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\r\n", "\n", "😀")), { maxLength: 60 })
      .map(parts => `ä${parts.join("")}`)
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, size) => {
        const pieces = [...decodePieces(Buffer.from(whole), undefined, size)]
        expect(pieces.join("")).toBe(whole.toWellFormed())
        for (const piece of pieces.slice(0, -1)) {
          expect(piece.isWellFormed()).toBe(true)
          expect(piece).not.toEndWith("\r")
        }
      }),
    )
  })
})
