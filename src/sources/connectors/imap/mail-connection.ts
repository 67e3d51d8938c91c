/** One connection to a mailbox that changes nothing in it: opened for reading, and messages stay as unread as they were. */
import type { Socket } from "node:net"
import { ImapFlow } from "imapflow"
import type { Egress } from "../../../egress/egress.ts"
import { AppError } from "../../../errors.ts"
import { orAbort } from "../../../threads/or-abort.ts"
import { Outage } from "../../connector.ts"

export type Protection = "implicit" | "starttls" | false

export interface MailServer {
  host: string
  port: number
  mailbox: string
  tls: Protection
}

export interface MailCredentials {
  username: string
  password: string
}

export interface MailConnection {
  client: ImapFlow
  /** Of the mailbox as it is now: numbers of messages that were given under another one mean nothing. */
  validity: string
}

/** A server says nothing for this long only when it is in trouble. */
const SILENCE_MS = 2 * 60_000
const GREETING_MS = 20_000
/** A message comes in pieces, of which each is a literal. */
const MAX_LITERAL_BYTES = 16 * 2 ** 20
/** The longest is the list of all numbers: 2 million messages. */
const MAX_LINE_BYTES = 16 * 2 ** 20
const MAX_RESPONSE_BYTES = 64 * 2 ** 20
const MAX_TOKENS = 100_000

/** @throws Outage that says why; the signal's reason */
export async function connectTo(
  server: MailServer,
  credentials: MailCredentials,
  egress: Egress,
  signal: AbortSignal,
): Promise<MailConnection> {
  const { host, port, mailbox, tls } = server
  const socket = await egress.connect(host, port, { tls: tls === "implicit", signal }).catch(error => {
    signal.throwIfAborted()
    throw error instanceof AppError ? new Outage(error.message, { cause: error }) : error
  })
  const client = clientOver(socket, server, credentials, egress)
  const end = () => client.close()
  signal.addEventListener("abort", end, { once: true })
  try {
    await orAbort(client.connect(), signal)
    const { uidValidity } = await opened(client, mailbox, signal)
    return { client, validity: String(uidValidity) }
  } catch (error) {
    client.close()
    socket.destroy()
    throw outageOf(error, signal)
  } finally {
    signal.removeEventListener("abort", end)
  }
}

async function opened(client: ImapFlow, mailbox: string, signal: AbortSignal) {
  try {
    return await orAbort(client.mailboxOpen(mailbox, { readOnly: true }), signal)
  } catch (cause) {
    if (!client.usable || !isRefusal(cause)) throw cause
    throw new Outage(`there is no mailbox ${mailbox}`, { cause })
  }
}

/** Nothing is logged: what passes here is mail. */
function clientOver(socket: Socket, { host, port, tls }: MailServer, auth: MailCredentials, egress: Egress): ImapFlow {
  const client = new ImapFlow({
    host,
    port,
    secure: tls === "implicit",
    ...(tls === "implicit" ? {} : { doSTARTTLS: tls === "starttls" }),
    auth: { user: auth.username, pass: auth.password },
    logger: false,
    emitLogs: false,
    disableAutoIdle: true,
    disableCompression: true,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxLineLength: MAX_LINE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
    maxResponseTokens: MAX_TOKENS,
    clientInfo: { name: "Carrel" },
    transport: {
      connect(_, onConnect) {
        setImmediate(onConnect) // the connection stands already
        return socket
      },
      upgrade(plain, _, onSecure) {
        const secured = egress.secure(plain as Socket, host)
        secured.once("secureConnect", onSecure)
        return secured
      },
    },
  })
  client.on("error", () => {}) // whoever waits is told
  return client
}

/** The server answered, and the answer is no. */
const isRefusal = (error: unknown): boolean => (error as { responseStatus?: string }).responseStatus === "NO"

interface MailError {
  authenticationFailed?: boolean
  tlsFailed?: boolean
  code?: string
}

/** Words of the server are not repeated: they may name other accounts and places. */
export function outageOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof Outage) return error
  const { authenticationFailed, tlsFailed, code } = error as MailError
  if (authenticationFailed) return new Outage("the server refuses the user name or password", { cause: error })
  if (tlsFailed)
    return new Outage("the server offers no STARTTLS, or it failed: nothing was sent unprotected", { cause: error })
  return new Outage(`the connection to the mail server failed${code ? ` (${code})` : ""}`, { cause: error })
}
