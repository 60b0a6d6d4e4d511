import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import * as Rows from "./Rows.ts"
import * as Sandbox from "./Sandbox.ts"
import { Wallet, type WalletId } from "./Wallet.ts"

export class WalletsRepo extends Context.Service<WalletsRepo>()("app/wallet/WalletsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = Rows.all(Wallet)
    /** What came from the sandbox is nothing to whoever looks while it is off. */
    const balance = (yield* Sandbox.enabled) ? sql`balance` : sql`balance - sandbox_balance AS balance`

    /** Gives the account the wallets that it lacks. */
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
      lockOf: (user_id: UserId) =>
        Effect.orDie(sql`SELECT id FROM wallet WHERE user_id = ${user_id} ORDER BY currency FOR NO KEY UPDATE`),
      lock: (id: WalletId) => Effect.orDie(sql`SELECT id FROM wallet WHERE id = ${id} FOR NO KEY UPDATE`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
