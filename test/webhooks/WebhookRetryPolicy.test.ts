import { assert, describe, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { verdict } from "../../src/webhooks/WebhookRetryPolicy.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const attempt = between(1, 5)
const retried = [null, 408, 409, 425, 429]

describe("WebhookRetryPolicy", () => {
  it.prop("any 2xx delivers, at every attempt", [attempt, between(200, 299)], ([attempt, status]) => {
    assert.deepStrictEqual(verdict(attempt, status), { status: "delivered" })
  })

  it.prop("any 5xx is retried, and given up after the fifth attempt", [attempt, between(500, 599)], (drawn) => {
    const [attempt, status] = drawn
    assert.strictEqual(verdict(attempt, status).status, attempt < 5 ? "pending" : "abandoned")
  })

  it.each(retried)("%s is retried, and given up after the fifth attempt", (status) => {
    const statuses = [1, 2, 3, 4, 5].map((attempt) => verdict(attempt, status).status)
    assert.deepStrictEqual(statuses, ["pending", "pending", "pending", "pending", "abandoned"])
  })

  it.prop("every other answer fails for good, at every attempt", [attempt, between(100, 999)], ([attempt, status]) => {
    if (retried.includes(status) || Math.floor(status / 100) === 2 || Math.floor(status / 100) === 5) return
    assert.deepStrictEqual(verdict(attempt, status), { status: "failed" })
  })

  it("waits 30 seconds, then twice as long each time", () => {
    const waits = [1, 2, 3, 4].map((attempt) => {
      const result = verdict(attempt, 500)
      return result.status === "pending" ? Duration.toSeconds(result.wait) : null
    })
    assert.deepStrictEqual(waits, [30, 60, 120, 240])
  })
})
