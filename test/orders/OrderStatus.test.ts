import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import {
  expiringFrom,
  nextOrderStatuses,
  nextProxyStatuses,
  OrderStatus,
  ProxyStatus
} from "../../src/orders/OrderStatus.ts"

describe("OrderStatus", () => {
  it("ends only in refunded, cancelled or expired", () => {
    const ends = OrderStatus.literals.filter((status) => nextOrderStatuses[status].length === 0)
    assert.deepStrictEqual(ends, ["cancelled", "refunded", "expired"])
  })

  it("lets a proxy be cancelled from any status except expired", () => {
    const cancellable = ProxyStatus.literals.filter((status) => nextProxyStatuses[status].includes("cancelled"))
    assert.deepStrictEqual(cancellable, ["pending", "active", "expiring"])
  })

  it.each([
    [1, 4.8],
    [7, 33.6],
    [15, 72],
    [30, 72],
    [360, 72]
  ])("a proxy of %s days is expiring for its last %s hours", (days, hours) => {
    const start = DateTime.makeUnsafe(0)
    const end = DateTime.addDuration(start, Duration.days(days))
    assert.closeTo(Duration.toHours(DateTime.distance(expiringFrom(start, end), end)), hours, 0.001)
  })
})
