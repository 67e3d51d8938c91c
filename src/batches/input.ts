/** What comes in: every line is looked at before the first is carried out, so that a bad one is told with its number. */
import { JsonOutOfBounds, parseBounded } from "../bounded-json.ts"
import { isStorable } from "../storable.ts"
import { linesOf } from "./json-lines.ts"
import { bodyProblem, TARGET_URLS, type TargetUrl, targetUrl } from "./targets.ts"

export const MAX_LINES = 10_000
export const MAX_INPUT_BYTES = 100 * 2 ** 20
/** A body of 1 MB, and what stands around it. */
const MAX_LINE_BYTES = 2 ** 20 + 16_384
const MAX_CUSTOM_ID = 512
/** Problems that are told. */
const MAX_PROBLEMS = 100

/** Spelled as on the wire. */
export interface LineProblem {
  code: string
  message: string
  param: string | null
  line: number | null
}

export interface InputLine {
  line: number
  custom_id: string
  url: TargetUrl
  start_byte: number
  end_byte: number
}

export interface CheckedInput {
  lines: InputLine[]
  problems: LineProblem[]
}

/** @param endpoint what every line has to call; null: any of those that may be called */
export async function checkInput(
  bytes: AsyncIterable<Uint8Array>,
  endpoint: string | null,
  signal: AbortSignal,
): Promise<CheckedInput> {
  const lines: InputLine[] = []
  const problems: LineProblem[] = []
  const firstWith = new Map<string, number>()
  let count = 0
  for await (const { number, start, end, bytes: text } of linesOf(bytes, MAX_LINE_BYTES, signal)) {
    if (++count > MAX_LINES) {
      problems.push(problem("too_many_requests", `a batch may have at most ${MAX_LINES} requests`, null, number))
      break
    }
    const checked = checkLine(text, endpoint)
    const same = "custom_id" in checked ? firstWith.get(checked.custom_id) : undefined
    if (same !== undefined)
      problems.push(problem("duplicate_custom_id", `custom_id: is that of line ${same} already`, "custom_id", number))
    else if ("custom_id" in checked) {
      firstWith.set(checked.custom_id, number)
      lines.push({ line: number, ...checked, start_byte: start, end_byte: end })
    } else problems.push({ ...checked, line: number })
    if (problems.length >= MAX_PROBLEMS) break
  }
  if (count === 0) problems.push(problem("empty_batch", "there is no request", null, null))
  return { lines, problems }
}

function checkLine(
  bytes: Uint8Array | undefined,
  endpoint: string | null,
): Pick<InputLine, "custom_id" | "url"> | LineProblem {
  if (!bytes) return problem("line_too_long", `a line may have at most ${MAX_LINE_BYTES} bytes`)
  const request = parseLine(bytes)
  if (typeof request === "string") return problem("invalid_json_line", request)
  const { custom_id: customId, method = "POST", url: given, body } = request
  if (customId === undefined) return problem("missing_custom_id", "custom_id: is missing", "custom_id")
  if (!isCustomId(customId))
    return problem("invalid_custom_id", `custom_id: must be a text of 1 to ${MAX_CUSTOM_ID} characters`, "custom_id")
  if (method !== "POST") return problem("invalid_method", "method: must be POST", "method")
  const url = targetUrl(given)
  if (!url) return problem("invalid_url", `url: must be one of ${TARGET_URLS.join(", ")}`, "url")
  if (endpoint !== null && url !== endpoint)
    return problem("mismatched_url", `url: must be ${endpoint}, the endpoint of the batch`, "url")
  const wrong = bodyProblem(body)
  if (wrong) return problem("invalid_body", `${wrong.param}: ${wrong.issue}`, wrong.param)
  return { custom_id: customId, url }
}

/** @returns what is wrong with it, for a line that is no JSON object */
function parseLine(bytes: Uint8Array): Record<string, unknown> | string {
  try {
    const value = parseRequest(bytes)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be a JSON object"
    return value as Record<string, unknown>
  } catch (error) {
    return error instanceof JsonOutOfBounds ? "is nested too deep" : "is not valid JSON in UTF-8"
  }
}

/** @throws where it is not JSON, or nested too deep */
export const parseRequest = (bytes: Uint8Array): unknown =>
  parseBounded(new TextDecoder("utf-8", { fatal: true }).decode(bytes), MAX_LINE_BYTES)

/** What columns of text hold. */
const isCustomId = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= MAX_CUSTOM_ID && isStorable(value)

export const problem = (
  code: string,
  message: string,
  param: string | null = null,
  line: number | null = null,
): LineProblem => ({ code, message, param, line })
