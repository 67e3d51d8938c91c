/** What signs links is made once, whoever starts first, and stays. */
import { expect, test } from "bun:test"
import { secretNamed } from "../../../src/storage/secrets.ts"
import { databases } from "../../support/databases.ts"

for (const { name, open } of await databases())
  test(`${name}: nodes that start together sign alike, and after a restart as before`, async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const made = await Promise.all(Array.from({ length: 8 }, () => secretNamed(database, "links")))
    expect(new Set(made.map(secret => secret.toString("hex"))).size).toBe(1)
    expect(made[0]!.length).toBe(32)
    expect((await secretNamed(database, "links")).equals(made[0]!)).toBe(true)
    await using other = new AsyncDisposableStack()
    expect((await secretNamed(await open(other), "links")).equals(made[0]!)).toBe(false)
  })
