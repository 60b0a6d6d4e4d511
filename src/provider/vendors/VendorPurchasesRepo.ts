import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { VendorPurchase } from "./VendorPurchase.ts"

const purchases = Rows.all(VendorPurchase)
const purchase = Rows.first(VendorPurchase)
const orderIds = Rows.all(Schema.Struct({ vendor_order_id: Schema.String }))

export class VendorPurchasesRepo extends Context.Service<VendorPurchasesRepo>()("app/provider/VendorPurchasesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = ({ provider, reference }: Pick<VendorPurchase, "provider" | "reference">) =>
      sql`provider_purchase.provider = ${provider} AND provider_purchase.reference = ${reference}`

    return {
      find: (provider: string, reference: string) =>
        purchase(sql`SELECT * FROM provider_purchase WHERE ${at({ provider, reference })}`).pipe(
          Effect.map(Option.getOrUndefined)
        ),

      ofVendorOrder: (provider: string, vendor_order_id: string) =>
        purchase(sql`
          SELECT * FROM provider_purchase WHERE provider = ${provider} AND vendor_order_id = ${vendor_order_id}
        `).pipe(Effect.map(Option.getOrUndefined)),

      /**
       * Records a purchase. False when its reference has another record than `earlier`, or a record with a vendor's
       * order.
       */
      begin: (purchase: VendorPurchase, earlier: VendorPurchase | undefined) =>
        Rows.any(sql`
          INSERT INTO provider_purchase ${sql.insert({
            ...purchase,
            requested_at: DateTime.toDate(purchase.requested_at),
            delivered_at: null
          })}
          ON CONFLICT (provider, reference) DO UPDATE SET
            article = excluded.article, period_days = excluded.period_days, protocol = excluded.protocol,
            mark = excluded.mark, requested_at = excluded.requested_at
          WHERE provider_purchase.vendor_order_id IS NULL
            AND provider_purchase.requested_at = ${earlier === undefined ? null : DateTime.toDate(earlier.requested_at)}
          RETURNING reference
        `),

      /** Deletes the record of a purchase that certainly was not made. */
      forget: (purchase: VendorPurchase) =>
        Effect.orDie(sql`
          DELETE FROM provider_purchase
          WHERE ${at(purchase)} AND vendor_order_id IS NULL AND requested_at = ${DateTime.toDate(purchase.requested_at)}
        `),

      /** Records the vendor's order of a purchase. False when the purchase has one, or another purchase has the order. */
      claim: (purchase: VendorPurchase, vendor_order_id: string) =>
        sql`
          UPDATE provider_purchase SET vendor_order_id = ${vendor_order_id}
          WHERE ${at(purchase)} AND vendor_order_id IS NULL
          RETURNING reference
        `.pipe(
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed([])),
          Rows.any
        ),

      /** Filters `vendor_order_ids`: returns the ids that belong to a recorded purchase. */
      claimed: (provider: string, vendor_order_ids: ReadonlyArray<string>) =>
        orderIds(sql`
          SELECT vendor_order_id FROM provider_purchase
          WHERE provider = ${provider} AND vendor_order_id = ANY (${vendor_order_ids}::text[])
        `).pipe(Effect.map((rows): ReadonlySet<string> => new Set(rows.map((row) => row.vendor_order_id)))),

      /** Lists the purchases of other articles since `since` whose outcome is unknown. */
      rivals: ({ article, provider }: VendorPurchase, since: DateTime.Utc) =>
        purchases(sql`
          SELECT * FROM provider_purchase
          WHERE provider = ${provider} AND vendor_order_id IS NULL AND article <> ${article}
            AND requested_at >= ${DateTime.toDate(since)}
        `),

      delivered: (purchase: VendorPurchase, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE provider_purchase SET delivered_at = ${DateTime.toDate(now)}
          WHERE ${at(purchase)} AND delivered_at IS NULL
        `),

      setProtocol: (purchase: VendorPurchase, protocol: VendorPurchase["protocol"]) =>
        Effect.orDie(sql`UPDATE provider_purchase SET protocol = ${protocol} WHERE ${at(purchase)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
