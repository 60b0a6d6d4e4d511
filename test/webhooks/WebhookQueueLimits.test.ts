import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { type Limits, type Turn, WebhookQueue } from "../../src/webhooks/WebhookQueue.ts"

const count = 12
const ids = Array.from({ length: count }, (_, index) =>
  WebhookEndpointId.make(`00000000-0000-7000-8000-${String(index).padStart(12, "0")}`)
)
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Steps = Schema.Array(
  Schema.Tuple([
    Schema.Literals(["record", "take", "take", "claim", "claim", "fail", "end", "end"]),
    between(0, count - 1),
    between(0, 5),
    Schema.UndefinedOr(Schema.Boolean)
  ])
).check(Schema.isMinLength(60), Schema.isMaxLength(160))
const SmallLimits = Schema.Struct({
  inFlight: between(1, 14),
  unproven: between(1, 6),
  turn: between(2, 6),
  turnDeliveries: between(2, 9)
})

const total = (turns: ReadonlyArray<Turn>) => turns.reduce((sum, { limit }) => sum + limit, 0)

/** A queue beside a database with due deliveries, and a record of reserved slots and attempts under way. */
class World {
  readonly queue: WebhookQueue
  readonly limits: Limits
  readonly due = new Map<WebhookEndpointId, number>()
  readonly proven = new Map<WebhookEndpointId, boolean>()
  readonly turns: Array<Turn> = []
  readonly inFlight: Array<WebhookEndpointId> = []

  constructor(limits: Limits) {
    this.limits = limits
    this.queue = new WebhookQueue(limits)
  }

  learn(id: WebhookEndpointId, isProven: boolean | undefined) {
    if (isProven !== undefined && !this.proven.has(id)) this.proven.set(id, isProven)
  }

  record(id: WebhookEndpointId, times: number, isProven: boolean | undefined) {
    this.due.set(id, (this.due.get(id) ?? 0) + times)
    this.learn(id, isProven)
    this.queue.wake(id, isProven)
  }

  take() {
    const { hasTurns } = this.queue
    const turns = this.queue.take()
    assert.strictEqual(turns.length > 0, hasTurns)
    assert.isTrue(turns.every(({ limit }) => Number.isInteger(limit) && limit > 0))
    assert.isAtMost(turns.length, this.limits.turn)
    assert.isAtMost(total(turns), this.limits.turnDeliveries)
    this.turns.push(...turns)
    return turns
  }

  claim({ endpoint_id, limit }: Turn, isProven?: boolean) {
    const due = this.due.get(endpoint_id) ?? 0
    const found = Math.min(due, limit)
    this.due.set(endpoint_id, due - found)
    this.learn(endpoint_id, isProven)
    this.queue.taken({ endpoint_id, limit }, found, isProven)
    this.inFlight.push(...Array<WebhookEndpointId>(found).fill(endpoint_id))
  }

  end(index: number, delivered: boolean | undefined, isPrompt: boolean) {
    const [id] = this.inFlight.splice(index % Math.max(this.inFlight.length, 1), 1)
    if (id === undefined) return
    if (delivered !== undefined) this.proven.set(id, delivered && isPrompt)
    this.queue.ended(id, delivered, isPrompt)
  }

  /** Reserved slots and attempts under way of the counted endpoints. */
  reserved(counts: (id: WebhookEndpointId) => boolean) {
    return this.inFlight.filter(counts).length + total(this.turns.filter(({ endpoint_id }) => counts(endpoint_id)))
  }

  step([step, which, number, flag]: (typeof Steps.Type)[number]) {
    const turn = (): Turn | undefined => this.turns.splice(which % Math.max(this.turns.length, 1), 1)[0]
    if (step === "record") this.record(ids[which]!, number, flag)
    else if (step === "end") this.end(which, flag, number > 1)
    else if (step === "take") return this.take()
    else {
      const taken = turn()
      if (taken !== undefined && step === "claim") this.claim(taken, flag)
      if (taken !== undefined && step === "fail") this.queue.putBack(taken)
    }
    return []
  }

  /** Ends all attempts well and sends every known due delivery. */
  settle() {
    for (const turn of this.turns.splice(0)) this.queue.putBack(turn)
    while (this.inFlight.length > 0) this.end(0, true, true)
    for (let round = 0; this.queue.hasTurns; round++) {
      assert.isBelow(round, 2000)
      this.take()
      for (const turn of this.turns.splice(0)) this.claim(turn)
      while (this.inFlight.length > 0) this.end(0, true, true)
    }
    assert.isTrue(this.queue.isIdle)
  }
}

const checked = (world: World) => {
  assert.isAtMost(
    world.reserved(() => true),
    world.limits.inFlight
  )
  for (const id of ids)
    assert.isAtMost(
      world.reserved((other) => other === id),
      world.limits.perEndpoint
    )
  if (world.reserved(() => true) > 0) assert.isFalse(world.queue.isIdle)
}

describe("WebhookQueue, whatever happens", () => {
  it.prop(
    "keeps every limit, and forgets nothing that is due",
    [SmallLimits, Steps],
    ([small, steps]) => {
      const world = new World({ ...small, perEndpoint: 8, endpoints: count })
      const isUnproven = (id: WebhookEndpointId) => world.proven.get(id) !== true
      for (const step of steps) {
        const turns = world.step(step)
        checked(world)
        if (turns.some(({ endpoint_id }) => isUnproven(endpoint_id)))
          assert.isAtMost(world.reserved(isUnproven), small.unproven)
      }
      world.settle()
      assert.deepStrictEqual(
        [...world.due.values()].filter((left) => left > 0),
        []
      )
    },
    { arbitrary: { runs: 150 } }
  )

  it.prop(
    "keeps every limit with more endpoints than it remembers; the job finds the deliveries of a forgotten endpoint",
    [SmallLimits, Steps, between(1, 8)],
    ([small, steps, endpoints]) => {
      const world = new World({ ...small, perEndpoint: 8, endpoints })
      for (const step of steps) {
        world.step(step)
        checked(world)
      }
      world.settle()
      const left = () => [...world.due].filter(([, due]) => due > 0)
      for (let round = 0; round < count && left().length > 0; round++) {
        for (const [id] of left()) world.queue.wake(id, world.proven.get(id) ?? false)
        world.settle()
      }
      assert.deepStrictEqual(left(), [])
    },
    { arbitrary: { runs: 150 } }
  )
})
