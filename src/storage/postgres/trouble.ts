/** What errors of PostgreSQL and of the way to it mean. */
import { EngineError, OperatorError } from "../../errors.ts"

/** Of the system and of DNS. */
const NO_WAY = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH"],
  ...["ENETDOWN", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"],
])
/**
 * Of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html): it shuts down, starts, has no connection
 * or no memory left, or takes no changes because another server took over. 08 is about connections, PgBouncer's included.
 */
const NOT_NOW = /^(?:08...|57P0[1-5]|53...|25006)$/
/** Of the driver, which has no codes for them. */
const NO_ANSWER = "Query read timeout"
const SAID = [
  NO_ANSWER,
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Client has encountered a connection error",
  "Client was closed and is not queryable",
]

/** Two transactions waited for each other, or one for too long, and this one had to go. */
const OUT_OF_TURN = new Set(["40001", "40P01", "55P03", "57014"])

/** The server cannot be reached, or serves nobody now: over by itself once it can, and nothing is wrong with what was asked. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as { code?: string; message: string }
  if (code !== undefined && (NO_WAY.has(code) || NOT_NOW.test(code))) return true
  return SAID.some(each => message.startsWith(each))
}

/** What is the server's fault as an `EngineError`; all else as it is. */
export function asEngineError(error: unknown): unknown {
  const { code = "", message = "" } = error as { code?: string; message?: string }
  if (OUT_OF_TURN.has(code)) return new EngineError("database", message, { cause: error, answered: true })
  if (!isUnreachable(error)) return error
  return new EngineError("database", message, { cause: error, answered: message === NO_ANSWER })
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/

/** What an operator has to mend, in words, where the opening of a database failed for it; undefined for all else. */
export function refusalOf(failure: unknown, place: string): OperatorError | undefined {
  const error = failure instanceof EngineError ? failure.cause : failure
  if (error instanceof OperatorError) return error
  const { code = "", message } = error as { code?: string; message: string }
  const refusal = (text: string, hint: string) =>
    new OperatorError(`PostgreSQL at ${place} ${text}`, { hint, cause: error })
  if (code.startsWith("28") || message.startsWith("SASL"))
    return refusal(`refuses the credentials (${message})`, "see --database-url, PGPASSWORD and pg_hba.conf")
  if (code === "3D000")
    return refusal("has no such database", "create database NAME encoding 'UTF8' template template0")
  if (code === "42501") return refusal(`forbids it (${message})`, "let the user create tables in its schema")
  if (CERTIFICATE.test(code)) return refusal(`has a certificate that is not trusted (${message})`, "see sslrootcert")
  if (message.includes("does not support SSL"))
    return refusal("speaks no TLS", "set it up there, or say sslmode=disable")
  return undefined
}
