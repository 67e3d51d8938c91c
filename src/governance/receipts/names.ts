import { createHash } from "node:crypto"

/** What receipts tell of the name of an end user: who knows the name sees that it is the one. Hex. */
export const nameDigest = (name: string): string => createHash("sha256").update(name).digest("hex")
