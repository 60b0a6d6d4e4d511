import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { type NewTaxRate, TaxRate, type TaxRateId } from "./TaxRate.ts"

const InForce = Schema.Struct({ country: TaxRate.fields.country, rate_bp: Schema.Int, note: TaxRate.fields.note })

/** The tax rates and their history. */
export class TaxRatesRepo extends Context.Service<TaxRatesRepo>()("app/wallet/TaxRatesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(TaxRate)
    const one = Rows.one(TaxRate)
    const inForce = Rows.all(InForce)
    const columns = sql`id, country, rate_bp, note, valid_from::text, recorded_at, recorded_by`

    return {
      insert: (id: TaxRateId, rate: NewTaxRate, recorded_by: string, now: DateTime.Utc) =>
        one(sql`
          INSERT INTO tax_rate ${sql.insert({ id, ...rate, recorded_by, recorded_at: DateTime.toDate(now) })}
          RETURNING ${columns}
        `),

      /** Lists every rate, by country, the newest first. */
      list: (limit: number) =>
        all(
          sql`SELECT ${columns} FROM tax_rate ORDER BY country, valid_from DESC, recorded_at DESC, id DESC LIMIT ${limit}`
        ),

      /** The rate of each country that is valid at a time. */
      inForce: (at: DateTime.Utc) =>
        inForce(sql`
          SELECT DISTINCT ON (country) country, rate_bp, note FROM tax_rate
          WHERE valid_from <= (${DateTime.toDate(at)}::timestamptz AT TIME ZONE 'UTC')::date
          ORDER BY country, valid_from DESC, recorded_at DESC, id DESC
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
