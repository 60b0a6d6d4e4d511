import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Exit, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { PromoCodes } from "../../../src/wallet/promo-codes/PromoCodes.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { buy, layer as world, newCode, saleOf } from "./PromoCodeTesting.ts"

/** What the customer is told, and where. */
const refusal = <A, R>(use: Effect.Effect<A, { readonly detail: ReadonlyArray<{ loc: unknown; msg: string }> }, R>) =>
  Effect.map(Effect.flip(use), ({ detail }) => detail.map(({ loc, msg }) => [loc, msg]))

const quote = (...sale: Parameters<typeof saleOf>) => PromoCodes.use((codes) => codes.quote(saleOf(...sale)))

const release = (...ids: ReadonlyArray<string>) => PromoCodes.use((codes) => codes.release(ids))

layer(world)("Promo codes", (it) => {
  it.effect("one that anybody may use is used as fast after many uses as after none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      const { code, id } = yield* newCode()
      const uses = Effect.gen(function* () {
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`
          INSERT INTO promo_code_use (order_id, promo_code_id, user_id, use_id, created_at)
          SELECT gen_random_uuid(), ${id}, gen_random_uuid(), gen_random_uuid(), to_timestamp(0)
          FROM generate_series(1, 2000)
        `
      })
      yield* sql.withTransaction(uses)
      const using = Effect.gen(function* () {
        yield* buy(user, code)
        const [{ read } = { read: -1 }] = yield* sql<{ read: number }>`
          SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
          FROM pg_stat_xact_user_tables WHERE relname = 'promo_code_use'
        `
        return read
      })
      const read = yield* sql.withTransaction(using)
      assert.isAtLeast(read, 0)
      assert.isBelow(read, 100)
    })
  )

  it.effect("a code takes its percentage off each order, however it is written", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code, id } = yield* newCode({ code: "WELCOME-20" })
      assert.strictEqual(code, "WELCOME-20")
      const off = { discount: 300_000n, discount_usd: 300_000n }
      assert.deepStrictEqual(yield* quote(user, " welcome-20 ", 2), { promo_code_id: id, orders: [off, off] })
    })
  )

  const refusals = [
    ["an unknown one", "There is no such promo code", Effect.succeed("NOBODY-KNOWS")],
    ["one that is no code at all", "There is no such promo code", Effect.succeed("'; --")],
    [
      "one that is not valid yet",
      "The promo code is valid from 1970-01-02T00:00:00.000Z",
      Effect.map(newCode({ valid_from: DateTime.makeUnsafe("1970-01-02") }), ({ code }) => code)
    ],
    [
      "one that has expired",
      "The promo code has expired",
      Effect.map(newCode({ expires_at: DateTime.makeUnsafe(0) }), ({ code }) => code)
    ],
    [
      "one that was disabled",
      "The promo code is no longer valid",
      Effect.gen(function* () {
        const { code } = yield* newCode()
        yield* PromoCodeRegistry.use((registry) => registry.disable(code))
        return code
      })
    ],
    [
      "one for other offers",
      "The promo code is not valid for this offer",
      Effect.map(newCode({ offer_ids: [2, 3] }), ({ code }) => code)
    ],
    [
      "one that others have used up",
      "The promo code is used up",
      Effect.gen(function* () {
        const { code } = yield* newCode({ use_limit: 1 })
        yield* buy(yield* Fixtures.newUser, code)
        return code
      })
    ]
  ] as const

  for (const [name, message, make] of refusals)
    it.effect(`refuses ${name} and says so`, () =>
      Effect.gen(function* () {
        const user = yield* Fixtures.newUser
        const code = yield* make
        const at = [[["body", "promo_code"], message]]
        assert.deepStrictEqual(yield* refusal(quote(user, code)), at)
        assert.deepStrictEqual(yield* refusal(buy(user, code)), at)
        const preview = PromoCodes.use((codes) => codes.preview(saleOf(user, code)))
        assert.deepStrictEqual(yield* refusal(preview), [[["query", "code"], message]])
      })
    )

  it.effect("refuses an account that has used it as often as it may, and no other", () =>
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      const { code } = yield* newCode({ account_limit: 2 })
      yield* buy(user, code)
      yield* buy(user, code)
      const [[, message] = []] = yield* refusal(buy(user, code))
      assert.strictEqual(message, "Your account has used the promo code as often as it may")
      yield* buy(other, code)
    })
  )

  it.effect("refuses to be used up for nothing", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode()
      const cheap = { ...saleOf(user, code), unit_price: 10_000n, unit_price_usd: 10_000n }
      const [[, message] = []] = yield* refusal(PromoCodes.use((codes) => codes.quote(cheap)))
      assert.strictEqual(message, "The promo code gives no discount at this price")
    })
  )

  it.effect("ends at the moment it expires", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const soon = DateTime.add(yield* DateTime.now, { minutes: 5 })
      const { code } = yield* newCode({ expires_at: soon, valid_from: yield* DateTime.now })
      yield* TestClock.adjust("299999 millis")
      yield* quote(user, code)
      yield* TestClock.adjust("1 millis")
      const [[, message] = []] = yield* refusal(quote(user, code))
      assert.strictEqual(message, "The promo code has expired")
    })
  )

  it.effect("40 requests at once use a code for 10 exactly 10 times", () =>
    Effect.gen(function* () {
      const { code } = yield* newCode({ use_limit: 10 })
      const users = yield* Effect.all(Arr.makeBy(40, () => Fixtures.newUser))
      const bought = yield* Effect.forEach(users, (user) => Effect.result(buy(user, code, 2)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(bought.filter(Result.isSuccess), 10)
      for (const { failure } of bought.filter(Result.isFailure)) assert.strictEqual(failure._tag, "RequestInvalid")
    })
  )

  it.effect("20 requests of one account at once use its code once", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode()
      const bought = yield* Effect.all(
        Arr.makeBy(20, () => Effect.result(buy(user, code))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(bought.filter(Result.isSuccess), 1)
    })
  )

  it.effect("a request that fails later has used nothing", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode({ use_limit: 1 })
      const redeemed = PromoCodes.use((codes) => codes.redeem({ ...saleOf(user, code), order_ids: [randomUUID()] }))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(redeemed)), "an order that does not exist")
      yield* buy(user, code)
    })
  )

  it.effect("gives the use back once none of its orders is left", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode({ use_limit: 1 })
      const [first = "", second = ""] = yield* buy(user, code, 2)
      yield* release(first)
      yield* release(first, randomUUID())
      yield* release()
      assert.lengthOf(yield* refusal(quote(user, code)), 1)
      yield* release(second)
      const [again = ""] = yield* buy(user, code)
      assert.lengthOf(yield* refusal(quote(user, code)), 1)
      // An order that is removed was never shown to anybody.
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM proxy_order WHERE id = ${again}`
      yield* quote(user, code)
    })
  )

  it.effect("tells how many uses are left to the account, by whichever limit is nearer", () =>
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      const { code } = yield* newCode({ use_limit: 4, account_limit: 3 })
      const left = (account: typeof user) =>
        Effect.map(
          PromoCodes.use((codes) => codes.preview(saleOf(account, code))),
          ({ uses_left }) => uses_left
        )
      assert.strictEqual(yield* left(user), 3)
      yield* buy(user, code)
      yield* buy(user, code)
      assert.deepStrictEqual([yield* left(user), yield* left(other)], [1, 2])
    })
  )

  it.effect("the database refuses codes and uses that break a rule", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      const limited = yield* newCode({ use_limit: 1 })
      const expired = yield* newCode({ expires_at: DateTime.makeUnsafe(0) })
      const [order = ""] = yield* buy(user, limited.code)
      const use = (promo_code_id: string, account: string) =>
        sql`INSERT INTO promo_code_use ${sql.insert({
          order_id: randomUUID(),
          promo_code_id,
          user_id: account,
          use_id: randomUUID(),
          created_at: new Date(0)
        })}`
      const other = yield* Fixtures.newUser
      const unlimited = yield* newCode()
      yield* buy(user, unlimited.code)
      const broken = [
        use(limited.id, other),
        use(unlimited.id, user),
        use(expired.id, other),
        // Without its order.
        use(unlimited.id, other),
        sql`UPDATE promo_code_use SET user_id = ${other} WHERE order_id = ${order}`,
        sql`UPDATE promo_code SET value = 101 WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET value = 0 WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET code = 'lower' WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET offer_ids = '{}' WHERE id = ${limited.id}`,
        // A discount without its code, a code without its use.
        sql`UPDATE proxy_order SET promo_code_id = NULL WHERE id = ${order}`,
        sql`UPDATE proxy_order SET promo_code_id = ${unlimited.id} WHERE id = ${order}`,
        sql`DELETE FROM promo_code_use WHERE order_id = ${order}`
      ]
      for (const [index, statement] of broken.entries()) {
        const { reason } = yield* Effect.flip(statement)
        assert.strictEqual(reason._tag, "ConstraintError", `${index}: ${String(reason.cause)}`)
      }
      yield* sql`UPDATE promo_code_use SET released_at = created_at WHERE order_id = ${order}`
      const again = sql`UPDATE promo_code_use SET released_at = NULL WHERE order_id = ${order}`
      assert.strictEqual((yield* Effect.flip(again)).reason._tag, "ConstraintError")
    })
  )
})
