/** The model that finds names and addresses: which folder is used, what it finds, and what happens when it cannot. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findEntityFolder, openEntityModel, WorkerEntityModel } from "../../src/backends/entity-model.ts"
import { setLogSink } from "../../src/log.ts"
import { workerUrl } from "../../src/native/self.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"

setDefaultTimeout(60_000)
setLogSink(() => {})

const builtIn = new URL("../../models", import.meta.url).pathname
const temporary = mkdtempSync(join(tmpdir(), "carrel-entities-"))
const nativeDirectory = join(temporary, "native")
const open: WorkerEntityModel[] = []

function opened(directories: string[], startWorker?: () => Worker): WorkerEntityModel {
  const model = new WorkerEntityModel(findEntityFolder(directories)!, {
    nativeDirectory,
    ...(startWorker ? { startWorker } : {}),
  })
  open.push(model)
  return model
}

afterAll(async () => {
  for (const model of open) await model.close()
  rmSync(temporary, { recursive: true, force: true })
})

const policy = parseRedaction({ kinds: ["NAME", "ADDRESS"] }, false)!

describe("the built-in entity model", () => {
  const model = opened([builtIn])
  const redactor = new Redactor({ entityModel: model })
  const redact = async (text: string) => (await redactor.redact(text, policy)).text

  for (const [text, expected] of [
    ["My name is Maria Gonzalez and I live in Spain.", "My name is [REDACTED_NAME] and I live in Spain."],
    ["my name is roberto yamamura", "my name is [REDACTED_NAME]"],
    ["😀😀 Dear Mr. Björklund, thank you", "😀😀 Dear [REDACTED_NAME], thank you"],
    ["Mein Name ist Anna Müller, ich komme aus Berlin", "Mein Name ist [REDACTED_NAME], ich komme aus Berlin"],
    ["Please send it to 221 Baker Street, London", "Please send it to [REDACTED_ADDRESS]"],
    ["He lives at 30 Veslebakken 48 now", "He lives at [REDACTED_ADDRESS] now"],
    ["Rosa forgot her umbrella in the hall.", "[REDACTED_NAME] forgot her umbrella in the hall."],
    ["Saygılarımla,\nZeynep Koç", "Saygılarımla,\n[REDACTED_NAME]"],
    ["Trân trọng, Lê Hoàng Anh", "Trân trọng, [REDACTED_NAME]"],
  ] as const)
    test(`finds what is there: ${text}`, async () => {
      expect(await redact(text)).toBe(expected)
    })

  for (const text of [
    "The committee reviewed the annual report on Monday.",
    "We released version 2.3.4 of the parser and fixed 17 bugs.",
    "Python and JavaScript are programming languages.",
    "const total = items.reduce((sum, item) => sum + item.price, 0)",
    "Install Node 20 and Python 3.11 first.",
    "Die Behörde hat im Jahr 2018 einen Bericht über die Entwicklung der Wirtschaft vorgelegt.",
    "We moved from Norway to Denmark.",
    "What is the notice period in the contract?",
    "Ingredients: 250 g Carnaroli rice, 1 l stock, 80 g Grana Padano",
    "Hull 0800 Grimsby 0915 Immingham 0930",
    "Melbourne Storm 30 Parramatta Eels 16 at AAMI Park.",
    "Docklands 4, Harbour 2, Old Town 7",
    "Rosa canina hips ripen in October.",
    "Miranda warnings must be given before a custodial interrogation.",
    "Bus 42 leaves Victoria every ten minutes.",
    "Rendez-vous au lycée Victor Hugo à 14 heures.",
    "Il liceo Galileo riapre lunedì.",
    "Die Mensa ist am Freitag geschlossen.",
    "Châu Âu và Châu Á là hai châu lục.",
    "Quante lune ha Giove?",
    "Stadio Giuseppe Meazza, ingresso 7",
    "Ulica Jana Pawła II jest zamknięta.",
    "Hermann Hesse Gymnasium, Raum 204",
    "Le marché de Noël de Colmar ouvre samedi.",
    "Peugeot 208, Renault Clio, Citroën C3",
    "Room 12 Rothko, Room 14 Turner, Room 15 Monet",
    "3 Aston Villa 28 17 4 7 59:37 55",
    "1 Mercury 2 Venus 3 Earth 4 Mars",
  ])
    test(`finds nothing where nothing is: ${text}`, async () => {
      expect(await redact(text)).toBe(text)
    })

  test("streams and whole texts agree on prose with names", async () => {
    const text =
      "Dear Anna Kowalska,\n\nthe meeting with Dr. Peter Novak and Li Wei is on Friday at 14 Mill Lane, Oxford. " +
      "Please bring the report that Sofia wrote; Tom from Acme Biosciences will call you.\n\nKind regards,\nJean-Luc Martin\n"
    const whole = await redact(text)
    for (const size of [1, 3, 7, 20]) {
      const stream = redactor.stream(policy)
      let joined = ""
      for (let at = 0; at < text.length; at += size) joined += await stream.push(text.slice(at, at + size))
      expect(joined + (await stream.end())).toBe(whole)
    }
    for (const name of ["Anna", "Kowalska", "Novak", "Martin", "Mill Lane"]) expect(whole).not.toContain(name)
  })

  test("says that it is loaded", () => {
    expect(model.status).toEqual({ model: "carrel-entities-v1", status: "loaded", reason: null })
  })
})

describe("which folder is used", () => {
  test("the largest token classifier; other models and half folders are passed over", () => {
    const folder = join(temporary, "choice")
    cpSync(join(builtIn, "carrel-entities-v1"), join(folder, "larger"), { recursive: true })
    writeFileSync(join(folder, "larger", "onnx", "model.onnx"), new Uint8Array(9_000_000))
    cpSync(join(builtIn, "carrel-entities-v1"), join(folder, "no-weights"), { recursive: true })
    rmSync(join(folder, "no-weights", "onnx"), { recursive: true })
    mkdirSync(join(folder, "empty"))
    expect(findEntityFolder([folder, builtIn])!.name).toBe("larger")
    expect(findEntityFolder([join(temporary, "nowhere"), builtIn])!.name).toBe("carrel-entities-v1")
    expect(findEntityFolder([join(temporary, "nowhere")])).toBeUndefined()
  })
})

describe("the encoder beside it", () => {
  const THING = "Oysters Rockefeller were first made in New Orleans."

  /** A folder of models of which some are copies that a test changes. */
  function folderOf(name: string, copied: string[]): string {
    const folder = join(temporary, name)
    mkdirSync(folder)
    for (const model of ["carrel-entities-v1", "carrel-entities-scripts-v2", "multilingual-e5-small"])
      if (copied.includes(model)) cpSync(join(builtIn, model), join(folder, model), { recursive: true })
      else symlinkSync(join(builtIn, model), join(folder, model))
    return folder
  }
  function openedIn(folder: string): WorkerEntityModel {
    const model = openEntityModel([folder], nativeDirectory)!
    open.push(model)
    return model
  }

  test("says how sure it is of what the built-in model finds", async () => {
    const [found] = await openedIn(folderOf("whole", [])).find(THING)
    expect(found!.kind).toBe("NAME")
    expect(found!.support).toBeLessThan(0.2)
  })

  test("is not asked about the finds of a model that the operator chose", async () => {
    const folder = folderOf("chosen", ["carrel-entities-v1"])
    const path = join(folder, "carrel-entities-v1", "config.json")
    const { carrel: _, ...config } = JSON.parse(readFileSync(path, "utf8"))
    writeFileSync(path, JSON.stringify(config))
    const finds = await openedIn(folder).find("My name is Maria Gonzalez, and Peter Miller wrote this.")
    expect(finds.length).toBeGreaterThan(0)
    for (const find of finds) expect(find.support).toBeUndefined()
  })

  test("that cannot be read fails what needs it, and is tried anew", async () => {
    const folder = folderOf("lost", ["carrel-entities-scripts-v2"])
    const weights = join(folder, "carrel-entities-scripts-v2", "onnx", "model_quantized.onnx")
    const model = openedIn(folder)
    writeFileSync(`${weights}.kept`, readFileSync(weights))
    writeFileSync(weights, "not a model")
    const redactor = new Redactor({ entityModel: model })
    const hebrew = "את החוזה חתם דוד כהן."
    await expect(redactor.redact(hebrew, policy)).rejects.toMatchObject({ code: "model_unavailable", status: 503 })
    expect((await redactor.redact("nothing to see", policy)).text).toBe("nothing to see")
    renameSync(`${weights}.kept`, weights)
    expect((await redactor.redact(hebrew, policy)).text).toBe("את החוזה חתם [REDACTED_NAME].")
  })
})

