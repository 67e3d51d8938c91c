/** What the daemon signs with: made once, kept with the records, the same for all nodes and after every restart. */
import { randomBytes } from "node:crypto"
import type { Database } from "./database.ts"

/**
 * `links`: signs the addresses of passages. `credentials`: seals what sources and receivers are reached with. `receipts`: the
 * private key that receipts of deletions are signed with. `audit`: seals the rows of the audit log. `sign_in`: seals what a browser keeps while its user is at the
 * provider.
 */
type SecretName = "links" | "credentials" | "receipts" | "audit" | "sign_in"

const SECRET_BYTES = 32

/** The secret of that name, made where there is none; of nodes that start together one makes it. */
export async function secretNamed(database: Database, name: SecretName): Promise<Buffer> {
  await database
    .insertInto("secrets")
    .values({ name, value: randomBytes(SECRET_BYTES).toString("base64url"), created_at: new Date().toISOString() })
    .onConflict(conflict => conflict.column("name").doNothing())
    .execute()
  const { value } = await database
    .selectFrom("secrets")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow()
  return Buffer.from(value, "base64url")
}
