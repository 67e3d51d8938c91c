/** What a provider says of somebody, bounded and cleaned: it goes into lists and onto terminals. */
import { hasControlCharacters, replaceControlCharacters } from "../../control-characters.ts"
import type { SignInSettings } from "./settings.ts"

export type Claims = Readonly<Record<string, unknown>>

export interface Person {
  issuer: string
  subject: string
  name: string | null
  /** In lower case; null where the provider gives none that could be one. */
  email: string | null
  /** The provider vouches that the address is the person's. */
  emailVerified: boolean
  /** Null where the provider names none, not even an empty list. */
  groups: readonly string[] | null
  /** As the provider writes it; null where it names none. */
  workspace: string | null
}

/** As the table of users holds it. */
const MAX_NAME = 128
const MAX_EMAIL = 254

/** @param said the claims of the ID token, whose issuer and subject have been checked, and what else the provider tells */
export function personOf(
  { issuer, subject }: Pick<Person, "issuer" | "subject">,
  said: Claims,
  { workspaceClaim }: Pick<SignInSettings, "workspaceClaim">,
): Person {
  const own = emailOf(said.email)
  return {
    issuer,
    subject,
    name: nameOf(said.name) ?? nameOf(said.preferred_username),
    // Microsoft's name of an account has the form of an address, and need not be one.
    email: own ?? emailOf(said.preferred_username),
    emailVerified: own !== null && said.email_verified === true,
    groups: said.groups === undefined || said.groups === null ? null : textsIn(said.groups),
    workspace: workspaceClaim === null ? null : onlyText(said[workspaceClaim]),
  }
}

function nameOf(value: unknown): string | null {
  if (typeof value !== "string") return null
  const plain = replaceControlCharacters(value.toWellFormed(), () => " ")
    .replace(/\s+/g, " ")
    .trim()
  let name = ""
  for (const character of plain) {
    if (name.length + character.length > MAX_NAME) break
    name += character
  }
  return name.trim() || null
}

function emailOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_EMAIL || hasControlCharacters(value)) return null
  const email = value.trim().toLowerCase()
  return /^[^\s@<>"]+@[^\s@<>"]+$/.test(email) ? email : null
}

/** Of a claim that is one text, or a list of them. */
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(each => typeof each === "string")

function onlyText(value: unknown): string | null {
  const [first, ...others] = textsIn(value)
  return first === undefined || others.length > 0 ? null : first.normalize("NFC").trim()
}
