/** What people call the kinds of private values, in the language of the console. */
import { type Text, t } from "./text.ts"
import type { BuiltInKind } from "./wire.ts"

const LABELS = {
  NAME: "name",
  EMAIL: "e-mail",
  PHONE: "phone",
  ADDRESS: "address",
  CREDIT_CARD: "credit card",
  BANK_ACCOUNT: "bank account",
  API_KEY: "API key",
  PASSWORD: "password",
  TOKEN: "access token",
} as const satisfies Record<BuiltInKind, Text>

/** A custom pattern is called as its author named it. */
export const labelOf = (kind: string): string =>
  Object.hasOwn(LABELS, kind) ? t(LABELS[kind as BuiltInKind]) : kind.toLowerCase().replaceAll("_", " ")
