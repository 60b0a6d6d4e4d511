import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import * as Sandbox from "./Sandbox.ts"
import { Wallet, type WalletId } from "./Wallet.ts"

const SandboxMoney = Schema.Struct({
  wallets: Schema.Int,
  accounts: Schema.Int,
  USD: Schema.BigInt,
  STAR: Schema.BigInt
})

const Held = Schema.Struct({
  currency: Currency,
  balance: Schema.BigInt,
  sandbox_balance: Schema.BigInt,
  purchases_stopped: Schema.Boolean
})

/** The cause that stops the purchases of an account: a restriction with its reason, or else a refund or a dispute. */
const Stop = Schema.Struct({ public_reason: Schema.NullOr(Schema.String) })

/** The wallets of the accounts. */
export class WalletsRepo extends Context.Service<WalletsRepo>()("app/wallet/WalletsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = Rows.all(Wallet)
    const held = Rows.all(Held)
    const stop = Rows.first(Stop)
    const sandboxMoney = Rows.first(SandboxMoney)
    /** While the sandbox is off, sandbox money does not count in the balance. */
    const balance = (yield* Sandbox.enabled) ? sql`balance` : sql`balance - sandbox_balance AS balance`

    /** Creates the missing wallets of an account. */
    const create = (user_id: UserId) =>
      Effect.forEach(Currency.literals, (currency) =>
        Wallet.insert.makeEffect({ user_id, currency, balance: 0n }).pipe(
          Effect.flatMap(Schema.encodeEffect(Wallet.insert)),
          Effect.flatMap((wallet) => sql`INSERT INTO wallet ${sql.insert(wallet)} ON CONFLICT DO NOTHING`)
        )
      ).pipe(Effect.orDie, Effect.asVoid)

    return {
      create,
      walletsOf: (user_id: UserId) =>
        read(sql`
          SELECT id, user_id, currency, ${balance}, created_at, updated_at FROM wallet
          WHERE user_id = ${user_id} ORDER BY currency DESC
        `),
      /** None for an account that may buy. */
      stopOf: (user_id: UserId) =>
        stop(sql`
          SELECT (
            SELECT public_reason FROM account_restriction r
            WHERE w.spending_blocked AND r.user_id = w.user_id AND r.lifted_at IS NULL
            ORDER BY blocks_access DESC, blocks_service DESC, placed_at DESC LIMIT 1
          ) AS public_reason
          FROM wallet w WHERE user_id = ${user_id} AND (purchases_stopped OR spending_blocked) LIMIT 1
        `),
      /** Locks the account's wallets. `sandbox_balance` is a part of `balance`. */
      lockOf: (user_id: UserId) =>
        held(sql`
          SELECT currency, balance, sandbox_balance, purchases_stopped OR spending_blocked AS purchases_stopped FROM wallet
          WHERE user_id = ${user_id} ORDER BY currency FOR NO KEY UPDATE
        `),
      /** Sums the sandbox money of at most `limit` wallets. */
      sandboxMoney: (limit: number) =>
        sandboxMoney(sql`
          SELECT count(*)::int AS wallets, count(DISTINCT user_id)::int AS accounts,
            coalesce(sum(sandbox_balance) FILTER (WHERE currency = 'USD'), 0)::bigint AS "USD",
            coalesce(sum(sandbox_balance) FILTER (WHERE currency = 'STAR'), 0)::bigint AS "STAR"
          FROM (SELECT user_id, currency, sandbox_balance FROM wallet WHERE sandbox_balance > 0 LIMIT ${limit}) AS held
        `),
      lock: (id: WalletId) => Effect.orDie(sql`SELECT id FROM wallet WHERE id = ${id} FOR NO KEY UPDATE`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
