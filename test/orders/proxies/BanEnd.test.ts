import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Restrictions } from "../../../src/accounts/restrictions/Restrictions.ts"
import * as AccountClosure from "../../../src/orders/proxies/AccountClosure.ts"
import { AccountClosureRepo } from "../../../src/orders/proxies/AccountClosureRepo.ts"
import * as BanEnd from "../../../src/orders/proxies/BanEnd.ts"
import { lift, restrict, wanted } from "../../support/Restricting.ts"
import { orderOf, proxy } from "../changes/ProxyChangeTesting.ts"
import { domain, ledgerOf } from "../RestrictedTesting.ts"

layer(domain)("A banned account", (it) => {
  it.effect("loses its proxies for good when a ban lasts a week, and keeps them when it is lifted before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [gone, stays, other] = [yield* proxy("Datacenter"), yield* proxy("Datacenter"), yield* proxy("Datacenter")]
      const late = yield* proxy("Datacenter")
      yield* restrict(late.user, "suspend")
      const { id: lateBan } = yield* restrict(late.user, "ban")
      yield* restrict(gone.user, "ban")
      const { id } = yield* restrict(stays.user, "ban")
      yield* TestClock.adjust("167 hours")
      yield* BanEnd.run
      yield* AccountClosure.run
      assert.strictEqual((yield* orderOf(gone.user, gone.id)).status, "provisioned")
      yield* lift(id)
      yield* TestClock.adjust("1 hour")
      yield* BanEnd.run
      // Lifted before its proxy was reached; the account is still suspended.
      yield* lift(lateBan)
      yield* AccountClosure.run
      assert.isEmpty(yield* sql`SELECT FROM account_closure`)
      const statuses = yield* Effect.forEach([gone, stays, other, late], ({ id, user }) => orderOf(user, id))
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        ["cancelled", "provisioned", "provisioned", "provisioned"]
      )
      assert.lengthOf(yield* ledgerOf(gone.user), 1)
    })
  )

  it.effect("keeps its proxies when the ban is lifted while their end is under way, and after another ban", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* AccountClosureRepo
      const restrictions = yield* Restrictions
      const [one, other] = [yield* proxy("Datacenter"), yield* proxy("Datacenter")]
      const { id } = yield* restrict(one.user, "ban")
      yield* TestClock.adjust("7 days")
      yield* BanEnd.run
      const lifting: typeof repo = {
        ...repo,
        live: (...given) => {
          const lifted = Effect.andThen(
            restrictions.lift(id, { by: "ada", reason: "Settled" }),
            restrictions.place(wanted(one.user, "suspend"))
          )
          return Effect.tap(repo.live(...given), () => Effect.orDie(lifted))
        }
      }
      yield* Effect.provideService(AccountClosure.run, AccountClosureRepo, lifting)
      assert.strictEqual((yield* orderOf(one.user, one.id)).status, "provisioned")
      assert.isEmpty(yield* sql`SELECT FROM account_closure`)
      // The lifting may have committed while the job added the account.
      yield* restrict(other.user, "ban")
      yield* sql`INSERT INTO account_closure (user_id, due_at) VALUES (${other.user}, to_timestamp(0))`
      yield* AccountClosure.run
      assert.strictEqual((yield* orderOf(other.user, other.id)).status, "provisioned")
      assert.isEmpty(yield* sql`SELECT FROM account_closure`)
    })
  )
})
