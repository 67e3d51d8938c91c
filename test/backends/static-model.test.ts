import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { type Library, loadLibrary } from "../../src/backends/model-side.ts"
import { readOnnxConstants } from "../../src/backends/onnx-constants.ts"
import { StaticModel } from "../../src/backends/static-model.ts"
import { Unigram } from "../../src/backends/unigram.ts"
import { cosine } from "./embedder-conformance.ts"

const DIRECTORY = join(import.meta.dir, "../../models/carrel-embed-multi-v1")
/** By script and by what tokenizers disagree about. */
const TEXTS = [
  "The employee is entitled to 25 days of annual leave; unused days are carried over until 31 March.",
  "Die Kündigungsfrist beträgt drei Monate zum Quartalsende. Straße, Größe, Übermaß, ﬁne ŁÓDŹ",
  "El contrato se renovará automáticamente, salvo que una de las partes lo cancele por escrito. ¿Cuándo?",
  "L’employé doit remettre ses justificatifs avant la fin du mois ; passé ce délai, plus rien n’est remboursé.",
  "Сотрудник имеет право на ежегодный оплачиваемый отпуск продолжительностью 28 календарных дней.",
  "員工每年享有二十五天的帶薪年假。未使用的假期可以保留到次年三月底。",
  "合同自动续签，除非一方在到期前三个月以书面形式取消。２０２６年４月から適用されます。カタカナ ｶﾀｶﾅ",
  "この規程は、従業員の休暇と出張に関する手続きを定めるものである。",
  "يحق للموظف الحصول على إجازة سنوية مدفوعة الأجر مدتها ثلاثون يومًا. ﷺ ﻻ",
  "לעובד מגיעה חופשה שנתית בתשלום של עשרים יום.",
  "कर्मचारी को प्रति वर्ष पच्चीस दिन का सवेतन अवकाश मिलता है।",
  "พนักงานมีสิทธิลาพักผ่อนประจำปีโดยได้รับค่าจ้าง",
  "직원은 연간 25일의 유급 휴가를 받을 수 있습니다.",
  "Ο εργαζόμενος δικαιούται ετήσια άδεια με αποδοχές.",
  "Nhân viên được nghỉ phép năm có lương; ngày nghỉ không sử dụng sẽ được chuyển sang năm sau.",
  "İşçinin yıllık ücretli izin hakkı vardır. ığüşöç",
  "աշխատողը ունի ամենամյա արձակուրդի իրավունք; თანამშრომელს აქვს შვებულების უფლება",
  "a" + "́" + " e\u0301 \u1e9b\u0323 ① ㎏ ½ ™ … ﹏ ～ x～y ~",
  "\u0000\u0001x\u200by\ufeffz\u00a0w\u3000v\u2028u\tt\n\ns\r\n",
  "🙂 emoji 👩‍👩‍👧‍👦 flags 🇩🇪 \u{1F600}\u{20000}\u{2A6DF} 𝐛𝐨𝐥𝐝",
  "<s> quoted </s> <unk><pad> ＜s＞ <mask>",
  "ꙮ ꙮꙮ ⸎⸎ 𐌰𐌱 rare letters in a row",
  "don't e-mail me@example.com, £5.00 (50%)! https://example.com/a?b=c&d=%20 C:\\temp\\x.txt snake_case CamelCase",
  "▁already ▁▁ marked",
  "x".repeat(500),
  "語".repeat(300),
]

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-static-"))
let library: Library
beforeAll(async () => {
  library = await loadLibrary(nativeDirectory)
})
afterAll(() => rmSync(nativeDirectory, { recursive: true, force: true }))

describe("a static model read without the library", () => {
  test("splits text of every script into the pieces that transformers.js finds", async () => {
    const theirs = await library.AutoTokenizer.from_pretrained(DIRECTORY, { local_files_only: true })
    const ours = new Unigram(JSON.parse(readFileSync(join(DIRECTORY, "tokenizer.json"), "utf8")))
    for (const text of TEXTS)
      expect({ text, ids: ours.encode(text) }).toEqual({
        text,
        ids: theirs.encode(text, { add_special_tokens: false }),
      })
  }, 60_000)

  test("gives the vectors that transformers.js gives", async () => {
    const extract = await library.pipeline("feature-extraction", DIRECTORY, { local_files_only: true, dtype: "q8" })
    const model = StaticModel.open(readEmbeddingFolder(DIRECTORY))
    const [width, ours] = [256, model.embed(TEXTS)]
    for (const [at, text] of TEXTS.entries()) {
      const theirs = await extract(text, { pooling: "cls", normalize: true })
      const same = cosine(ours.subarray(at * width, (at + 1) * width), theirs.data as Float32Array)
      expect({ text, isSame: same > 0.9999 }).toEqual({ text, isSame: true })
    }
  }, 60_000)

  test("has no vector for a text of which it knows nothing", () => {
    const model = StaticModel.open(readEmbeddingFolder(DIRECTORY))
    expect(model.embed(["", " \n", "\u{378}"]).every(value => value === 0)).toBe(true)
  })

  test("refuses a file that ends early", () => {
    const file = readFileSync(join(DIRECTORY, "onnx/model_quantized.onnx"))
    expect(() => readOnnxConstants(file.subarray(0, 1_000_000))).toThrow("damaged")
  })

  test("refuses a tokenizer of another kind", () => {
    const file = JSON.parse(readFileSync(join(DIRECTORY, "tokenizer.json"), "utf8"))
    expect(() => new Unigram({ ...file, normalizer: { type: "NFC" } })).toThrow("another kind")
  })
})
