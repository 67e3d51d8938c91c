/** What the built-in model and the rules together find of persons, and what they leave of text that names nobody. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEntityModel } from "../../src/backends/entity-model.ts"
import { setLogSink } from "../../src/log.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"

setDefaultTimeout(60_000)
setLogSink(() => {})

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-detection-"))
const model = openEntityModel([new URL("../../models", import.meta.url).pathname], nativeDirectory)!
const redactor = new Redactor({ entityModel: model })
const policy = parseRedaction(true, false)!
const redact = async (text: string) => (await redactor.redact(text, policy)).text

afterAll(async () => {
  await model.close()
  rmSync(nativeDirectory, { recursive: true, force: true })
})

describe("left as it is", () => {
  for (const text of [
    "1/2 tsp salt, 3",
    "Downing Street said the review would report before Easter.",
    "Oysters Rockefeller were first made in New Orleans in 1899.",
    "Tetris came with the Game Boy in 1989.",
    "Il Lago Maggiore è tra Lombardia e Piemonte.",
    "Влакът за Пловдив тръгва от коловоз 3.",
    "من أين يأتي اسم المدينة؟",
    "0, green 160",
    "Satanic felines, said the review, were the best thing about the musical.",
    "Peerj published the correction in March.",
    "Preheat oven to 350 degrees F and lightly grease a baking dish.",
    "Kubernetes restarts the pod when the liveness probe fails.",
    "Terraform stores its state in a bucket.",
    "Drosophila melanogaster larvae were reared on yeast and cornmeal.",
    "Zillow cut its forecast for the second time this quarter.",
    "The Osprey dives feet first.",
    "my card is 4111 1111",
    "Pump 3\t1,450 rpm\t1,500 rpm",
    "Neon 20.180, Argon 39.948, Krypton 83.798",
    "Arrival 09:15 Platform 7 Leiden",
    "what are clades?",
    "Lake Victoria: depth and area",
    "Orders of the Baker Hughes Company",
    "Vịnh Hạ Long: giá vé",
    "See Young v. Jewel, 356 N.W.2d 738 (Minn. 1984).",
    "A federal law passed in 1936 that tightened the Clayton Act’s prohibitions against price discrimination.",
    "Other medications used to treat Bell's palsy include acyclovir.",
    "Wie viele Quadratkilometer Regenwald bedecken das Amazonasbecken?",
    "Vịnh Hạ Long là di sản thế giới.",
    "ما هي مدة العقد؟",
    "מהו משך החוזה?",
    "مدت قرارداد چقدر است؟",
    "계약 기간은 얼마나 됩니까?",
    "从2000年到2005年，森林砍伐的速度是每年多少平方英里？",
    "1985年に条約に署名したのはどの国ですか。",
    "1915 में पुरस्कार के लिए कितने नामांकन हुए थे?",
    "ในปี 1985 มีกี่ประเทศที่ลงนามในสนธิสัญญา",
    "Какова продолжительность договора?",
    "Ποια είναι η διάρκεια της σύμβασης;",
    "Narodowy Bank Polski utrzymał stopy procentowe bez zmian.",
    "Quốc gia nào sản xuất dầu lớn thứ hai?",
    "¿Cuántas lunas tiene Júpiter?",
    "Welche Leistungen umfasst die Hausratversicherung?",
    "Hoeveel manen heeft Jupiter?",
    "Perché le meduse brillano al buio?",
    "Combien de pays ont signé le traité de Rome ?",
    "Deniz suyundan içme suyu nasıl elde edilir?",
  ])
    test(text, async () => expect(await redact(text)).toBe(text))
})

describe("found", () => {
  for (const marked of [
    "my name is «priya natarajan» and i lost my card",
    "hi «hannah», can you send me the slides?",
    "i spoke with «laura benitez» yesterday about the lease",
    "attendees: «alice moreau», «ben osei», «chiara romano»",
    "Please ask «Sarah Stone» for the keys.",
    "«Theo Marsh» and «Pearl Wood» share a flat.",
    "Judge «Prentiss» adjourned.",
    "«Sarah»'s test is on Friday.",
    "Tên tôi là «Nguyễn Văn Minh».",
    "«Peter Fish» and «Anna Bush» share an office.",
    "The chair, «Mr. Young», opened the meeting.",
    "Present were «Fiona Walsh», «George Papadakis», «Helen Cho» and «Ibrahim Saleh».",
    "Mein Name ist «Katharina Vogel» und ich habe eine Frage zur Rechnung.",
    "Le rapport a été rédigé par «Julien Mercier».",
    "Me llamo «Carmen Ortega» y quiero cambiar mi contrato.",
    "Nazywam się «Agnieszka Wójcik» i mam pytanie.",
    "Mijn naam is «Sanne de Vries» en ik heb een vraag.",
    "Mi chiamo «Giulia Ferrari» e vorrei disdire il contratto.",
    "Benim adım «Elif Yılmaz» ve bir sorum var.",
    "Contract of «John Smith»",
    "«John Smith»: notice period?",
    "Salary of «Peter Miller» 2024",
    "Notes\n«Ada Lovelace»\nThe engine is to be built this year, and the committee agrees.",
  ])
    test(marked, async () => {
      expect(await redact(marked.replaceAll(/[«»]/g, ""))).toBe(marked.replaceAll(/«[^»]*»/g, "[REDACTED_NAME]"))
    })

  test("a town in its own writing belongs to its address", async () => {
    expect(await redact("Ship it to 92 Eusebio Dávila 57, 横浜, Japan 56139 please.")).toBe(
      "Ship it to [REDACTED_ADDRESS] please.",
    )
  })

  test("a name in Latin letters is found amid another script", async () => {
    expect(await redact("我叫 Anna Smith 住在北京")).toBe("我叫 [REDACTED_NAME] 住在北京")
    expect(await redact("我叫Anna Smith住在北京")).toBe("我叫[REDACTED_NAME]住在北京")
  })

  test("a telephone number is no address", async () => {
    expect(await redact("Telefon 030 123456")).toBe("Telefon [REDACTED_PHONE]")
  })
})
