/** The messages of a mailbox, each as a mail file. Nothing in the mailbox is changed: messages stay as unread as they were. */
import { AppError } from "../../errors.ts"
import { orAbort } from "../../threads/or-abort.ts"
import { type Connector, type Entry, type EntryContent, type Opened, Outage, type SourceKind } from "../connector.ts"
import {
  connectTo,
  type MailConnection,
  type MailCredentials,
  type MailServer,
  outageOf,
} from "./imap/mail-connection.ts"

export interface ImapConfig extends MailServer {
  /** `2026-01-31`: messages that the server received before that day are left out. */
  since?: string
}

const IMPLICIT_PORT = 993
const PLAIN_PORT = 143
/** Listed at once; others are answered in between. */
const MESSAGES_AT_ONCE = 2_000
/** Asked for at once: a large message needs few questions, and each is bounded memory. */
const PIECE_BYTES = 2 ** 20
const KEY = /^(\d{1,20})\/(\d{1,10})\.eml$/
const MAX_NAME = 120

export const imapSource: SourceKind<ImapConfig, MailCredentials> = {
  config(given) {
    const host = given.text("host", 253)
    const tls = given.oneOf("tls", ["implicit", "starttls", false], "implicit")
    const port = given.integer("port", 1, 65_535, tls === "implicit" ? IMPLICIT_PORT : PLAIN_PORT)
    const mailbox = given.optionalText("mailbox", 500) ?? "INBOX"
    const since = given.optionalText("since")
    given.end()
    if (!/^[a-z0-9.:_-]+$/i.test(host)) given.refuse("host", "must be a name or an address of a mail server")
    if (/\p{Cc}/u.test(mailbox)) given.refuse("mailbox", "must be the name of a mailbox")
    if (since !== undefined && !isDay(since)) given.refuse("since", "must be a day, such as 2026-01-31")
    return { host, port, mailbox, tls, ...(since === undefined ? {} : { since }) }
  },
  credentials(given) {
    const username = given.text("username", 500)
    const password = given.text("password", 2_000)
    given.end()
    return { username, password }
  },
  place: ({ host, port, tls }) => `${host.toLowerCase()}:${port} ${tls}`,
  admit: ({ host, port }, { egress }) => egress.check(host, port),
  open: opened => new ImapConnector(opened),
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

class ImapConnector implements Connector {
  /** One connection answers one question after the other; several wait at it so that it is never idle. */
  readonly parallel = 4
  private connection: Promise<MailConnection> | undefined

  constructor(private readonly opened: Opened<ImapConfig, MailCredentials>) {}

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const { client, validity } = await this.connected(signal)
    const { since } = this.opened.config
    const end = () => client.close()
    signal.addEventListener("abort", end, { once: true })
    try {
      const numbers = await client.search({ deleted: false, ...(since ? { since } : {}) }, { uid: true })
      if (!Array.isArray(numbers)) throw new Outage("the mail server did not list the messages")
      numbers.sort((one, other) => one - other)
      for (let at = 0; at < numbers.length; at += MESSAGES_AT_ONCE) {
        const wanted = new Set(numbers.slice(at, at + MESSAGES_AT_ONCE))
        const range = `${numbers[at]}:${numbers[Math.min(at + MESSAGES_AT_ONCE, numbers.length) - 1]}`
        for (const message of await client.fetchAll(
          range,
          { uid: true, size: true, internalDate: true },
          { uid: true },
        ))
          if (wanted.delete(message.uid)) yield entryOf(validity, message)
      }
    } catch (error) {
      throw outageOf(error, signal)
    } finally {
      signal.removeEventListener("abort", end)
    }
  }

  async read({ key }: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const [, validity, number] = KEY.exec(key) ?? []
    const connection = await this.connected(signal)
    if (number === undefined || validity !== connection.validity) return undefined
    const { client } = connection
    try {
      const message = await orAbort(client.fetchOne(number, { uid: true, envelope: true }, { uid: true }), signal)
      if (!message) return undefined
      const asked = client.download(number, undefined, { uid: true, chunkSize: PIECE_BYTES })
      const download = await orAbort(asked, signal)
      if (!("content" in download) || !download.content) return undefined
      return {
        name: nameOf(message.envelope?.subject, number),
        bytes: pieces(download.content, download.meta.expectedSize, signal),
      }
    } catch (error) {
      throw outageOf(error, signal)
    }
  }

  async close(): Promise<void> {
    const connection = await this.connection?.catch(() => undefined)
    this.connection = undefined
    // Said good-bye to, if it still listens.
    if (connection?.client.usable) await Promise.race([connection.client.logout().catch(() => {}), Bun.sleep(1_000)])
    connection?.client.close()
  }

  /** The one that stands, or another one after it broke. */
  private async connected(signal: AbortSignal): Promise<MailConnection> {
    const standing = await this.connection?.catch(() => undefined)
    if (standing?.client.usable) return standing
    const { config, credentials, parts } = this.opened
    if (!credentials) throw new Outage("the mail server wants a user name and a password")
    this.connection = connectTo(config, credentials, parts.egress, signal)
    return await this.connection
  }
}

function entryOf(validity: string, message: { uid: number; size?: number; internalDate?: Date | string }): Entry {
  const { uid, size, internalDate } = message
  const time = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime()
  const key = `${validity}/${uid}.eml`
  return {
    key,
    fingerprint: key, // a message never changes under its number
    name: `${uid}.eml`,
    ...(size === undefined ? {} : { size }),
    ...(Number.isNaN(time) ? {} : { updatedAt: new Date(time).toISOString() }),
  }
}

/** What people call a message. */
function nameOf(subject: string | undefined, number: string): string {
  const words = (subject ?? "")
    .toWellFormed()
    .replace(/[\p{C}/\\]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
  return `${[...words].slice(0, MAX_NAME).join("") || number}.eml`
}

async function* pieces(
  content: AsyncIterable<Uint8Array> & { destroy(): void },
  size: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const end = () => content.destroy()
  signal.addEventListener("abort", end, { once: true })
  let read = 0
  try {
    for await (const piece of content) {
      read += piece.length
      yield piece
    }
    signal.throwIfAborted()
  } catch (error) {
    throw error instanceof AppError ? error : outageOf(error, signal)
  } finally {
    signal.removeEventListener("abort", end)
    content.destroy()
  }
  if (size !== undefined && read < size) throw new Outage("the mail server sent less than the message")
}
