/**
 * The log: one JSON object a line for machines, or a readable line for people. On standard output unless it is sent
 * elsewhere. Never prompt, document or credential text.
 */
import { replaceControlCharacters } from "./control-characters.ts"
import { AppError, OperatorError } from "./errors.ts"
import { LogRecord } from "./log-record.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"
export type LogFormat = "json" | "pretty"

const RANK: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }
let threshold = RANK.info
let sink: (line: string) => void = toStandardOutput
let waiting = ""
let format: (record: Line) => string = asJson

interface Line {
  time: Date
  level: LogLevel
  message: string
  fields: Record<string, unknown>
}

/**
 * Lines of one turn of the event loop leave in one write: a write of its own costs a line as much as a small request costs
 * otherwise.
 */
function toStandardOutput(line: string): void {
  if (waiting === "") setImmediate(flush)
  waiting += `${line}\n`
}

function flush(): void {
  if (waiting !== "") process.stdout.write(waiting)
  waiting = ""
}

process.on("exit", flush)

export function setLogLevel(level: LogLevel): void {
  threshold = RANK[level]
}

/** `color`: escape sequences may stand in readable lines. */
export function setLogFormat(kind: LogFormat, color = false): void {
  format = kind === "json" ? asJson : record => asText(record, color)
}

/** Sends lines elsewhere: tests collect them, the command line writes them to standard error. */
export function setLogSink(write: (line: string) => void): void {
  sink = write
}

/** Warnings and errors of this process, whatever the threshold. */
export const recentTrouble = new LogRecord()

function write(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
  if (level === "warn" || level === "error") noteTrouble(level, message, fields)
  if (RANK[level] >= threshold) sink(format({ time: new Date(), level, message, fields }))
}

/** Of the API or the system, such as ENOSPC. A reason in words may quote what it is about. */
const CODE = /^\w{1,40}$/

function noteTrouble(level: "warn" | "error", message: string, fields: Record<string, unknown>): void {
  const { error, reason, request_id, route } = fields
  const word = (value: unknown): string | null => (typeof value === "string" ? value : null)
  const said = (error as { code?: unknown } | undefined)?.code ?? reason
  const code = typeof said === "string" && CODE.test(said) ? said : error instanceof Error ? error.name : null
  recentTrouble.note({ level, message, code, request_id: word(request_id), route: word(route) })
}

function asJson({ time, level, message, fields }: Line): string {
  const record: Record<string, unknown> = { time: time.toISOString(), level, message }
  for (const [key, value] of Object.entries(fields)) record[key] = value instanceof Error ? describe(value) : value
  return JSON.stringify(record)
}

/** Errors that were thrown to be told: where that was done says nothing. */
const isTold = (error: Error): boolean => error instanceof AppError || error instanceof OperatorError

function describe(error: Error, withStack = !isTold(error)): Record<string, unknown> {
  const cause = error.cause instanceof Error ? describe(error.cause, withStack) : error.cause
  return {
    name: error.name,
    message: error.message,
    ...(withStack ? { stack: error.stack } : {}),
    ...(cause === undefined ? {} : { cause }),
  }
}

const COLORS: Record<LogLevel, string> = { debug: "\x1b[2m", info: "\x1b[32m", warn: "\x1b[33m", error: "\x1b[31m" }
const DIM = "\x1b[2m"
const PLAIN = "\x1b[0m"

/** `14:03:07.120 WARN  message  key=value`; only what is logged as an error shows where it was thrown, below the line. */
function asText({ time, level, message, fields }: Line, color: boolean): string {
  const paint = (code: string, text: string) => (color ? `${code}${text}${PLAIN}` : text)
  const clock = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(11, 23)
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => paint(DIM, `${key}=${shown(value)}`))
  const line = [paint(DIM, clock), paint(COLORS[level], level.toUpperCase().padEnd(5)), visible(message), ...pairs]
  const stacks = level === "error" ? Object.values(fields).flatMap(value => stackOf(value)) : []
  return [line.join(" "), ...stacks.map(frame => paint(DIM, `    ${visible(frame)}`))].join("\n")
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(visible(withCauses(value)))
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return typeof value === "string" && (text === "" || /[\s"=]/.test(text))
    ? visible(JSON.stringify(text))
    : visible(text)
}

/** Causes after the message; a chain may be long, and may go round. */
function withCauses(error: Error): string {
  const messages: string[] = []
  for (let at: unknown = error; at instanceof Error && messages.length < 4; at = at.cause)
    if (!messages.includes(at.message)) messages.push(at.message)
  return messages.join(": ")
}

const stackOf = (value: unknown): string[] =>
  value instanceof Error && !isTold(value)
    ? (value.stack ?? "")
        .split("\n")
        .map(line => line.trim())
        .filter(line => line.startsWith("at "))
    : []

/** What another program made up may hold sequences that a terminal obeys. */
export const visible = (text: string): string =>
  replaceControlCharacters(text, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const log = {
  debug: (message: string, fields?: Record<string, unknown>) => write("debug", message, fields),
  info: (message: string, fields?: Record<string, unknown>) => write("info", message, fields),
  warn: (message: string, fields?: Record<string, unknown>) => write("warn", message, fields),
  error: (message: string, fields?: Record<string, unknown>) => write("error", message, fields),
}

/**
 * Something that fails again and again while one cause lasts, such as what waits for a disk in trouble: said when it begins
 * and when it is over, not each time.
 */
export class Trouble {
  private lasting = false

  constructor(
    private readonly says: { begins: string; ends?: string; level?: "warn" | "error" },
    private readonly fields: Record<string, unknown> = {},
  ) {}

  get lasts(): boolean {
    return this.lasting
  }

  /** It failed. */
  note(error: unknown): void {
    const { begins, level = "warn" } = this.says
    if (!this.lasting) log[level](begins, { ...this.fields, error })
    this.lasting = true
  }

  /** It worked. */
  clear(): void {
    const { ends } = this.says
    if (this.lasting && ends) log.info(ends, this.fields)
    this.lasting = false
  }
}
