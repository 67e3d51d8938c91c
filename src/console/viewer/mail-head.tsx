import { Marked, type Marking } from "./marked.tsx"
import type { Span } from "./spans.ts"

/** As the reader of mails writes them: the subject, a blank line, a line for each field. */
const HEAD = /^(?:(?!From: |To: |Date: )([^\n]+)\n\n)?((?:[\p{L} -]{1,30}: [^\n]*(?:\n|$))+)\n*/u

/** Where the text of a mail begins, behind its headings. */
export const mailBodyOf = (text: string, { start, end }: Span): number =>
  start + (HEAD.exec(text.slice(start, Math.min(end, start + 20_000)))?.[0].length ?? 0)

interface MailHeadProps extends Marking {
  text: string
  from: number
}

export function MailHead({ text, from, ...marking }: MailHeadProps) {
  const [, subject, fields = ""] = HEAD.exec(text) ?? []
  if (fields === "") return null
  let at = from + text.indexOf(fields)
  return (
    <div class="mail-head">
      {subject && (
        <h3 dir="auto">
          <Marked text={subject} from={from} {...marking} />
        </h3>
      )}
      <dl>
        {fields
          .trimEnd()
          .split("\n")
          .map(line => {
            const colon = line.indexOf(": ")
            const value = at + colon + 2
            at += line.length + 1
            return (
              <div key={value}>
                <dt>{line.slice(0, colon)}</dt>
                <dd dir="auto">
                  <Marked text={line.slice(colon + 2)} from={value} {...marking} />
                </dd>
              </div>
            )
          })}
      </dl>
    </div>
  )
}
