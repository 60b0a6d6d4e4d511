import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Exit, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { PromoCodes } from "../../../src/wallet/promo-codes/PromoCodes.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { buy, layer as world, newCode, saleOf } from "./PromoCodeTesting.ts"

/** The fault of a refused code: its message and its field. */
const refusal = <A, R>(use: Effect.Effect<A, { readonly detail: ReadonlyArray<{ loc: unknown; msg: string }> }, R>) =>
  Effect.map(Effect.flip(use), ({ detail }) => detail.map(({ loc, msg }) => [loc, msg]))

const quote = (...sale: Parameters<typeof saleOf>) => PromoCodes.use((codes) => codes.quote(saleOf(...sale)))

const release = (...ids: ReadonlyArray<string>) => PromoCodes.use((codes) => codes.release(ids))

layer(world)("Promo codes", (it) => {
  it.effect("a code without a limit of uses does not read earlier uses", () =>
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

  it.effect("a code discounts each order by its percentage, in any spelling", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code, id } = yield* newCode({ code: "WELCOME-20" })
      assert.strictEqual(code, "WELCOME-20")
      const off = { discount: 300_000n, discount_usd: 300_000n }
      assert.deepStrictEqual(yield* quote(user, " welcome-20 ", 2), { promo_code_id: id, orders: [off, off] })
    })
  )

  it.effect.each([
    ["has expired", null, 0],
    ["has a start and has expired", -2, -1],
    ["expires at its start", 1, 1]
  ] as const)("the registry refuses a code that %s", ([, from, expires]) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const valid_from = from === null ? null : DateTime.add(now, { seconds: from })
      const error = yield* Effect.flip(newCode({ valid_from, expires_at: DateTime.add(now, { seconds: expires }) }))
      assert.strictEqual(error._tag, "PromoCodeNeverValid")
    })
  )

  const refusals = [
    ["an unknown code", "There is no such promo code", Effect.succeed("NOBODY-KNOWS")],
    ["a text that is not a code", "There is no such promo code", Effect.succeed("'; --")],
    [
      "a code that is not valid yet",
      "The promo code is valid from 1970-01-02T00:00:00.000Z",
      Effect.map(newCode({ valid_from: DateTime.makeUnsafe("1970-01-02") }), ({ code }) => code)
    ],
    [
      "an expired code",
      "The promo code has expired",
      Effect.gen(function* () {
        const { code } = yield* newCode({ expires_at: DateTime.add(yield* DateTime.now, { seconds: 1 }) })
        yield* TestClock.adjust("1 second")
        return code
      })
    ],
    [
      "a disabled code",
      "The promo code is no longer valid",
      Effect.gen(function* () {
        const { code } = yield* newCode()
        yield* PromoCodeRegistry.use((registry) => Effect.flatMap(registry.named(code), ({ id }) => registry.end(id)))
        return code
      })
    ],
    [
      "a code for other offers",
      "The promo code is not valid for this offer",
      Effect.map(newCode({ offer_ids: [2, 3] }), ({ code }) => code)
    ],
    [
      "a code that others have used up",
      "The promo code is used up",
      Effect.gen(function* () {
        const { code } = yield* newCode({ use_limit: 1 })
        yield* buy(yield* Fixtures.newUser, code)
        return code
      })
    ]
  ] as const

  for (const [name, message, make] of refusals)
    it.effect(`refuse ${name} with the reason`, () =>
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

  it.effect("refuse an account that has used the code as often as it may, and accept other accounts", () =>
    Effect.gen(function* () {
      const [user, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      const { code } = yield* newCode({ account_limit: 2 })
      yield* buy(user, code)
      yield* buy(user, code)
      const [[, message] = []] = yield* refusal(buy(user, code))
      assert.strictEqual(message, "Your account cannot use the promo code again")
      yield* buy(other, code)
    })
  )

  it.effect("refuse a code that gives no discount, so that it is not used up", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode()
      const cheap = { ...saleOf(user, code), unit_price: 10_000n, unit_price_usd: 10_000n }
      const [[, message] = []] = yield* refusal(PromoCodes.use((codes) => codes.quote(cheap)))
      assert.strictEqual(message, "The promo code gives no discount at this price")
    })
  )

  it.effect("end at the moment of their expiry", () =>
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

  it.effect("40 simultaneous requests use a code with 10 uses exactly 10 times", () =>
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

  it.effect("20 simultaneous requests of one account use its code once", () =>
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

  it.effect("a request that fails later does not use the code", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { code } = yield* newCode({ use_limit: 1 })
      const redeemed = PromoCodes.use((codes) => codes.redeem({ ...saleOf(user, code), order_ids: [randomUUID()] }))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(redeemed)), "an order that does not exist")
      yield* buy(user, code)
    })
  )

  it.effect("return a use when all its orders are released", () =>
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
      // A removed order was never shown to a customer.
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM proxy_order WHERE id = ${again}`
      yield* quote(user, code)
    })
  )

  it.effect("show the uses that are left to the account, by the lower limit", () =>
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
      const soon = DateTime.add(yield* DateTime.now, { seconds: 1 })
      const expired = yield* newCode({ expires_at: soon })
      const [order = ""] = yield* buy(user, limited.code)
      const use = (promo_code_id: string, account: string, created_at = new Date(0)) =>
        sql`INSERT INTO promo_code_use ${sql.insert({
          order_id: randomUUID(),
          promo_code_id,
          user_id: account,
          use_id: randomUUID(),
          created_at
        })}`
      const other = yield* Fixtures.newUser
      const unlimited = yield* newCode()
      yield* buy(user, unlimited.code)
      const broken = [
        use(limited.id, other),
        use(unlimited.id, user),
        use(expired.id, other, DateTime.toDate(soon)),
        // A use without its order.
        use(unlimited.id, other),
        sql`UPDATE promo_code_use SET user_id = ${other} WHERE order_id = ${order}`,
        sql`UPDATE promo_code SET value = 101 WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET value = 0 WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET code = 'lower' WHERE id = ${limited.id}`,
        sql`UPDATE promo_code SET offer_ids = '{}' WHERE id = ${limited.id}`,
        // An order with a discount but no code, and one with a code but no use.
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
