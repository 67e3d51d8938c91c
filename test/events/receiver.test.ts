/** The way to one receiver: what is sent over it, what of the answer is kept, and what is no answer. */
import { afterEach, describe, expect, test } from "bun:test"
import { allowListOf } from "../../src/egress/allow-list.ts"
import { Egress } from "../../src/egress/egress.ts"
import { webhookPolicy } from "../../src/egress/policy.ts"
import { Receiver } from "../../src/events/receiver.ts"
import { selfSigned } from "../support/self-signed.ts"

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const message = {
  id: "evt_1",
  body: '{"type":"file.deleted","timestamp":"2026-11-22T12:00:00.000Z","data":{"id":"file_1"}}',
}
const never = new AbortController().signal

let server: Bun.Server<undefined> | undefined
afterEach(() => server?.stop(true))

function serve(answer: (request: Request) => Response | Promise<Response>): string {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer })
  return server.url.href
}

function receiver(url: string, options: { resolve?: (host: string) => Promise<string[]>; limitMs?: number } = {}) {
  const { resolve, limitMs } = options
  const egress = new Egress({ policy: webhookPolicy(allowListOf([]), false), ...(resolve ? { resolve } : {}) })
  return new Receiver({ url, secrets: [SECRET], egress, ...(limitMs ? { limitMs } : {}) })
}

describe("a receiver", () => {
  test("is sent the body as it was signed, and no credentials", async () => {
    const came: { headers: Record<string, string>; body: string }[] = []
    const url = serve(async request => {
      came.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response("thanks")
    })
    const to = receiver(`${url}hook?tenant=1`)
    expect(await to.send(message, never)).toMatchObject({ statusCode: 200, response: "thanks", error: null })
    await to.send(message, never)
    to.close()
    expect(came).toHaveLength(2)
    expect(came[0]!.body).toBe(message.body)
    expect(Object.keys(came[0]!.headers).sort()).toEqual(
      ["connection", "content-length", "content-type", "host", "user-agent", ...HOOK].sort(),
    )
  })

  test("is read no further than is kept", async () => {
    const url = serve(() => new Response("x".repeat(5_000_000)))
    const to = receiver(url)
    for (let time = 0; time < 2; time++) {
      const { response, error } = await to.send(message, never)
      expect([response?.length, error]).toEqual([1_000, null])
    }
    to.close()
  })

  test("that says nothing in time has failed", async () => {
    const to = receiver(
      serve(() => new Promise(() => {})),
      { limitMs: 200 },
    )
    expect(await to.send(message, never)).toMatchObject({ statusCode: null, error: "no answer within 0.2 s" })
    to.close()
  })

  test("is looked up and checked anew for each connection, and told nothing where the name leads elsewhere", async () => {
    const url = new URL(serve(() => new Response(null, { status: 204, headers: { connection: "close" } })))
    url.hostname = "hooks.corp"
    const answers = [["127.0.0.1"], ["8.8.8.8"], ["127.0.0.1", "8.8.8.8"]]
    const to = receiver(url.href, { resolve: async () => answers.shift()! })
    expect(await to.send(message, never)).toMatchObject({ statusCode: 204, error: null })
    for (let time = 0; time < 2; time++)
      expect(await to.send(message, never)).toMatchObject({
        statusCode: null,
        error: expect.stringContaining("may not be reached"),
      })
    expect(answers).toEqual([])
    to.close()
  })

  test("over https is told over a connection whose certificate bears its name, and no other", async () => {
    const pem = selfSigned("hooks.corp")
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: pem, fetch: () => new Response(null, { status: 204 }) })
    const policy = webhookPolicy(allowListOf([]), false)
    const egress = new Egress({ policy, resolve: async () => ["127.0.0.1"], ca: pem.cert })
    const answerOf = async (host: string) => {
      const to = new Receiver({ url: `https://${host}:${server!.port}/`, secrets: [SECRET], egress })
      const outcomes = [await to.send(message, never), await to.send(message, never)]
      to.close()
      return outcomes.map(({ statusCode }) => statusCode)
    }
    expect(await answerOf("hooks.corp")).toEqual([204, 204])
    expect(await answerOf("other.corp")).toEqual([null, null])
  })

  test("that closed a connection which was kept is asked over another one", async () => {
    const url = serve(() => new Response(null, { status: 204 }))
    const to = receiver(url)
    await to.send(message, never)
    const { port } = server!
    await server!.stop(true)
    server = Bun.serve({ port: port!, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 204 }) })
    expect(await to.send(message, never)).toMatchObject({ statusCode: 204, error: null })
    to.close()
  })
})

const HOOK = ["webhook-id", "webhook-signature", "webhook-timestamp"]
