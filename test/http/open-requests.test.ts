import { expect, test } from "bun:test"
import type { AppError } from "../../src/errors.ts"
import { OpenRequests } from "../../src/http/open-requests.ts"
import { until } from "../support/until.ts"

test("a request that opens while the credentials of others are asked for goes on; theirs end", async () => {
  const asked: { credentials: string[]; answer: (alive: Set<string>) => void }[] = []
  const requests = new OpenRequests(credentials => new Promise(resolve => asked.push({ credentials, answer: resolve })))
  const ended: string[] = []
  const open = (credential: string) =>
    requests.open(credential, new AbortController().signal, ({ code }: AppError) => ended.push(`${credential} ${code}`))
  const first = open("revoked")
  const { credentials, answer } = await until(async () => asked[0])
  const second = open("good")
  const third = open("revoked")
  expect(credentials).toEqual(["revoked"])
  answer(new Set())
  await until(async () => ended.length > 0)
  expect(ended).toEqual(["revoked unauthorized"])
  expect([first, second, third].map(({ signal }) => signal.aborted)).toEqual([true, false, false])
  for (const each of [first, second, third]) each.close()
})
