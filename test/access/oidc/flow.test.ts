/** Sign-in by a real provider, by requests alone: what is taken, and everything that must not be. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { type House, startHouse } from "./browser.ts"

let house: House
beforeAll(async () => {
  house = await startHouse()
  house.provider.people.set("ada", { name: "Ada Lovelace", email: "ada@example.org", email_verified: true })
})
afterAll(() => house.stop())
afterEach(() => {
  house.provider.tamper = undefined
  house.provider.instead = undefined
})

describe("signing in by the provider", () => {
  test("opens a session of the person, in the default workspace, as a member", async () => {
    const { me, location } = await house.enter("ada")
    expect(me.user).toMatchObject({ email: "ada@example.org", name: "Ada Lovelace", role: "member" })
    expect(me.workspace.name).toBe("default")
    expect(location).toBe(`${house.app.url}/#signed-in`)
    expect((await house.enter("ada")).me.user.id).toBe(me.user.id)
  })
})
