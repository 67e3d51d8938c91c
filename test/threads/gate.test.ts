import { expect, test } from "bun:test"
import { inBackground } from "../../src/threads/background.ts"
import { Gate } from "../../src/threads/gate.ts"

const gateOf = (places: number, waiting: number) =>
  new Gate({ places, waiting, refusal: "too much", retryAfterSeconds: 1 })

test("the queue never passes its bounds and serves every ticket", async () => {
  const queue = gateOf(2, 50)
  const signal = new AbortController().signal
  let running = 0
  let most = 0
  const work = Array.from({ length: 40 }, async (_, at) => {
    const ticket = queue.enter(`key_${at % 3}`)
    await ticket.turn(signal)
    most = Math.max(most, ++running)
    await Bun.sleep(1)
    running--
    ticket.leave()
    ticket.leave() // a second time changes nothing
  })
  await Promise.all(work)
  expect(most).toBe(2)
  expect(queue.load).toEqual({ running: 0, waiting: 0 })
})

test("a ticket that leaves the line lets the next one go", async () => {
  const queue = gateOf(1, 5)
  const first = queue.enter("a")
  const second = queue.enter("a")
  const third = queue.enter("a")
  second.leave()
  first.leave()
  await third.turn(new AbortController().signal)
  expect(queue.load).toEqual({ running: 1, waiting: 0 })
})

test("of several places one key never holds the last, however much of its work waits", async () => {
  const gate = gateOf(3, 50)
  const signal = new AbortController().signal
  const flood = Array.from({ length: 20 }, () => gate.enter("a"))
  expect(gate.load).toEqual({ running: 2, waiting: 18 })
  const other = gate.enter("b")
  await other.turn(signal)
  expect(gate.load).toEqual({ running: 3, waiting: 18 })
  const third = gate.enter("c")
  other.leave()
  await third.turn(signal)
  third.leave()
  expect(gate.load).toEqual({ running: 2, waiting: 18 })
  for (const ticket of flood) {
    await ticket.turn(signal)
    ticket.leave()
  }
  expect(gate.load).toEqual({ running: 0, waiting: 0 })
})

test("who waits is told its place in the line of its key, and when to go", async () => {
  const gate = new Gate({ places: 1, waiting: 10, waitingPerKey: 2, refusal: "too much", retryAfterSeconds: 1 })
  const signal = new AbortController().signal
  const first = gate.enter("a")
  const second = gate.enter("a")
  const third = gate.enter("a")
  expect(() => gate.enter("a")).toThrow("too much")
  const other = gate.enter("b") // another key's line is its own
  const heard: number[] = []
  const told = (async () => {
    for await (const position of third.positions(signal)) heard.push(position)
  })()
  await Bun.sleep(1)
  first.leave()
  await second.turn(signal)
  await Bun.sleep(1)
  expect(heard).toEqual([2, 1])
  second.leave()
  await other.turn(signal)
  other.leave()
  await told
  expect(heard).toEqual([2, 1])
  third.leave()
  expect(gate.load).toEqual({ running: 0, waiting: 0 })
})

test("who gives up while waiting is told the reason and leaves the line to the others", async () => {
  const gate = gateOf(1, 5)
  const first = gate.enter("a")
  const second = gate.enter("a")
  const third = gate.enter("a")
  const stop = new AbortController()
  const giving = (async () => {
    for await (const _ of second.positions(stop.signal));
  })()
  stop.abort(new Error("gone"))
  expect(await giving.catch(error => error.message)).toBe("gone")
  second.leave()
  first.leave()
  await third.turn(new AbortController().signal)
  expect(gate.load).toEqual({ running: 1, waiting: 0 })
})

test("a large piece of work waits until enough places are free", async () => {
  const gate = new Gate({ places: 10, placesPerKey: 10, waiting: 5, refusal: "too much", retryAfterSeconds: 1 })
  const small = gate.enter("", 4)
  const large = gate.enter("", 8)
  expect(gate.load).toEqual({ running: 4, waiting: 1 })
  small.leave()
  await large.turn(new AbortController().signal)
  expect(gate.load).toEqual({ running: 8, waiting: 0 })
})

test("work in the background goes when nobody else waits, and leaves a place free", async () => {
  const gate = new Gate({ places: 3, placesPerKey: 3, waiting: 1, refusal: "too much", retryAfterSeconds: 1 })
  const signal = new AbortController().signal
  const order: string[] = []
  const enter = (name: string) => {
    const ticket = gate.enter("model")
    void ticket.turn(signal).then(() => order.push(name))
    return ticket
  }
  const behind = (name: string) => inBackground(() => enter(name))
  const first = [behind("b1"), behind("b2")]
  const waiting = [behind("b3"), behind("b4"), behind("b5")]
  await Bun.sleep(0)
  expect([order, gate.load]).toEqual([["b1", "b2"], { running: 2, waiting: 0 }])
  const live = enter("live1")
  const next = enter("live2")
  expect(() => gate.enter("model")).toThrow("too much") // what waits in the background takes nobody's place in the line
  first[0]!.leave()
  await Bun.sleep(0)
  expect(order).toEqual(["b1", "b2", "live1", "live2"])
  for (const ticket of [live, next, first[1]!, ...waiting]) {
    ticket.leave()
    await Bun.sleep(0)
  }
  expect(order.length).toBe(7)
  expect(gate.load).toEqual({ running: 0, waiting: 0 })
})

test("where there is one place, work in the background has it until it is done, and then others go first", async () => {
  const gate = gateOf(1, 5)
  const signal = new AbortController().signal
  const held = inBackground(() => gate.enter("a"))
  const behind = inBackground(() => gate.enter("a"))
  const live = gate.enter("b")
  const order: string[] = []
  const told = [behind.turn(signal).then(() => order.push("behind")), live.turn(signal).then(() => order.push("live"))]
  held.leave()
  await told[1]
  expect(order).toEqual(["live"])
  live.leave()
  await told[0]
  behind.leave()
})
