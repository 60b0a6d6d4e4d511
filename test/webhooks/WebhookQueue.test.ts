import { assert, describe, it } from "@effect/vitest"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { type Limits, WebhookQueue } from "../../src/webhooks/WebhookQueue.ts"

const endpoint = (number: number) =>
  WebhookEndpointId.make(`00000000-0000-7000-8000-${String(number).padStart(12, "0")}`)

const [a, b, c] = [endpoint(1), endpoint(2), endpoint(3)]

const queueOf = (limits: Partial<Limits>, ...ids: ReadonlyArray<WebhookEndpointId>) => {
  const queue = new WebhookQueue(limits)
  for (const id of ids) queue.wake(id)
  return queue
}

/** Takes turns at endpoints with many due deliveries; returns the number for each. */
const takeAll = (queue: WebhookQueue) => {
  const turns = queue.take()
  for (const turn of turns) queue.taken(turn, turn.limit)
  return turns.map(({ limit }) => limit)
}

/** Takes turns and returns their endpoints. */
const taken = (queue: WebhookQueue) => queue.take().map(({ endpoint_id }) => endpoint_id)

/** Failing endpoints with more due deliveries. */
const fail = (queue: WebhookQueue, ...ids: ReadonlyArray<WebhookEndpointId>) => {
  for (const id of ids) queue.wake(id)
  takeAll(queue)
  for (const id of ids) queue.ended(id, false)
}

describe("WebhookQueue", () => {
  it("an endpoint gets one delivery first; each delivered one doubles the number, up to eight", () => {
    const queue = queueOf({}, a)
    const got: Array<number> = []
    for (let round = 0; round < 5; round++) {
      const [limit = 0] = takeAll(queue)
      got.push(limit)
      assert.isFalse(queue.hasTurns)
      for (let ended = 0; ended < limit; ended++) queue.ended(a, true)
    }
    assert.deepStrictEqual(got, [1, 2, 8, 8, 8])
  })

  it("an endpoint that failed gets one delivery at a time", () => {
    const queue = queueOf({}, a)
    takeAll(queue)
    queue.ended(a, true)
    assert.deepStrictEqual(takeAll(queue), [2])
    queue.ended(a, false)
    assert.deepStrictEqual(takeAll(queue), [])
    queue.ended(a, undefined)
    assert.deepStrictEqual(takeAll(queue), [1])
    queue.ended(a, true)
    assert.deepStrictEqual(takeAll(queue), [2])
  })

  it("a turn that is not full is the last; an announcement during it starts another", () => {
    const queue = queueOf({}, a)
    const [turn] = queue.take()
    assert.isDefined(turn)
    queue.taken(turn!, 0)
    assert.isTrue(queue.isIdle)

    queue.wake(a)
    const [next] = queue.take()
    queue.wake(a)
    queue.taken(next!, 0)
    assert.isTrue(queue.hasTurns)
  })

  it("a turn without deliveries is taken again", () => {
    const queue = queueOf({}, a)
    const [turn] = queue.take()
    assert.isFalse(queue.isIdle)
    queue.putBack(turn!)
    assert.deepStrictEqual(queue.take(), [turn!])
  })

  it("attempts in flight never exceed their limit, and each endpoint waits for its turn", () => {
    const queue = queueOf({ inFlight: 2 }, a, b, c)
    const turns = queue.take()
    assert.deepStrictEqual(turns, [
      { endpoint_id: a, limit: 1 },
      { endpoint_id: b, limit: 1 }
    ])
    for (const turn of turns) queue.taken(turn, 1)
    assert.isFalse(queue.hasTurns)
    queue.ended(a, true)
    assert.deepStrictEqual(queue.take(), [{ endpoint_id: c, limit: 1 }])
  })

  it("failing endpoints leave slots for the others", () => {
    const queue = new WebhookQueue({ inFlight: 3, unproven: 2 })
    fail(queue, a, b)
    assert.deepStrictEqual(takeAll(queue), [1, 1])
    assert.isFalse(queue.hasTurns)
    queue.wake(c, true)
    assert.deepStrictEqual(queue.take(), [{ endpoint_id: c, limit: 1 }])
  })

  it("slow endpoints leave slots for the others", () => {
    const queue = queueOf({ inFlight: 3, unproven: 2 }, a)
    takeAll(queue)
    queue.ended(a, true, false)
    assert.deepStrictEqual(takeAll(queue), [2])
    queue.wake(b)
    assert.isFalse(queue.hasTurns)
    queue.wake(c, true)
    assert.deepStrictEqual(takeAll(queue), [1])
    queue.ended(a, true, true)
    assert.isTrue(queue.hasTurns)
  })

  it("unknown endpoints leave slots for the others, and get theirs immediately when there are enough", () => {
    const queue = queueOf({ inFlight: 3, unproven: 2 }, a, b, c)
    assert.deepStrictEqual(takeAll(queue), [1, 1])
    queue.ended(a, true)
    assert.deepStrictEqual(takeAll(queue), [1, 1])
    assert.deepStrictEqual(takeAll(queueOf({}, a)), [1])
  })

  it("a recovered endpoint no longer counts as failing", () => {
    const queue = new WebhookQueue({ inFlight: 3, unproven: 1 })
    queue.wake(a, false)
    queue.wake(b, false)
    takeAll(queue)
    queue.ended(a, true)
    assert.deepStrictEqual(
      queue.take().map(({ limit }) => limit),
      [1, 2]
    )
  })

  it("the last attempt of this process counts more than the state in the database", () => {
    const queue = new WebhookQueue({ unproven: 1 })
    queue.wake(c)
    takeAll(queue)
    queue.wake(a, false)
    assert.isFalse(queue.hasTurns)
    queue.wake(b, true)
    takeAll(queue)
    queue.ended(b, true)
    queue.wake(b, false)
    assert.isTrue(queue.hasTurns)
  })

  it("a turn has a maximum of endpoints and of deliveries", () => {
    const queue = queueOf({ turn: 2 }, a, b, c)
    queue.wake(c, true)
    assert.deepStrictEqual(
      queue.take().map(({ endpoint_id }) => endpoint_id),
      [a, c]
    )
    assert.lengthOf(queueOf({ turnDeliveries: 3 }, a, b, c).take(), 2)
  })

  it("a full queue forgets the endpoint that has been idle longest", () => {
    const queue = queueOf({ endpoints: 2 }, a, b)
    assert.deepStrictEqual(taken(queue), [a, b])
    queue.wake(c)
    assert.isFalse(queue.hasTurns)
    queue.taken({ endpoint_id: a, limit: 1 }, 0)
    queue.wake(c)
    assert.deepStrictEqual(taken(queue), [c])
  })

  it("a full queue forgets an unproven endpoint for an unknown one, but not for another unproven one", () => {
    for (const [isProven, expected] of [
      [false, [a, b]],
      [undefined, [b, c]],
      [true, [b, c]]
    ] as const) {
      const queue = new WebhookQueue({ endpoints: 2 })
      for (const id of [a, b]) queue.wake(id, false)
      queue.wake(c, isProven)
      assert.deepStrictEqual(taken(queue), [...expected])
    }
  })

  it("the queue never forgets an endpoint with an attempt in flight", () => {
    const queue = queueOf({ endpoints: 2 }, a)
    takeAll(queue)
    queue.ended(a, true, false)
    assert.deepStrictEqual(queue.take(), [{ endpoint_id: a, limit: 2 }])
    queue.taken({ endpoint_id: a, limit: 2 }, 1)
    queue.wake(a)
    for (const id of [b, c]) queue.wake(id)
    assert.deepStrictEqual(taken(queue), [a, c])
  })
})
