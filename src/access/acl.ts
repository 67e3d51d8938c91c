/** Who may see a file: principals such as `group:hr` and `user:42`, which mean something to the caller's application alone. */
import { AppError, invalid } from "../errors.ts"

const PRINCIPAL = /^[a-z]+:[A-Za-z0-9_.@+-]{1,128}$/
const MAX_PRINCIPALS = 100
const MAX_KIND_LENGTH = 64

/** Each once. @throws AppError invalid_request */
export function checkPrincipals(field: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw invalid(field, "must be an array of principals such as group:hr")
  if (value.length > MAX_PRINCIPALS) throw invalid(field, `must hold at most ${MAX_PRINCIPALS} principals`)
  for (const each of value)
    if (typeof each !== "string" || !PRINCIPAL.test(each) || each.indexOf(":") > MAX_KIND_LENGTH)
      throw invalid(field, "each must be small letters, a colon and 1 to 128 letters, digits or _ . @ + -")
  return [...new Set(value as string[])]
}

/** Null: everyone in the workspace. @throws AppError invalid_request */
export const checkAcl = (value: unknown): string[] | null => (value === null ? null : checkPrincipals("acl", value))

/** @throws AppError forbidden where somebody would see the file who did not */
export function refuseWider(former: readonly string[] | null, next: readonly string[] | null): void {
  if (former === null || next?.every(principal => former.includes(principal))) return
  throw new AppError("forbidden", { message: "a scoped token may not widen an acl" })
}

/** Whether those who have these principals see a file of this acl, and why. Null has no need of any. */
export function explain(
  acl: readonly string[] | null,
  principals: readonly string[] | null,
): { visible: boolean; reason: string } {
  if (acl === null) return { visible: true, reason: "the file has no acl: everyone in the workspace sees it" }
  if (principals === null) return { visible: true, reason: "the caller sees files whatever their acl" }
  const shared = acl.filter(principal => principals.includes(principal))
  if (shared.length > 0) return { visible: true, reason: `the acl names ${shared.join(", ")}` }
  return {
    visible: false,
    reason: acl.length === 0 ? "the acl is empty: no principal sees the file" : "the acl names none of the principals",
  }
}
