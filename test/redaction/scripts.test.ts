/** Persons and addresses in seventeen scripts: in whole texts, in streams cut anywhere, and on the real application. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEntityModel } from "../../src/backends/entity-model.ts"
import { setLogSink } from "../../src/log.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import type { Client } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { MODEL, startTalk, type Talk } from "../support/talk.ts"

// The first text loads the models.
setDefaultTimeout(120_000)
setLogSink(() => {})

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-scripts-"))
const model = openEntityModel([new URL("../../models", import.meta.url).pathname], nativeDirectory)!
const redactor = new Redactor({ entityModel: model })
const policy = parseRedaction({ kinds: ["NAME", "ADDRESS"] }, false)!
const redact = (text: string) => redactor.redact(text, policy)

afterAll(async () => {
  await model.close()
  rmSync(nativeDirectory, { recursive: true, force: true })
})

interface Script {
  /** Sentences with persons in «» and addresses in ⟦⟧. */
  named: string[]
  impersonal: string[]
}

const SCRIPTS: Record<string, Script> = {
  Cyrillic: {
    named: [
      "Договор подписали «Андрей Васильев» и «Наталья Кузнецова».",
      "Доставка по адресу ⟦г. Казань, ул. Баумана, д. 17, кв. 42⟧.",
    ],
    impersonal: ["Лунный грунт содержит оксиды кремния, железа и титана.", "Новая Зеландия состоит из двух островов."],
  },
  Greek: {
    named: ["Σύμφωνα με την «Ελένη Δημητρίου», η επισκευή τελείωσε.", "Κατοικώ στην ⟦οδό Ερμού 24, 10563 Αθήνα⟧."],
    impersonal: ["Η Ανταρκτική είναι η πιο κρύα ήπειρος της Γης."],
  },
  Arabic: {
    named: [
      "طلبت «مريم الخطيب» تأجيل الاجتماع إلى يوم الخميس.",
      "ترسل البضاعة إلى ⟦شارع الملك فيصل، مبنى 45، الرياض⟧.",
    ],
    impersonal: ["تتكون نيوزيلندا من جزيرتين كبيرتين.", "ما هي مدة العقد؟"],
  },
  Hebrew: {
    named: ["את חוזה המכר חתמו «דוד כהן» ו«רחל לוי».", "יש לשלוח את הסחורה אל ⟦שדרות רוטשילד 22, תל אביב⟧."],
    impersonal: ["ביום שני בבוקר תוגבל התנועה על הגשר.", "מהו משך החוזה?"],
  },
  Devanagari: {
    named: ["«अनीता जोशी» ने बैठक गुरुवार तक टालने को कहा।", "किरायेदार ⟦45, नेहरू नगर, भोपाल 462003⟧ में रहता है।"],
    impersonal: ["अंटार्कटिका पृथ्वी का सबसे ठंडा महाद्वीप है।"],
  },
  Thai: {
    named: ["พยานคนแรกคือ «นายบุญมี ทองคำ» ชาวบ้านในซอย", "ส่งสินค้าไปที่ ⟦123 ถนนสุขุมวิท แขวงคลองเตย เขตคลองเตย กรุงเทพฯ 10110⟧"],
    impersonal: ["นิวซีแลนด์ประกอบด้วยเกาะใหญ่สองเกาะ"],
  },
  Chinese: {
    named: ["买卖合同由«王建国»和«李秀英»签署。", "承租人住在⟦上海市浦东新区世纪大道88号1203室⟧。"],
    impersonal: ["月球土壤含有硅和铁的氧化物。", "新西兰由两个大岛组成。"],
  },
  Japanese: {
    named: ["売買契約には«佐藤健一»が署名した。", "借主は⟦東京都新宿区西新宿2-8-1⟧に住んでいる。"],
    impersonal: ["南極は地球で最も寒い大陸である。", "源氏物語は平安時代に書かれた。"],
  },
  Korean: {
    named: ["«강현우»는 회의를 목요일로 미루자고 했다.", "임차인은 ⟦서울특별시 강남구 테헤란로 152⟧에 거주한다."],
    impersonal: ["남극은 지구에서 가장 추운 대륙이다."],
  },
}
/** Of which the model was taught nothing: it knows their names from pretraining alone, and an answer warns of it. */
const UNTAUGHT: Record<string, [named: string, impersonal: string]> = {
  Georgian: ["ჩემი სახელია «თამარ ჯაფარიძე» და მინდა ქვაბის დაბრუნება.", "ორშაბათს დილით ხიდზე მოძრაობა შეიზღუდება."],
  Armenian: ["Իմ անունը «Տիգրան Սարգսյան» է, դռան զանգը չի աշխատում։", "Լուսնի հողը պարունակում է երկաթի օքսիդներ։"],
  Bengali: ["আমার নাম «সুমন চক্রবর্তী», আমি কেটলিটি ফেরত দিতে চাই।", "পাসওয়ার্ড বদলাতে সেটিংস খুলে বোতামে চাপ দিন।"],
  Tamil: ["என் பெயர் «கார்த்திக் சுப்பிரமணியன்», மின்விசிறி வேலை செய்யவில்லை.", "சென்னை தமிழ்நாட்டின் தலைநகரம்."],
  Telugu: ["నా పేరు «వెంకట్ రావు», తలుపు గంట పనిచేయడం లేదు.", "మందును రోజుకు రెండుసార్లు భోజనం తర్వాత తీసుకోవాలి."],
  Malayalam: ["എന്റെ പേര് «അനിൽ കുമാർ», വാതിൽമണി പ്രവർത്തിക്കുന്നില്ല.", "തിരുവനന്തപുരം കേരളത്തിന്റെ തലസ്ഥാനമാണ്."],
  Gujarati: ["મારું નામ «હાર્દિક મહેતા» છે, મારે કીટલી પાછી આપવી છે.", "ગાંધીનગર ગુજરાતની રાજધાની છે."],
}
for (const [script, [named, calm]] of Object.entries(UNTAUGHT)) SCRIPTS[script] = { named: [named], impersonal: [calm] }
const MARKED = /«([^»]*)»|⟦([^⟧]*)⟧/g
const unmarked = (marked: string): string => marked.replace(MARKED, "$1$2")
const valuesIn = (marked: string): string[] => [...marked.matchAll(MARKED)].map(([, name, address]) => name ?? address!)

