/** Which entries of a source are fetched, as far as it shows before. */
import type { AppError } from "../errors.ts"
import type { Entry } from "./connector.ts"
import { matcherOf } from "./globs.ts"
import { EXCLUDED, type ListingRules, ON_HOLD, type Verdict } from "./listing.ts"
import type { SourceRow } from "./source.ts"

type Judged = Pick<SourceRow, "include" | "exclude" | "max_bytes">

/** @param refusalOf why a file of that name is never taken */
export function judgeOf(source: Judged, refusalOf: (name: string) => AppError | undefined): ListingRules["judge"] {
  const matches = matcherOf(JSON.parse(source.include), JSON.parse(source.exclude))
  return ({ key, name, size }: Entry): Verdict | undefined => {
    if (!matches(key)) return { status: "skipped", code: EXCLUDED, message: "include and exclude leave it out" }
    const refusal = name === undefined ? undefined : refusalOf(name)
    if (refusal) return { status: "unsupported", code: refusal.code, message: refusal.message }
    if (size === 0) return { status: "skipped", code: "empty_file", message: "the file is empty" }
    if (source.max_bytes !== null && size !== undefined && size > source.max_bytes)
      return { status: "skipped", code: "file_too_large", message: `it has more than ${source.max_bytes} bytes` }
    return undefined
  }
}

const SKIPPED: ReadonlySet<string> = new Set(["file_too_large", "empty_file", EXCLUDED, ON_HOLD])

/** What an entry is called that could not be taken for the reason of this code. */
export function statusOf(code: string): "unsupported" | "skipped" | "failed" {
  if (code === "unsupported_file_type") return "unsupported"
  return SKIPPED.has(code) ? "skipped" : "failed"
}
