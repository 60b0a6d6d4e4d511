import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { BillingDetails, noDetails } from "./BillingDetails.ts"
import { type SeenTaxNumber, TaxNumber } from "./TaxNumber.ts"

/** The billing details of the accounts. */
export class BillingDetailsRepo extends Context.Service<BillingDetailsRepo>()("app/wallet/BillingDetailsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const number = Rows.first(TaxNumber)
    const first = Rows.first(BillingDetails)
    const numbers = Rows.all(TaxNumber)
    const numberColumns = sql`
      user_id, name, country, tax_number, tax_number_checked_at AS checked_at, tax_number_checked_by AS checked_by,
      tax_number_refused_at AS refused_at
    `
    const hasNumber = sql`num_nonnulls(name, address, country, tax_number) = 4`
    const columns = sql.literal(Rows.columnsOf(BillingDetails))

    return {
      find: (user_id: UserId) =>
        first(sql`SELECT ${columns} FROM billing_details WHERE user_id = ${user_id}`).pipe(
          Effect.map(Option.getOrElse(() => noDetails))
        ),

      /** Stores the details of an account. The share lock keeps a deletion of the account from leaving them behind. */
      write: (
        user_id: UserId,
        { address, country, is_business, name, tax_number }: BillingDetails,
        now: DateTime.Utc
      ) =>
        Effect.orDie(sql`
          INSERT INTO billing_details (user_id, name, address, is_business, country, tax_number, updated_at)
          SELECT id, ${name}, ${address}, ${is_business}, ${country}, ${tax_number}, ${DateTime.toDate(now)}
          FROM user_account WHERE id = ${user_id} AND deleted_at IS NULL FOR SHARE
          ON CONFLICT (user_id) DO UPDATE
          SET name = excluded.name, address = excluded.address, is_business = excluded.is_business,
            country = excluded.country, tax_number = excluded.tax_number, updated_at = excluded.updated_at
        `),

      remove: (user_id: UserId) => Effect.orDie(sql`DELETE FROM billing_details WHERE user_id = ${user_id}`),

      /** Lists tax numbers: those that wait for a check, the oldest first, then the right ones, then the wrong ones. */
      taxNumbers: (limit: number) =>
        numbers(sql`
          SELECT ${numberColumns} FROM billing_details WHERE ${hasNumber}
          ORDER BY tax_number_refused_at IS NOT NULL, tax_number_checked_at IS NOT NULL, updated_at, user_id LIMIT ${limit}
        `),

      taxNumber: (user_id: UserId) =>
        number(sql`SELECT ${numberColumns} FROM billing_details WHERE user_id = ${user_id} AND ${hasNumber}`),

      /** Marks a number as right, or as wrong. None when the business is no longer as staff saw it. */
      check: (
        user_id: UserId,
        { country, name, tax_number }: SeenTaxNumber,
        { at, by }: { readonly at: DateTime.Utc; readonly by: string | null }
      ) => {
        const now = DateTime.toDate(at)
        return number(sql`
          UPDATE billing_details
          SET tax_number_checked_at = ${by === null ? null : now}, tax_number_checked_by = ${by},
            tax_number_refused_at = ${by === null ? now : null}
          WHERE user_id = ${user_id} AND (name, country, tax_number) = (${name}, ${country}, ${tax_number}) AND ${hasNumber}
          RETURNING ${numberColumns}
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
