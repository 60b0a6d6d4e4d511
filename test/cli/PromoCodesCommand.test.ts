import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { OfferNotFound } from "../../src/catalog/CatalogErrors.ts"
import { OfferId } from "../../src/catalog/Offer.ts"
import { promoCodes } from "../../src/cli/PromoCodesCommand.ts"
import { PromoCodeDesk } from "../../src/staff/promo-codes/PromoCodeDesk.ts"
import { offerOf } from "../support/MemoryOffers.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

/** A catalog of the offers 1 to 9. */
const catalog = Layer.mock(Catalog)({
  offer: (id) => (id < 10 ? Effect.succeed(offerOf({ id: OfferId.make(id) })) : Effect.fail(new OfferNotFound()))
})

const run = runner(promoCodes(PromoCodeDesk.layer.pipe(Layer.provide(catalog))))

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("promo-codes", (it) => {
  it.effect("add, list (newest first) and disable work on promo codes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run("list"), "No promo codes")
      assert.strictEqual(yield* run("add spring-20 --percent 20"), "SPRING-20 takes 20% off")
      assert.strictEqual(
        yield* run(
          "add FIVE --fixed-usd 5.25 --from 2026-06-01 --expires 2027-01-01T12:00:00Z --limit 100 --per-account 2 --offer 7 --offer 9"
        ),
        "FIVE takes 5.25 USD off"
      )
      assert.strictEqual(yield* run("disable spring-20"), "SPRING-20 is disabled")
      assert.deepStrictEqual((yield* run("list")).split("\n").toSorted(), [
        "FIVE\t5.25 USD\tused 0 of 100\t2 per account\tfrom 2026-06-01T00:00:00.000Z\texpires 2027-01-01T12:00:00.000Z\toffers 7,9",
        "SPRING-20\t20%\tused 0\t1 per account\tdisabled"
      ])
      const expires_at = "2027-01-01T12:00:00.000Z"
      const five = { state: "active", amount: "5.25 USD", expires_at, use_limit: 100, account_limit: 2 }
      const spring = { amount: "20%", expires_at: null, use_limit: null, account_limit: 1 }
      assert.deepStrictEqual(
        (yield* events).map(({ action, after, subject }) => [action, subject, after]),
        [
          ["promo_code.change", "promo_code SPRING-20", { ...spring, state: "active" }],
          ["promo_code.change", "promo_code FIVE", five],
          ["promo_code.change", "promo_code SPRING-20", { ...spring, state: "disabled" }]
        ]
      )
    })
  )

  it.effect("limit replaces the limits of a code that has not ended, with a reason; uses lists its orders", () =>
    Effect.gen(function* () {
      yield* run("add LIMITED --percent 10 --limit 5")
      const line = yield* run("limit limited --limit 2 --per-account 2 --expires 2027-01-01 --reason spent")
      assert.strictEqual(line, "LIMITED\t10%\tused 0 of 2\t2 per account\texpires 2027-01-01T00:00:00.000Z")
      const limits = { account_limit: 2, use_limit: 2, expires_at: "2027-01-01T00:00:00.000Z" }
      assert.deepInclude((yield* events).at(-1), {
        reason: "spent",
        after: { ...limits, state: "active", amount: "10%" }
      })
      assert.strictEqual(yield* run("uses LIMITED"), "No uses")
      assert.include(yield* run("limit LIMITED --expires 1969-01-01 --reason past"), "must expire in the future")
      yield* run("disable LIMITED")
      assert.include(yield* run("limit LIMITED --limit 9 --reason more"), "has ended")
    })
  )

  it.effect("add and disable explain an error and change nothing", () =>
    Effect.gen(function* () {
      yield* run("add TAKEN --percent 5")
      const before = yield* run("list")
      const wrong = [
        ["add TAKEN --percent 10", "The promo code TAKEN exists already"],
        ["add taken --percent 10", "The promo code TAKEN exists already"],
        ["add NEW", "Give either --percent or --fixed-usd"],
        ["add NEW --percent 5 --fixed-usd 5", "Give only one of --percent and --fixed-usd"],
        ["add NEW --percent 5 --offer 7 --offer 999", "The catalog has no offer 999; "],
        ["add NEW --percent 5 --offer 998 --offer 999", "The catalog has no offers 998, 999; "],
        ["add NEW --percent 0", "between 1 and 100"],
        ["add NEW --percent 101", "between 1 and 100"],
        ["add NEW --fixed-usd 0", "Expected dollars such as 5 or 2.50"],
        ["add NEW --fixed-usd 1.2345678", "Expected dollars such as 5 or 2.50"],
        ["add NEW --percent 5 --expires 1969-12-31", "--expires must be later"],
        ["add NEW --percent 5 --from 1969-12-30 --expires 1969-12-31", "--expires must be later"],
        ["add NEW --percent 5 --from 2027-01-02 --expires 2027-01-01", "--expires must be later"],
        ["add NEW --percent 5 --expires tomorrow", "2027-01-01 or 2027-01-01T12:00:00Z"],
        ["add NEW --percent 5 --expires 2027-13-01", "expires"],
        ["add NEW --percent 5 --expires 2027-01-01T12:00:00", "2027-01-01 or 2027-01-01T12:00:00Z"],
        ["add NEW --percent 5 --limit 0", "limit"],
        ["add NEW --percent 5 --per-account 0", "per-account"],
        ["add N --percent 5", "3 to 40 letters, digits and hyphens"],
        ["add Ünïque --percent 5", "3 to 40 letters, digits and hyphens"],
        ["disable NOBODY", "There is no promo code NOBODY"]
      ] as const
      for (const [line, expected] of wrong) {
        const answer = yield* run(line)
        assert.match(answer, /^failed: /, line)
        assert.include(answer, expected, line)
      }
      assert.strictEqual(yield* run("list"), before)
    })
  )
})
