import { assert, describe, it } from "@effect/vitest"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { type Limits, WebhookQueue } from "../../src/webhooks/WebhookQueue.ts"

const limits: Limits = { inFlight: 128, unproven: 96, perEndpoint: 8, endpoints: 400, turn: 32, turnDeliveries: 64 }

interface Receiver {
  readonly id: WebhookEndpointId
  readonly takesMillis: number
  readonly delivers: boolean
  /** The row in the database. */
  readonly isProven: boolean
  readonly due: Array<number>
}

const receiver = (number: number, takesMillis: number, delivers: boolean, isProven = false): Receiver => ({
  id: WebhookEndpointId.make(`00000000-0000-7000-8000-${String(number).padStart(12, "0")}`),
  takesMillis,
  delivers,
  isProven,
  due: []
})

const many = (count: number, make: (number: number) => Receiver) =>
  Array.from({ length: count }, (_, index) => make(index))

/**
 * Simulates a minute and a half, millisecond by millisecond. Healthy receivers get an event every 10 ms; after 2 s each
 * of the others gets 20 events at once. A job looks for due deliveries once a minute. Answers how long each event for a
 * healthy receiver waited, from the millisecond `measured` on.
 */
const waits = (others: ReadonlyArray<Receiver>, { begin = 0, measured = 2000 } = {}) => {
  const queue = new WebhookQueue(limits)
  const healthy = many(20, (number) => receiver(number, 5, true, true))
  const all = new Map([...healthy, ...others].map((receiver) => [receiver.id, receiver]))
  const ends = new Map<number, Array<() => void>>()
  const waited: Array<number> = []
  let recorded = 0
  const record = (receiver: Receiver | undefined, now: number) => {
    receiver?.due.push(now)
    if (receiver !== undefined) queue.wake(receiver.id)
  }
  const send = ({ delivers, id, isProven, takesMillis }: Receiver, since: number, now: number) => {
    if (isProven && since > measured) waited.push(now - since)
    const end = () => queue.ended(id, delivers, takesMillis < 1000)
    ends.set(now + takesMillis, [...(ends.get(now + takesMillis) ?? []), end])
  }
  const takeTurns = (now: number) => {
    for (const turn of queue.take()) {
      const receiver = all.get(turn.endpoint_id)!
      const found = receiver.due.splice(0, turn.limit)
      queue.taken(turn, found.length, receiver.isProven)
      for (const since of found) send(receiver, since, now)
    }
  }
  for (let now = 0; now < 90_000; now++) {
    for (const end of ends.get(now) ?? []) end()
    ends.delete(now)
    if (now >= begin && now % 10 === 0) record(healthy[recorded++ % healthy.length], now)
    if (now === 2000) for (let time = 0; time < 20; time++) for (const receiver of others) record(receiver, now)
    if (now % 60_000 === 0)
      for (const { due, id, isProven } of all.values()) if (due.length > 0) queue.wake(id, isProven)
    takeTurns(now)
  }
  assert.isAbove(waited.length, 2900)
  return waited.toSorted((a, b) => a - b)
}

const hanging = (count: number, takesMillis = 10_000, delivers = false) =>
  many(count, (number) => receiver(1000 + number, takesMillis, delivers))

describe("WebhookQueue: receivers that answer at once do not wait for", () => {
  it.each([
    ["100 that say yes after nine seconds", hanging(100, 9000, true)],
    ["300 unknown ones that hang", hanging(300)],
    ["more that hang than are remembered", hanging(1000)]
  ] as const)("%s", (_, others) => {
    assert.isAtMost(waits(others).at(-1) ?? Infinity, 5)
  })

  it("the next round of the job sends them, although the queue has forgotten them", () => {
    const waited = waits(hanging(1000), { begin: 2010, measured: 60_000 })
    assert.isAtMost(waited.at(-1) ?? Infinity, 5)
  })
})
