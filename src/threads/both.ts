/**
 * Two pieces of work that go at the same time, where nothing may go on unseen: waits for both, also when one fails.
 * @throws what the first of them threw, else what the second did
 */
export async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([first, second])
  if (one.status === "rejected") throw one.reason
  if (other.status === "rejected") throw other.reason
  return [one.value, other.value]
}