describe.each(Object.entries(SCRIPTS))("%s", (script, { named, impersonal }) => {
  test.each(named)("hides persons and addresses: %s", async marked => {
    const { text, partial } = await redact(unmarked(marked))
    for (const value of valuesIn(marked)) expect(text).not.toContain(value)
    expect(text).toContain("[REDACTED_")
    expect(partial).toBe(script in UNTAUGHT)
  })

  test.each(impersonal)("leaves alone what names nobody: %s", async text => {
    expect((await redact(text)).text).toBe(text)
  })

  test("a stream cut anywhere shows what the whole text shows", async () => {
    const text = [...named.map(unmarked), ...impersonal].join(" ").repeat(4)
    const whole = (await redact(text)).text
    for (const size of [1, 2, 5, 17]) {
      const stream = redactor.stream(policy)
      let shown = ""
      for (let at = 0; at < text.length; at += size) shown += await stream.push(text.slice(at, at + size))
      expect(shown + (await stream.end())).toBe(whole)
    }
  })
})

test.each([
  ["a title", "تحدثت مع الدكتورة رنا الخطيب بشأن نتائج التحاليل الأخيرة.", "رنا"],
  ["a form of address", "शर्मा जी, कृपया बिल की एक प्रति ईमेल कर दीजिए।", "शर्मा"],
  ["a form of address", "王老师，我家孩子明天要请半天假。", "王"],
  ["a form of address", "พี่แนนคะ ช่วยส่งไฟล์ใหม่ให้อีกรอบได้ไหมคะ", "แนน"],
])("%s tells that an unlikely word is a name: %s", async (_, text, name) => {
  expect((await redact(text)).text).not.toContain(name)
})

test.each([
  "Резервные копии каждую ночь сохраняются на Яндекс Диске.",
  "تُحفظ النسخ الاحتياطية تلقائيًا في خدمة غوغل درايف كل ليلة.",
  "新版安卓系统支持同时在屏幕上打开两个应用。",
  "출장비 영수증은 언제까지 어느 부서에 내야 하나요?",
  "บุรีรัมย์ยูไนเต็ดเก็บสามแต้มในบ้านและขึ้นนำเป็นจ่าฝูง",
])("what looks like a name, but is listed nowhere and introduced by nothing, is left alone: %s", async text => {
  expect((await redact(text)).text).toBe(text)
})

test("a script whose names are not known is left alone, with a warning", async () => {
  const text = "ኮንትራቱን የፈረመው አበበ ቢቂላ ነው።"
  expect(await redact(text)).toEqual({ text, entities: [], partial: true })
})

