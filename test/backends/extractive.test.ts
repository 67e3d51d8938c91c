/** The back end without a language model: what it says where nothing is asked, nothing answers, and where something does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readAnswers } from "../../scripts/bench/answers/questions.ts"
import type { ChatBackend, Embedder, Grounding, MeaningModels } from "../../src/backends/backend.ts"
import { answering } from "../../src/backends/best-sentences.ts"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { ExtractiveChat, type ExtractiveOptions } from "../../src/backends/extractive.ts"
import { isSmallTalk, withoutGreeting } from "../../src/backends/small-talk.ts"
import { SETTINGS } from "../../src/config-settings.ts"
import { unguarded } from "../support/unguarded.ts"

const PASSAGES = [
  "The notice period during probation is two weeks. The canteen serves lunch until 14:00.",
  "Der Vertrag wurde am 3. Mai geschlossen. Die Kaution beträgt 900 Euro.",
].map((text, at) => ({ index: at + 1, text, score: 0.5 }))

async function say(question: string, options: ExtractiveOptions = {}, more: Partial<Grounding> = {}): Promise<string> {
  const grounding = { question, topic: "", passages: PASSAGES, ...more }
  const { signal } = new AbortController()
  const turns = [{ role: "user" as const, content: question }]
  let text = ""
  const request = await unguarded({ model: "extractive", turns, options: {}, grounding, signal })
  for await (const piece of new ExtractiveChat(options).chat(request)) if (piece.type === "text") text += piece.text
  return text
}

describe("small talk", () => {
  test.each([
    ..."Hello!|hi|Hey there|Good morning|Thanks!|thank you very much|How are you today?|Who are you?|What can you do?|help|bye".split(
      "|",
    ),
    ..."Hallo|Guten Tag!|Vielen Dank|Wer bist du?|Was kannst du?|Bonjour|Merci beaucoup|Qui es-tu ?|Hola|¿Qué puedes hacer?|gracias".split(
      "|",
    ),
    ..."Ciao|Chi sei?|Olá|Obrigado!|Привет|Кто ты?|Что ты умеешь?|спасибо|مرحبا|من أنت؟|شكرا|你好|你是谁？|谢谢".split(
      "|",
    ),
    ..."こんにちは|あなたは誰ですか？|ありがとうございます|नमस्ते|आप कौन हैं?|안녕하세요|Merhaba|👋".split("|"),
  ])("%s is told that no language model is connected, and by which settings one is", async message => {
    const text = await say(message)
    expect(text).toStartWith("No language model is connected")
    const named = [...text.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!.replaceAll("-", "_"))
    expect(named).toEqual(["ollama_host", "openai_base_url", "openai_api_key", "default_model"])
    for (const name of named) expect(Object.keys(SETTINGS)).toContain(name)
  })

  test("says that a model is connected where one is, and that this is none", async () => {
    const server = (status: "ready" | "unavailable") =>
      ({ list: async () => [{ status, capabilities: ["chat"] }] }) as unknown as ChatBackend
    expect(await say("Hello", { others: [server("ready")] })).toContain("A language model is connected")
    expect(await say("Hello", { others: [server("unavailable")] })).toStartWith("No language model is connected")
  })

  test.each([
    "Hello, what is the notice period during probation?",
    "Thanks! And what is the notice period during probation?",
  ])("is none where a question follows: %s", async message => {
    expect(await say(message)).toBe("The notice period during probation is two weeks. [1]")
  })

  test.each(["Help: how do I reset the pump?", "help desk number", "Who are you required to tell?", "", "???"])(
    "is not %p",
    message => {
      expect(isSmallTalk(message)).toBe(false)
      expect(withoutGreeting(message)).toBe(message)
    },
  )
})

describe("an answer", () => {
  test("is refused where the library holds nothing near", async () => {
    expect(await say("xyzzy plugh")).toBe("The library holds nothing that answers this.")
    expect(await say("What is the capital of Mongolia?")).toBe("The library holds nothing that answers this.")
  })

  test("that is not sure names the nearest sentence as no more than that", async () => {
    const vague = {
      passages: [{ index: 1, text: "The tenant keeps the yard and the gate clean in winter.", score: 0.5 }],
    }
    expect(await say("Does the tenant have to clear snow from the yard?", {}, vague)).toBe(
      "The library holds nothing that plainly answers this. Nearest to it is:\n\nThe tenant keeps the yard and the gate clean in winter. [1]",
    )
  })

  test.each([
    ["How many items are on the list?", "The library holds nothing", "a language model is needed"],
    ["What is the total of the stock?", "The library holds nothing", "a language model is needed"],
    ["Hello! What is the average age of the staff?", "The library holds nothing", "a language model is needed"],
    ["Wie viele Leistungen stehen auf der Preisliste?", "Die Bibliothek enthält nichts", "braucht es ein Sprachmodell"],
    ["Wie hoch ist die Summe der Preise?", "Die Bibliothek enthält nichts", "braucht es ein Sprachmodell"],
    ["Combien d’articles y a-t-il dans la liste ?", "La bibliothèque ne contient rien", "il faut un modèle de langage"],
    ["Quelle est la somme des prix ?", "La bibliothèque ne contient rien", "il faut un modèle de langage"],
    ["¿Cuántos artículos hay en la lista?", "La biblioteca no contiene nada", "hace falta un modelo de lenguaje"],
    ["价目表上一共有多少个商品？", "资料库中没有", "需要语言模型"],
    ["كم عدد المواد في القائمة؟", "لا تحتوي المكتبة", "نموذجًا لغويًا"],
    ["Quanti articoli ci sono?", "The library holds nothing", "a language model is needed"],
    ["Сколько товаров в прайс-листе?", "The library holds nothing", "a language model is needed"],
    ["リストには何個ありますか？", "The library holds nothing", "a language model is needed"],
  ])("to be counted or added up says what it takes, and how it is had: %s", async (question, refused, needed) => {
    const nothing = { passages: [] }
    const connected = { list: async () => [{ status: "ready", capabilities: ["chat"] }] } as unknown as ChatBackend
    const text = await say(question, {}, nothing)
    expect(text).toStartWith(refused)
    expect(text).toContain(needed)
    for (const flag of ["--ollama-host", "--openai-base-url", "--openai-api-key"]) expect(text).toContain(flag)
    const chosen = await say(question, { others: [connected] }, nothing)
    expect(chosen).toContain(needed)
    expect(chosen).toContain("--default-model")
    expect(chosen).not.toContain("--ollama-host")
  })

  test("names what it takes to count behind the nearest sentence and behind a whole file, not behind an answer", async () => {
    const vague = {
      passages: [{ index: 1, text: "The tenant keeps the yard and the gate clean in winter.", score: 0.5 }],
    }
    const near = await say("Does the tenant clear snow from the yard in total?", {}, vague)
    expect(near).toContain("Nearest to it is:\n\nThe tenant keeps the yard")
    expect(near).toContain("[1]\n\nTo count or add up, in tables too, a language model is needed")
    const whole = await say("How many tenants are there?", {}, { ...vague, whole: true })
    expect(whole).toContain("a language model is needed")
    expect(await say("How many weeks is the notice period during probation?")).toBe(
      "The notice period during probation is two weeks. [1]",
    )
  })

  test.each([
    ["What is the capital of Mongolia?"],
    ["Who is the accountant?"],
    ["Wie hoch ist die Miete?"],
    ["Combien coûte la nuit ?"],
    ["¿Cuánto cuesta?"],
    ["水深多少？"],
    ["كم سعر الغرفة؟"],
  ])("to a question that asks for no count says nothing of it: %s", async question => {
    expect(await say(question, {}, { passages: [] })).toBe("The library holds nothing that answers this.")
  })

  test("comes by words alone where the embedding model fails", async () => {
    const failing = { embed: () => Promise.reject(new Error("down")) }
    expect(await say("Wie hoch ist die Kaution?", { meaning: () => ({ fast: failing }) })).toBe(
      "Die Kaution beträgt 900 Euro. [2]",
    )
  })

  test("to a message as long as a document is looked for at its beginning and its end", async () => {
    const filler = Array.from({ length: 15_000 }, (_, at) => `word${at}`).join(" ")
    const { quotes } = await answering({ question: filler, topic: "", passages: PASSAGES }, {})
    expect(quotes).toEqual([])
  })

  test("holds a sentence of Hindi, Urdu or Arabic alone, not the paragraph", async () => {
    const passages = [
      { index: 1, text: "विद्यालय सुबह साढ़े सात बजे शुरू होता है। वार्षिक शुल्क चौदह हज़ार रुपये है। बस लाल है।", score: 0.5 },
    ]
    expect(await say("वार्षिक शुल्क कितना है?", {}, { passages })).toBe("वार्षिक शुल्क चौदह हज़ार रुपये है। [1]")
  })
})

/** `scripts/bench/answers.ts` measures it with search before it; here each question is given all texts of its language. */
describe("on the questions with known answers, with the built-in fast model", () => {
  const root = mkdtempSync(join(tmpdir(), "extractive-"))
  const { documents, questions } = readAnswers("dev")
  let embedder: Embedder
  beforeAll(async () => {
    const directories = [join(import.meta.dir, "../../models")]
    embedder = await openEmbedder({ name: "", directories, nativeDirectory: root })
  })
  afterAll(async () => {
    await embedder.close()
    rmSync(root, { recursive: true })
  })

  const passagesIn = (language: string) =>
    documents
      .filter(each => each.language === language)
      .map(({ title, lines }, at) => ({ index: at + 1, text: `${title}\n\n${lines.join("\n")}`, score: 0.5 }))

  const answersTo = (kind: string) =>
    Promise.all(
      questions
        .filter(each => each.kind === kind)
        .map(async ({ text, language, answer }) => {
          const { quotes } = await answering(
            { question: text, topic: "", passages: passagesIn(language === "-" ? "en" : language) },
            { fast: embedder },
          )
          return { quoted: quotes.length > 0, right: quotes.some(quote => quote.text.includes(answer)) }
        }),
    )

  test("at least nine of ten asked in the words of a document are answered", async () => {
    const answers = await answersTo("own")
    expect(answers.filter(({ right }) => right).length / answers.length).toBeGreaterThanOrEqual(0.9)
  })

  test("at least 95 of 100 that no document answers, though one speaks of their subject, are refused", async () => {
    const answers = [...(await answersTo("near")), ...(await answersTo("nothing"))]
    expect(answers.filter(({ quoted }) => !quoted).length / answers.length).toBeGreaterThanOrEqual(0.95)
  })

  describe("and that of the quality tier", () => {
    let quality: Embedder
    beforeAll(async () => {
      const directories = [join(import.meta.dir, "../../models")]
      quality = await openEmbedder({ name: "multilingual-e5-small", directories, nativeDirectory: root })
    })
    afterAll(() => quality.close())

    const asked = (question: string, language = "en") => ({ question, topic: "", passages: passagesIn(language) })

    test("what is asked in other words and not answered is named as nearest, more often than by the fast one", async () => {
      const others = questions.filter(({ kind }) => kind === "other")
      const rightOf = async (models: MeaningModels) => {
        let right = 0
        // one after the other: the better model is waited for no longer than a second and a half
        for (const { text, language, answer } of others) {
          const { nearest } = await answering(asked(text, language), models)
          if (nearest?.text.includes(answer)) right++
        }
        return right
      }
      const [fast, both] = [await rightOf({ fast: embedder }), await rightOf({ fast: embedder, quality })]
      expect(both).toBeGreaterThan(1.4 * fast)
    }, 60_000)

    test("a question that is far from everything names nothing", async () => {
      const models = { fast: embedder, quality }
      for (const question of ["xyzzy plugh frobnicate?", "What is the boiling point of helium?"])
        expect(await answering(asked(question), models)).toEqual({ quotes: [] })
    })

    test("where the better model fails or says nothing in time the fast one names the nearest", async () => {
      const question = questions.find(each => each.kind === "other" && each.language === "en")!.text
      const { cosines } = quality
      const alone = await answering(asked(question), { fast: embedder })
      const failing = { cosines, embed: () => Promise.reject(new Error("down")) }
      expect(await answering(asked(question), { fast: embedder, quality: failing })).toEqual(alone)
      const silent = {
        cosines,
        embed: (_texts: string[], _role: string, signal?: AbortSignal) =>
          new Promise<never>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
      }
      expect(await answering(asked(question), { fast: embedder, quality: silent })).toEqual(alone)
    })
  })
})
