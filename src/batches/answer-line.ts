/** Lines of output and error files, in OpenAI's shape. */
import { newId } from "../id.ts"
import type { Outcome } from "./errand.ts"

/** Longest answer that is kept of one line. */
export const MAX_ANSWER_BYTES = 16 * 2 ** 20

export interface AnswerLine {
  text: string
  isError: boolean
}

const head = (customId: string): string =>
  `{"id":"batch_req_${newId("batch").slice("batch_".length)}","custom_id":${JSON.stringify(customId)}`

/** What the route answered, whichever status it had. */
export function answerLine(customId: string, { statusCode, requestId, body }: Omit<Outcome, "later">): AnswerLine {
  if (Buffer.byteLength(body) > MAX_ANSWER_BYTES)
    return unanswered(customId, "answer_too_large", `the answer has more than ${MAX_ANSWER_BYTES} bytes`)
  // Line ends of JSON stand between its tokens only.
  const told = body.replace(/[\r\n]/g, " ") || "null"
  const response = `{"status_code":${statusCode},"request_id":${JSON.stringify(requestId)},"body":${told}}`
  return { text: `${head(customId)},"response":${response},"error":null}`, isError: statusCode >= 400 }
}

/** Of a request that has no answer. */
export const unanswered = (customId: string, code: string, message: string): AnswerLine => ({
  text: `${head(customId)},"response":null,"error":${JSON.stringify({ code, message })}}`,
  isError: true,
})