describe("a model that cannot be used", () => {
  test("fails what asks for names, says why, lets nothing through, and leaves other kinds alone", async () => {
    const folder = join(temporary, "broken")
    cpSync(join(builtIn, "carrel-entities-v1"), join(folder, "broken"), { recursive: true })
    writeFileSync(join(folder, "broken", "onnx", "model.onnx"), "not a model")
    const model = opened([folder])
    const redactor = new Redactor({ entityModel: model })
    await expect(redactor.redact("Anna Smith", policy)).rejects.toMatchObject({
      code: "model_unavailable",
      status: 503,
    })
    expect(model.status.status).toBe("unavailable")
    expect(model.status.reason).toBeString()
    await expect(redactor.stream(policy).push("Anna Smith is here now, ")).rejects.toMatchObject({
      code: "model_unavailable",
    })
    const emails = await redactor.redact("a@example.com", parseRedaction({ kinds: ["EMAIL"] }, false)!)
    expect(emails.text).toBe("[REDACTED_EMAIL]")
  })

  test("a worker that dies is replaced once, and the caller does not notice", async () => {
    let started = 0
    const dying = join(temporary, "dying.ts")
    writeFileSync(dying, "self.onmessage = () => process.exit(1)")
    const model = opened([builtIn], () => new Worker(++started === 1 ? dying : workerUrl("backends/entity-worker")))
    const { text } = await new Redactor({ entityModel: model }).redact("My name is Maria Gonzalez.", policy)
    expect(text).toBe("My name is [REDACTED_NAME].")
    expect(started).toBe(2)
  })
})
