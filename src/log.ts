/** Structured log: one JSON object a line on standard output. Never prompt, document or credential text. */
export type LogLevel = "debug" | "info" | "warn" | "error"

const RANK: Record<LogLevel, number> = { debug: 10, info: 20, warn: 30, error: 40 }
let threshold = RANK.info
let sink: (line: string) => void = line => void process.stdout.write(`${line}\n`)

export function setLogLevel(level: LogLevel): void {
  threshold = RANK[level]
}

/** Sends lines elsewhere: tests collect them, the command line writes them to standard error. */
export function setLogSink(write: (line: string) => void): void {
  sink = write
}

function write(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
  if (RANK[level] < threshold) return
  const record: Record<string, unknown> = { time: new Date().toISOString(), level, message }
  for (const [key, value] of Object.entries(fields)) record[key] = value instanceof Error ? describe(value) : value
  sink(JSON.stringify(record))
}

function describe(error: Error): Record<string, unknown> {
  const cause = error.cause instanceof Error ? describe(error.cause) : error.cause
  return { name: error.name, message: error.message, stack: error.stack, ...(cause === undefined ? {} : { cause }) }
}

export const log = {
  debug: (message: string, fields?: Record<string, unknown>) => write("debug", message, fields),
  info: (message: string, fields?: Record<string, unknown>) => write("info", message, fields),
  warn: (message: string, fields?: Record<string, unknown>) => write("warn", message, fields),
  error: (message: string, fields?: Record<string, unknown>) => write("error", message, fields),
}
