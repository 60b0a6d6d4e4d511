import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { BillingDetails, noDetails } from "./BillingDetails.ts"

/** The billing details of the accounts. */
export class BillingDetailsRepo extends Context.Service<BillingDetailsRepo>()("app/wallet/BillingDetailsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(BillingDetails)

    return {
      find: (user_id: UserId) =>
        first(sql`SELECT name, address FROM billing_details WHERE user_id = ${user_id}`).pipe(
          Effect.map(Option.getOrElse(() => noDetails))
        ),

      /** Stores the details of an account. The share lock keeps a deletion of the account from leaving them behind. */
      write: (user_id: UserId, { address, name }: BillingDetails, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO billing_details (user_id, name, address, updated_at)
          SELECT id, ${name}, ${address}, ${DateTime.toDate(now)} FROM user_account
          WHERE id = ${user_id} AND deleted_at IS NULL FOR SHARE
          ON CONFLICT (user_id) DO UPDATE
          SET name = excluded.name, address = excluded.address, updated_at = excluded.updated_at
        `),

      remove: (user_id: UserId) => Effect.orDie(sql`DELETE FROM billing_details WHERE user_id = ${user_id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
