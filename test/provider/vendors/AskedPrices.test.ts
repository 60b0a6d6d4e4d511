import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { refused, VendorFailure } from "../../../src/provider/vendors/VendorFailure.ts"
import { AskedPrices } from "../../../src/provider/vendors/AskedPrices.ts"
import * as Testing from "./VendorTesting.ts"

const away = () => Effect.fail(new VendorFailure({ outcome: "not_executed", reason: "down" }))

const pricesFine = (article: string) =>
  article === "fine" ? Effect.succeed(9n) : Effect.fail(refused("the vendor says: Incorrect goal"))

const articles = Array.from({ length: 250 }, (_, number) => `article ${number}`)

layer(Testing.layer)("AskedPrices", (it) => {
  it.effect("asks for a limited number of prices per round, keeps them, and asks again after 12 hours", () =>
    Effect.gen(function* () {
      const prices = yield* AskedPrices
      let asked = 0
      const ask = () => Effect.sync(() => BigInt(++asked))
      assert.strictEqual((yield* prices.of("one", articles, ask)).size, 200)
      assert.strictEqual((yield* prices.of("one", articles, ask)).size, 250)
      assert.strictEqual((yield* prices.of("other", ["article 0"], () => Effect.succeed(7n))).get("article 0"), 7n)
      assert.strictEqual((yield* prices.of("one", articles, ask)).get("article 249"), 250n)
      assert.strictEqual(asked, 250)
      yield* TestClock.adjust("13 hours")
      assert.isAbove(Number((yield* prices.of("one", articles, ask)).get("article 0")), 250)
    })
  )

  it.effect("sells at known prices for two days while the vendor is out of reach", () =>
    Effect.gen(function* () {
      const prices = yield* AskedPrices
      yield* prices.of("away", ["known"], () => Effect.succeed(5n))
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual([...(yield* prices.of("away", ["unknown", "known"], away))], [["known", 5n]])
      yield* TestClock.adjust("25 hours")
      assert.strictEqual((yield* prices.of("away", ["known"], away)).size, 0)
    })
  )

  it.effect("keeps the price of an article that the vendor refuses to price, and asks for the others", () =>
    Effect.gen(function* () {
      const prices = yield* AskedPrices
      yield* prices.of("strict", ["faulty"], () => Effect.succeed(5n))
      yield* TestClock.adjust("13 hours")
      const kept = yield* prices.of("strict", ["faulty", "fine"], pricesFine)
      assert.deepStrictEqual(
        [...kept],
        [
          ["faulty", 5n],
          ["fine", 9n]
        ]
      )
      assert.strictEqual((yield* prices.of("strict", ["faulty"], () => Effect.succeed(6n))).get("faulty"), 5n)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* prices.of("strict", ["faulty"], () => Effect.succeed(6n))).get("faulty"), 6n)
    })
  )

  it.effect("knows that an article is not sold, and does not ask for it in every round", () =>
    Effect.gen(function* () {
      const prices = yield* AskedPrices
      let asked = 0
      const ask = () => Effect.sync(() => (asked++, null))
      for (let round = 0; round < 3; round++)
        assert.deepStrictEqual([...(yield* prices.of("picky", ["never"], ask))], [["never", null]])
      assert.strictEqual(asked, 1)
    })
  )
})
