/** A mailbox of Dovecot, as a source sees it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import net from "node:net"
import type { ImapFlow } from "imapflow"
import type { AppError } from "../../../src/errors.ts"
import { type Connector, Outage } from "../../../src/sources/connector.ts"
import { imapSource } from "../../../src/sources/connectors/imap.ts"
import { Fields } from "../../../src/sources/fields.ts"
import { contentOf, entriesOf, opened, someParts } from "../../support/connectors.ts"
import { DovecotServer, hasDovecot, LOGIN } from "../../support/mail-server.ts"
import { rejection } from "../../support/rejection.ts"

const mail = (subject: string, body = "words") =>
  `From: a@example.org\r\nTo: b@example.org\r\nSubject: ${subject}\r\nMessage-ID: <${subject.length}.${body.length}@x>\r\n\r\n${body}\r\n`

describe.skipIf(!hasDovecot)("imap source", () => {
  let server: DovecotServer
  let here: ReturnType<typeof someParts>
  let mailbox: string
  let count = 0
  const closing: Connector[] = []

  beforeAll(async () => {
    server = new DovecotServer()
    await server.start()
  })
  afterAll(() => server.close())
  beforeEach(() => {
    here = someParts(["127.0.0.1", "localhost"], { ca: server.ca })
    mailbox = `box${++count}`
  })
  afterEach(async () => {
    for (const connector of closing.splice(0)) await connector.close!()
    here.remove()
  })

  function connect(config: Record<string, unknown> = {}, credentials: Record<string, unknown> = LOGIN): Connector {
    const given = { host: "localhost", port: server.tlsPort, mailbox, ...config }
    const connector = opened(imapSource, here.parts, given, credentials)
    closing.push(connector)
    return connector
  }

  const put = (...messages: string[]) =>
    server.as(mailbox, async client => {
      for (const message of messages) await client.append(mailbox, message)
    })
  const change = (work: (client: ImapFlow) => Promise<unknown>) => server.as(mailbox, work)

  test.each([
    ["TLS from the first byte", () => ({ tls: "implicit", port: server.tlsPort })],
    ["STARTTLS", () => ({ tls: "starttls", port: server.port })],
    ["no protection", () => ({ tls: false, port: server.port })],
  ])("messages are listed and read over %s, byte by byte", async (_, config) => {
    await put(mail("one"), mail("two", "deux"))
    const connector = connect(config())
    const entries = [...(await entriesOf(connector)).values()]
    expect(entries.map(({ name }) => name)).toEqual(["1.eml", "2.eml"])
    expect(entries[0]).toMatchObject({ size: mail("one").length, fingerprint: entries[0]!.key })
    expect(entries[0]!.key).toMatch(/^\d+\/1\.eml$/)
    expect(Date.parse(entries[0]!.updatedAt!)).toBeGreaterThan(Date.now() - 600_000)
    expect(String(await contentOf(connector, entries[1]!))).toBe(mail("two", "deux"))
  })

  test("a message is called by its subject, without what no name may hold", async () => {
    await put(mail("Offer 12/2026: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_=F0=9F=98=80?="), mail(""), mail("x".repeat(500)))
    const connector = connect()
    const names: string[] = []
    for (const entry of (await entriesOf(connector)).values())
      names.push((await connector.read(entry, new AbortController().signal))!.name)
    expect(names).toEqual(["Offer 12 2026: Grüße 😀.eml", "2.eml", `${"x".repeat(120)}.eml`])
  })

  test("messages stay as unread as they were", async () => {
    await put(mail("one"), mail("two"))
    await change(client => client.messageFlagsAdd("2", ["\\Seen"]))
    const connector = connect()
    for (const entry of (await entriesOf(connector)).values()) await contentOf(connector, entry)
    const flags = await change(async client =>
      (await client.fetchAll("1:*", { flags: true })).map(each => [...each.flags!]),
    )
    expect(flags).toEqual([expect.not.arrayContaining(["\\Seen"]), expect.arrayContaining(["\\Seen"])])
  })

  test("keys and fingerprints stay; what is deleted, or marked as deleted, is gone", async () => {
    await put(mail("one"), mail("two"), mail("three"))
    const before = await entriesOf(connect())
    await change(async client => {
      await client.messageDelete("1")
      await client.messageFlagsAdd("2", ["\\Deleted"], { uid: true })
    })
    await put(mail("four"))
    const connector = connect()
    const after = await entriesOf(connector)
    const [gone, , kept] = [...before.values()]
    expect([...after.values()].map(({ name }) => name)).toEqual(["3.eml", "4.eml"])
    expect(after.get(kept!.key)).toEqual(kept!)
    expect(await contentOf(connector, gone!)).toBeUndefined()
  })

  test("a mailbox that was made anew has new keys, and the former ones are gone", async () => {
    await put(mail("one"))
    const [former] = [...(await entriesOf(connect())).values()]
    await server.as("INBOX", client => client.mailboxDelete(mailbox))
    await Bun.sleep(1_100) // the server numbers mailboxes by seconds
    await put(mail("another"))
    const connector = connect()
    const [now] = [...(await entriesOf(connector)).values()]
    expect(now!.name).toBe(former!.name)
    expect(now!.key).not.toBe(former!.key)
    expect(await contentOf(connector, former!)).toBeUndefined()
  })

  test("an entry of a former process is read without a list", async () => {
    await put(mail("one"))
    const [entry] = [...(await entriesOf(connect())).values()]
    expect(String(await contentOf(connect(), entry!))).toBe(mail("one"))
  })

  test("mailboxes have names of any script", async () => {
    for (const name of ["Entwürfe & Größe", "受信箱", 'a "quoted" one', "Projekte.Übersee"]) {
      mailbox = name
      await put(mail("one"))
      expect((await entriesOf(connect())).size, name).toBe(1)
    }
  })

  test("messages before a day are left out", async () => {
    await server.as(mailbox, async client => {
      await client.append(mailbox, mail("old"), [], new Date("2020-05-01T12:00:00Z"))
      await client.append(mailbox, mail("new"), [], new Date("2026-05-02T12:00:00Z"))
    })
    expect([...(await entriesOf(connect({ since: "2026-01-01" }))).values()].map(({ name }) => name)).toEqual(["2.eml"])
  })

  test("a large message comes in pieces, whole; one that is left does no harm to the next", async () => {
    const body = Buffer.from(crypto.getRandomValues(new Uint8Array(16_000_000)))
      .toString("base64")
      .replace(/.{76}/g, "$&\r\n")
    const large = mail("large", body)
    await put(large, mail("small"))
    const connector = connect()
    const [first, second] = [...(await entriesOf(connector)).values()]
    const content = await connector.read(first!, new AbortController().signal)
    let largest = 0
    for await (const piece of content!.bytes) {
      largest = piece.length
      break
    }
    expect(largest).toBeLessThanOrEqual(2 ** 20)
    expect(String(await contentOf(connector, second!))).toBe(mail("small"))
    const hash = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")
    expect(hash((await contentOf(connector, first!))!)).toBe(hash(large))
  }, 60_000)

  test("several messages are read at the same time", async () => {
    const messages = Array.from({ length: 30 }, (_, at) => mail(`number ${at}`, `body ${at}`))
    await put(...messages)
    const connector = connect()
    const entries = [...(await entriesOf(connector)).values()]
    const texts = await Promise.all(entries.map(async entry => String(await contentOf(connector, entry))))
    expect(texts).toEqual(messages)
  })

  const outage = async (connector: Connector): Promise<string> => {
    const error = await rejection(entriesOf(connector))
    expect(error).toBeInstanceOf(Outage)
    return (error as Error).message
  }

  test("a wrong password, and none, are outages that say so", async () => {
    await put(mail("one"))
    const refused = "the server refuses the user name or password"
    expect(await outage(connect({}, { ...LOGIN, password: "guess" }))).toBe(refused)
    const none = opened(imapSource, here.parts, { host: "localhost", port: server.tlsPort, mailbox })
    expect(await outage(none)).toBe("the mail server wants a user name and a password")
  })

  test("a mailbox that is not there is an outage", async () => {
    expect(await outage(connect())).toBe(`there is no mailbox ${mailbox}`)
  })

  test("a certificate of somebody else is an outage, over both kinds of TLS", async () => {
    await put(mail("one"))
    here.remove()
    here = someParts(["127.0.0.1", "localhost"])
    await outage(connect())
    await outage(connect({ tls: "starttls", port: server.port }))
  })

  test("a server that stops is an outage, and is connected to again when it is back", async () => {
    await put(mail("one"))
    const connector = connect()
    const [entry] = [...(await entriesOf(connector)).values()]
    await server.stop()
    expect(await rejection(contentOf(connector, entry!))).toBeInstanceOf(Outage)
    await outage(connect())
    await server.start()
    expect(String(await contentOf(connector, entry!))).toBe(mail("one"))
  })

  /** Answers as a mail server would that is in the hands of somebody else. @returns what it was told */
  async function impostor(
    greeting: string,
    answers: (line: string) => string,
  ): Promise<{ port: number; told: string[]; stop(): void }> {
    const told: string[] = []
    const listener = net.createServer(socket => {
      socket.on("error", () => {})
      socket.write(`${greeting}\r\n`)
      socket.on("data", data => {
        for (const line of data.toString().split("\r\n").filter(Boolean)) {
          told.push(line)
          socket.write(answers(line))
        }
      })
    })
    await new Promise<void>(resolve => listener.listen(0, "127.0.0.1", resolve))
    return { port: (listener.address() as net.AddressInfo).port, told, stop: () => listener.close() }
  }

  test.each([
    ["that hides STARTTLS", "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello", "OK done"],
    ["that refuses STARTTLS", "* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] hello", "NO not now"],
    ["that says all is well already", "* PREAUTH [CAPABILITY IMAP4rev1] hello", "OK done"],
    ["that puts words before the handshake", "* OK [CAPABILITY IMAP4rev1 STARTTLS] hello", "OK go\r\n* BYE injected"],
  ])("a server %s learns neither name nor password", async (_, greeting, answer) => {
    const { port, told, stop } = await impostor(greeting, line => `${line.split(" ")[0]} ${answer}\r\n`)
    await outage(connect({ tls: "starttls", port }))
    stop()
    expect(told.join("\n")).not.toMatch(/LOGIN|AUTHENTICATE/i)
    expect(told.join("\n")).not.toContain(Buffer.from(LOGIN.username).toString("base64"))
  })

  test("a server that never answers holds up nobody whose wait ends", async () => {
    const { port, stop } = await impostor("* OK [CAPABILITY IMAP4rev1] hello", () => "")
    const stopped = new AbortController()
    setTimeout(() => stopped.abort(new Error("enough")), 100)
    const error = await rejection(entriesOf(connect({ tls: false, port }), stopped.signal))
    stop()
    expect((error as Error).message).toBe("enough")
  })

  test("an address that may not be reached is refused when the source is made, and when it is listed", async () => {
    here.remove()
    here = someParts([])
    const config = { host: "localhost", port: server.tlsPort, mailbox, tls: "implicit" as const }
    expect(((await rejection(imapSource.admit!(config, here.parts))) as AppError).code).toBe("forbidden")
    await outage(connect())
  })
})

describe("config of an imap source", () => {
  test("has usual ports and the inbox where nothing is said", () => {
    const config = (given: Record<string, unknown>) => imapSource.config(new Fields("config", { host: "h", ...given }))
    expect(config({})).toEqual({ host: "h", port: 993, mailbox: "INBOX", tls: "implicit" })
    expect(config({ tls: "starttls" })).toMatchObject({ port: 143 })
    expect(config({ tls: false, port: 1143 })).toMatchObject({ port: 1143, tls: false })
  })

  test.each([
    [{}, "config.host"],
    [{ host: "a b" }, "config.host"],
    [{ host: "h/x" }, "config.host"],
    [{ host: "h", tls: "none" }, "config.tls"],
    [{ host: "h", port: 0 }, "config.port"],
    [{ host: "h", since: "2026-02-30" }, "config.since"],
    [{ host: "h", since: "yesterday" }, "config.since"],
    [{ host: "h", mailbox: "a\r\nb" }, "config.mailbox"],
    [{ host: "h", password: "x" }, "config.password"],
  ])("refuses %p", (config, field) => {
    expect(() => imapSource.config(new Fields("config", config))).toThrow(field)
  })
})
