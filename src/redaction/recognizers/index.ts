/** The table of rule recognizers. NAME and ADDRESS come from the entity model (see ../names.ts). */
import type { BuiltInKind } from "../kinds.ts"
import { findApiKeys } from "./api-key.ts"
import { findBankAccounts } from "./bank-account.ts"
import { findCreditCards } from "./credit-card.ts"
import { findEmails } from "./email.ts"
import { findPasswords } from "./password.ts"
import { findPhones } from "./phone.ts"
import type { Recognizer } from "./recognizer.ts"
import { findTokens } from "./token.ts"

export const RECOGNIZERS = {
  EMAIL: findEmails,
  PHONE: findPhones,
  CREDIT_CARD: findCreditCards,
  BANK_ACCOUNT: findBankAccounts,
  API_KEY: findApiKeys,
  PASSWORD: findPasswords,
  TOKEN: findTokens,
} satisfies Record<Exclude<BuiltInKind, "NAME" | "ADDRESS">, Recognizer>

/** Order in which kinds of one category win where they claim the same characters. */
export const KIND_ORDER: BuiltInKind[] = [
  "API_KEY",
  "TOKEN",
  "PASSWORD",
  "CREDIT_CARD",
  "BANK_ACCOUNT",
  "EMAIL",
  "PHONE",
  "ADDRESS",
  "NAME",
]
