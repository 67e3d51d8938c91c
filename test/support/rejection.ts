/**
 * What a promise was rejected with. Used in place of `expect(…).rejects`, which holds the thread until the promise
 * settles: one that never does would hang the file for ever, past every time limit.
 */
// biome-ignore lint/suspicious/noExplicitAny: errors of every shape
export async function rejection(promise: Promise<unknown>): Promise<any> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`was not rejected, but resolved with ${Bun.inspect(value).slice(0, 200)}`)
}
