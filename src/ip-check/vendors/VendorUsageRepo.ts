import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { IpVendor } from "./IpVendor.ts"

const counted = Rows.all(Schema.Struct({ vendor: Schema.String }))

/** The largest `int` of PostgreSQL. */
const unlimited = 2_147_483_647

export class VendorUsageRepo extends Context.Service<VendorUsageRepo>()("app/ip-check/VendorUsageRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Counts one call to each vendor whose quota is not used up, and returns the ids of these vendors. */
      take: (vendors: ReadonlyArray<Pick<IpVendor, "id" | "quota">>, now: DateTime.Utc) => {
        const day = DateTime.formatIsoDateUtc(now)
        const month = DateTime.formatIsoDateUtc(DateTime.startOf(now, "month"))
        return counted(sql`
          WITH quota AS (
            SELECT * FROM unnest(
              ${vendors.map(({ id }) => id)}::text[],
              ${vendors.map(({ quota }) => quota.per_day ?? unlimited)}::int[],
              ${vendors.map(({ quota }) => quota.per_month ?? unlimited)}::int[]
            ) AS quota (vendor, per_day, per_month)
          )
          INSERT INTO ip_vendor_usage AS used (vendor, day, calls_of_day, month, calls_of_month)
          SELECT vendor, ${day}::date, 1, ${month}::date, 1 FROM quota ORDER BY vendor
          ON CONFLICT (vendor) DO UPDATE SET
            calls_of_day = CASE WHEN used.day < excluded.day THEN 1 ELSE used.calls_of_day + 1 END,
            day = greatest(used.day, excluded.day),
            calls_of_month = CASE WHEN used.month < excluded.month THEN 1 ELSE used.calls_of_month + 1 END,
            month = greatest(used.month, excluded.month)
          WHERE (used.day < excluded.day
              OR used.calls_of_day < (SELECT per_day FROM quota WHERE quota.vendor = used.vendor))
            AND (used.month < excluded.month
              OR used.calls_of_month < (SELECT per_month FROM quota WHERE quota.vendor = used.vendor))
          RETURNING vendor
        `).pipe(Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ vendor }) => vendor))))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
