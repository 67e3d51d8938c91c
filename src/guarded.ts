/**
 * The type of what has passed the guard (`grounding/guard.ts`), and the declaration that it passes by.
 *
 * Three kinds of door take nothing else: a model backend, the stores of conversations and runs, a tool that is not our
 * own. What goes through them is declared field by field in a table of type `Fields`; the compiler asks for every field
 * of the type, and what turns up at run time without being declared is left out. So a new field is redacted, or it is
 * said in one place that it needs not be, or the code does not compile.
 */
declare class Passed {
  // Private, so that a copy with another field (`{ ...guarded, title }`) has lost the mark.
  private readonly passed: true
}

/** A value that a guard has let through; numbers, booleans and null need no mark. */
export type Guarded<T> = T extends string | object ? T & Passed : T

/**
 * How one field passes:
 * - `own`: the daemon or its operator made it (ids, counts, times, choices of a list); it passes unseen
 * - `text`: words from elsewhere; redacted
 * - `json`: any JSON from elsewhere; redacted, its keys included
 * - `values`: JSON whose keys are somebody's protocol; its values are redacted
 * - `number`: a number that a caller chose; one that is private is replaced by another, the same each time
 * - `withheld`: cannot be redacted (a picture) and goes nowhere under redaction
 * - a table for an object, or for each item of a list
 */
export type Field<T> =
  | "own"
  | (unknown extends T
      ? "json"
      : T extends Guarded<string>
        ? "own"
        : T extends string
          ? string extends T
            ? "text"
            : "own"
          : T extends number
            ? "number"
            : T extends readonly (infer Item)[]
              ? "json" | "withheld" | Field<Item>
              : T extends object
                ? "json" | "values" | Fields<T>
                : never)

type KeysOf<T> = T extends unknown ? keyof T : never
type At<T, Key extends PropertyKey> = T extends unknown ? (Key extends keyof T ? NonNullable<T[Key]> : never) : never

/** One entry for each field that any form of the type has. */
export type Fields<T> = { readonly [Key in KeysOf<T>]-?: Field<At<T, Key>> }

/** What is read back from a store went in through the guard. */
export const fromStore = <T>(value: T): Guarded<T> => value as Guarded<T>

export const joined = (left: Guarded<string>, right: Guarded<string>): Guarded<string> =>
  (left + right) as Guarded<string>

export const NOTHING = "" as Guarded<string>
