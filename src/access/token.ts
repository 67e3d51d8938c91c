/** Random tokens for links and sessions. Only their hashes are stored. */
import { createHash, randomBytes } from "node:crypto"

/** 32 bytes: 256 random bits, so that a plain hash is enough. */
const TOKEN_BYTES = 32

export const newToken = (prefix: "cst" | "setup" | "invite" | "reset" | "cat"): string =>
  `${prefix}_${randomBytes(TOKEN_BYTES).toString("base64url")}`

/** What credentials say of the rights that a request was let in with: another one where they are others. */
export const markOf = (rights: string): string => hashToken(rights).slice(0, 16)

/** Looking a token up by its hash needs no constant-time comparison: the hash cannot be steered towards a stored one. */
export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex")
