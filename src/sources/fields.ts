/** An object of a request, `config` or `credentials`, read field by field. Every method throws AppError invalid_request. */
import { invalid } from "../errors.ts"
import { isStorable } from "../storable.ts"

const MAX_TEXT = 2_048

export class Fields {
  private readonly left: Set<string>

  /** @param name of the object, before a dot in errors */
  constructor(
    private readonly name: string,
    private readonly given: Readonly<Record<string, unknown>>,
  ) {
    this.left = new Set(Object.keys(given))
  }

  text(field: string, max = MAX_TEXT): string {
    return this.optionalText(field, max) ?? this.refuse(field, "is missing")
  }

  /** Undefined also for null and for an empty text. */
  optionalText(field: string, max = MAX_TEXT): string | undefined {
    const value = this.take(field)
    if (value === undefined || value === null || value === "") return undefined
    if (typeof value !== "string" || value.length > max || !isStorable(value))
      return this.refuse(field, `must be a text of at most ${max} characters`)
    return value
  }

  /** @param fallback where it is absent; without one it must be there */
  integer(field: string, min: number, max: number, fallback?: number): number {
    const value = this.take(field) ?? fallback
    if (value === undefined) return this.refuse(field, "is missing")
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      return this.refuse(field, `must be a whole number from ${min} to ${max}`)
    return value as number
  }

  /** Of values that JSON has, such as `false` beside words. */
  oneOf<const T extends string | boolean>(field: string, choices: readonly T[], fallback: T): T {
    const value = this.take(field) ?? fallback
    const found = choices.find(choice => choice === value)
    return found === undefined ? this.refuse(field, `must be one of ${choices.join(", ")}`) : found
  }

  /** Empty where it is absent. */
  texts(field: string, maxItems: number, max = MAX_TEXT): string[] {
    const value = this.take(field) ?? []
    if (!Array.isArray(value) || value.length > maxItems)
      return this.refuse(field, `must be a list of at most ${maxItems} items`)
    if (value.some(each => typeof each !== "string" || each === "" || each.length > max || !each.isWellFormed()))
      return this.refuse(field, `each must be a text of 1 to ${max} characters`)
    return value as string[]
  }

  /** An http or https address without user and password, in its usual spelling. */
  webAddress(field: string): string {
    const value = this.text(field)
    const url = /^https?:\/\//i.test(value) && URL.canParse(value) ? new URL(value) : undefined
    if (!url) return this.refuse(field, "must be an http or https address")
    if (url.username !== "" || url.password !== "")
      return this.refuse(field, "must hold no user and no password: those are credentials")
    return url.href
  }

  /** @throws AppError naming the field; for rules of one type alone */
  refuse(field: string, issue: string): never {
    throw invalid(`${this.name}.${field}`, issue)
  }

  /** To be called last: what nobody asked for is a mistake of the caller. */
  end(): void {
    for (const field of this.left) this.refuse(field, "is not a known field of this type of source")
  }

  private take(field: string): unknown {
    this.left.delete(field)
    return Object.hasOwn(this.given, field) ? this.given[field] : undefined
  }
}
