import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { customer, dollar, rounds, saveCard, world } from "./AutoTopUpTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"

/** A payment of a saved card, stored without the service's own checks. */
const stored = Effect.fnUntraced(function* (
  { card_id, user }: { readonly user: Effect.Success<typeof Fixtures.newUser>; readonly card_id: never },
  amount: bigint
) {
  const atomically = yield* Atomically
  const payments = yield* Payments
  return yield* atomically(
    payments.prepare({
      user_id: user,
      purpose: "deposit",
      payment_method: "card_gateway",
      currency: "USD",
      amount,
      description: "Automatic top-up",
      items: 1,
      card_id
    })
  )
})

const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), ({ _tag }) => _tag === "Failure")

layer(world)("The database", (it) => {
  it.effect("has one payment of a saved card in flight for each account", () =>
    Effect.gen(function* () {
      const account = yield* customer()
      const one = { user: account.user, card_id: account.card_id as never }
      yield* stored(one, 20n * dollar)
      assert.isTrue(yield* isRefused(stored(one, 20n * dollar)))
    })
  )

  it.effect("has no payment beyond the month's limit, of another amount or card, or while it is off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const account = yield* customer({ monthly_limit: 30n * dollar })
      const one = { user: account.user, card_id: account.card_id as never }
      assert.isTrue(yield* isRefused(stored(one, 21n * dollar)))
      assert.isTrue(yield* isRefused(stored({ ...one, card_id: randomUUID() as never }, 20n * dollar)))
      yield* account.set({ is_on: false })
      assert.isTrue(yield* isRefused(stored(one, 20n * dollar)))
      yield* account.set({ monthly_limit: 39n * dollar })
      yield* account.spend(25n * dollar)
      yield* rounds
      assert.isTrue(yield* isRefused(stored(one, 20n * dollar)))
      yield* account.set({ monthly_limit: 40n * dollar })
      const { id } = yield* stored(one, 20n * dollar)
      assert.isTrue(yield* isRefused(sql`UPDATE payment_intent SET card_id = ${randomUUID()} WHERE id = ${id}`))
    })
  )

  it.effect("lets an account use only a card of its own that it has not removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { card_id, user } = yield* customer()
      const foreign = yield* saveCard(yield* Fixtures.newUser)
      const use = (id: string) => sql`UPDATE auto_top_up SET card_id = ${id} WHERE user_id = ${user}`
      assert.isTrue(yield* isRefused(use(foreign.id)))
      const own = yield* saveCard(user)
      yield* sql`UPDATE saved_card SET removed_at = created_at, remove_at = created_at WHERE id = ${own.id}`
      assert.isTrue(yield* isRefused(use(own.id)))
      assert.isFalse(yield* isRefused(use(card_id)))
      assert.isTrue(
        yield* isRefused(sql`UPDATE saved_card SET removed_at = NULL, remove_at = NULL WHERE id = ${own.id}`)
      )
    })
  )

  for (const [name, change] of [
    ["an amount below the threshold", "threshold = 21000000"],
    ["a limit below the amount", "monthly_limit = 19990000"],
    ["a part of a cent", "amount = 20000001"],
    ["a limit of more than 10,000 dollars", "monthly_limit = 10000000001"],
    ["no card while it is on", "card_id = NULL"],
    ["a reason of its end while it is on", "stopped_by = 'reversed'"]
  ] as const)
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { user } = yield* customer()
        assert.isTrue(yield* isRefused(sql`UPDATE auto_top_up SET ${sql.literal(change)} WHERE user_id = ${user}`))
      })
    )
})