test("most names in Cyrillic and Greek capitals are hidden, and it is warned of; not of abbreviations", async () => {
  for (const [text, redacted] of [
    ["ИВАН ПЕТРОВ подписал договор.", "[REDACTED_NAME] подписал договор."],
    ["Υπέγραψε ο ΓΕΩΡΓΙΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ.", "Υπέγραψε ο [REDACTED_NAME]."],
    ["ПРАВИЛА ВНУТРЕННЕГО РАСПОРЯДКА", "ПРАВИЛА ВНУТРЕННЕГО РАСПОРЯДКА"],
  ] as const)
    expect(await redact(text)).toMatchObject({ text: redacted, partial: true })
  for (const text of ["Президент США и делегация СССР.", "Συνεδρίαση του ΟΗΕ στην Αθήνα."])
    expect((await redact(text)).partial).toBe(false)
})

test.each([
  ["markup", "<p>אברהם</p><p>שרה</p>", ["אברהם", "שרה"]],
  ["lists with strokes", "김민수/박지영/이철수", ["김민수", "박지영", "이철수"]],
  ["JSON without blanks", '{"name":"Иван","dept":"Продажи","title":"директор","id":"A1"}', ["Иван"]],
  ["long lists without blanks", `참석자: ${Array(20).fill("김민수,박지영").join(",")}`, ["김민수", "박지영"]],
  [
    "a sentence that begins in Latin letters and goes on for long",
    `Kubernetesで${"本日の会議では来期の予算について話し合い、広告費を増やすことになりました。".repeat(7)}明日、田中太郎さんに連絡してください。`,
    ["田中太郎"],
  ],
  ["wide full stops", "请联系Anna。", ["Anna"]],
  ["surnames of one syllable", "김 과장님, 안녕하세요.", ["김"]],
])("names are hidden in %s", async (_, text, names) => {
  const whole = (await redact(text)).text
  for (const name of names) expect(whole).not.toContain(name)
  const stream = redactor.stream(policy)
  let shown = ""
  for (const letter of text) shown += await stream.push(letter)
  expect(shown + (await stream.end())).toBe(whole)
})

test("a search that nobody waits for any more ends", async () => {
  const gone = new AbortController()
  const text = Array.from({ length: 4000 }, (_, at) => `明天请联系第${at}位客户讨论合同。`).join("")
  const search = redactor.redact(text, policy, gone.signal)
  await Bun.sleep(100)
  gone.abort()
  await expect(search).rejects.toMatchObject({ name: "AbortError" })
})

test("a stream of text without capitals is shown sentence by sentence", async () => {
  const sentence = SCRIPTS.Chinese!.impersonal[0]!
  const stream = redactor.stream(policy)
  let shown = ""
  for (const letter of sentence.repeat(3)) shown += await stream.push(letter)
  expect(shown).toStartWith(sentence)
})

test("a long text lets the windows of others in between", async () => {
  const sentences = Array.from(
    { length: 1200 },
    (_, at) => `طلبت مريم الخطيب رقم ${at} تأجيل الاجتماع إلى يوم الخميس القادم.`,
  )
  let isLongDone = false
  const long = redact(sentences.join(" ")).then(() => {
    isLongDone = true
  })
  await Bun.sleep(100)
  expect((await redact("את החוזה חתם דוד כהן.")).text).toBe("את החוזה חתם [REDACTED_NAME].")
  expect(isLongDone).toBe(false)
  await long
})

describe("on the real application", () => {
  let talk: Talk
  let client: Client
  let server: ModelServer
  const all = Object.values(SCRIPTS).flatMap(({ named }) => named)
  const values = all.flatMap(valuesIn)
  const namesIn = (text: string) => values.filter(value => text.includes(value))

  beforeAll(async () => {
    talk = await startTalk()
    client = talk.api
    server = talk.ollama.server
  })
  afterAll(() => talk.stop())

  test("no passage of an uploaded file, no message and no reply shows a name", async () => {
    await client.index(
      Object.entries(SCRIPTS).map(([script, { named }]) => ({
        name: `${script}.txt`,
        data: named.map(unmarked).join("\n"),
      })),
    )
    const reply = all.map(unmarked).join(" ")
    // Deltas of three characters cut every name.
    server.scenes.add("reply", { pieces: reply.match(/.{1,3}/gsu)! })
    for (const marked of all) {
      const response = await client.raw("POST", "/conversations", {
        message: `case-reply ${unmarked(marked)}`,
        model: MODEL,
        redaction: true,
      })
      const streamed = await response.text()
      const { body } = await client.get(`/conversations/${/conv_[0-9a-z]+/.exec(streamed)![0]}`)
      expect(namesIn(`${streamed}\n${JSON.stringify(body)}`)).toEqual([])
    }
    expect(server.heard.length).toBeGreaterThanOrEqual(all.length)
    expect(namesIn(server.heard.join("\n"))).toEqual([])
  })
})
