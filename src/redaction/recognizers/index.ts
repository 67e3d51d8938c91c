/** The kinds of private values, in one table: another one is a file that says how it is found, and a line here. */
import { apiKey } from "./api-key.ts"
import { bankAccount } from "./bank-account.ts"
import { creditCard } from "./credit-card.ts"
import { email } from "./email.ts"
import { address, name } from "./name-and-address.ts"
import { password } from "./password.ts"
import { phone } from "./phone.ts"
import type { ModelKind, RuleKind } from "./recognizer.ts"
import { token } from "./token.ts"

/** In the order in which the API names them. */
const TABLE = {
  NAME: name,
  EMAIL: email,
  PHONE: phone,
  ADDRESS: address,
  CREDIT_CARD: creditCard,
  BANK_ACCOUNT: bankAccount,
  API_KEY: apiKey,
  PASSWORD: password,
  TOKEN: token,
} as const satisfies Record<string, ModelKind | RuleKind>

export type BuiltInKind = keyof typeof TABLE

export const KINDS: Readonly<Record<BuiltInKind, ModelKind | RuleKind>> = TABLE
export const BUILT_IN_KINDS = Object.keys(TABLE) as BuiltInKind[]

/** Undefined for the name of a custom pattern. */
export const findKind = (name: string): ModelKind | RuleKind | undefined =>
  Object.hasOwn(TABLE, name) ? KINDS[name as BuiltInKind] : undefined
