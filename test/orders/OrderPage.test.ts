import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { locate } from "../../src/orders/OrderPage.ts"

const month = (n: number) => DateTime.add(DateTime.makeUnsafe("2030-01-01T00:00:00Z"), { months: -n })

const months = (...orders: ReadonlyArray<number>) =>
  orders.flatMap((count, n) => (count === 0 ? [] : [{ month: month(n), orders: count }]))

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

describe("A page of a long list", () => {
  it("is counted from the nearer end, within the months that contain it", () => {
    const list = months(10, 100, 100, 10)
    assert.deepStrictEqual(locate(list, { limit: 5, offset: 0 }), {
      from: month(0),
      to: month(-1),
      direction: "newest first",
      skip: 0,
      limit: 5
    })
    assert.deepStrictEqual(locate(list, { limit: 20, offset: 100 }), {
      from: month(2),
      to: month(0),
      direction: "newest first",
      skip: 90,
      limit: 20
    })
    assert.deepStrictEqual(locate(list, { limit: 10, offset: 190 }), {
      from: month(2),
      to: month(1),
      direction: "oldest first",
      skip: 10,
      limit: 10
    })
    assert.deepStrictEqual(locate(list, { limit: 50, offset: 215 }), {
      from: month(3),
      to: month(2),
      direction: "oldest first",
      skip: 0,
      limit: 5
    })
  })

  it("does not exist after the end of the list", () => {
    assert.isUndefined(locate([], { limit: 50, offset: 0 }))
    assert.isUndefined(locate(months(3, 4), { limit: 50, offset: 7 }))
  })

  it.prop(
    "equals the page that counting from the newest order gives",
    [Schema.Array(upTo(7)).check(Schema.isMaxLength(8)), upTo(9), upTo(60)],
    ([sizes, limit, offset]) => {
      const list = months(...sizes)
      const orders = list.flatMap(({ month, orders }) => Array.from({ length: orders }, (_, n) => ({ month, n })))
      const page = locate(list, { limit: limit + 1, offset })
      const within = orders.filter(
        ({ month }) =>
          page !== undefined && DateTime.isGreaterThanOrEqualTo(month, page.from) && DateTime.isLessThan(month, page.to)
      )
      const walked = page?.direction === "oldest first" ? within.toReversed() : within
      const found = walked.slice(page?.skip ?? 0, (page?.skip ?? 0) + (page?.limit ?? 0))
      assert.deepStrictEqual(
        page?.direction === "oldest first" ? found.toReversed() : found,
        orders.slice(offset, offset + limit + 1)
      )
      assert.isTrue(page === undefined || page.skip <= within.length / 2)
    }
  )
})
