import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** A purchase from a vendor. Its order there is null as long as the outcome is unknown. */
export const VendorPurchase = Schema.Struct({
  provider: Schema.String,
  reference: Schema.String,
  article: Schema.String,
  period_days: Schema.Int,
  protocol: Schema.Literals(["HTTP", "HTTPS", "SOCKS5"]),
  mark: Schema.String,
  requested_at: Schema.DateTimeUtcFromDate,
  vendor_order_id: Schema.NullOr(Schema.String),
  delivered_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type VendorPurchase = typeof VendorPurchase.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(VendorPurchase))
const rowsOf = Effect.flatMap(decode)
const first = Effect.map((rows: ReadonlyArray<VendorPurchase>) => rows[0])
const some = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

export class VendorPurchasesRepo extends Context.Service<VendorPurchasesRepo>()("app/provider/VendorPurchasesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = ({ provider, reference }: Pick<VendorPurchase, "provider" | "reference">) =>
      sql`provider_purchase.provider = ${provider} AND provider_purchase.reference = ${reference}`

    return {
      find: (provider: string, reference: string) =>
        sql`SELECT * FROM provider_purchase WHERE ${at({ provider, reference })}`.pipe(rowsOf, first, Effect.orDie),

      ofVendorOrder: (provider: string, vendor_order_id: string) =>
        sql`
          SELECT * FROM provider_purchase WHERE provider = ${provider} AND vendor_order_id = ${vendor_order_id}
        `.pipe(rowsOf, first, Effect.orDie),

      /**
       * Puts a purchase on record; false when there is one under its reference that is not `earlier`, or that has come
       * to something.
       */
      begin: (purchase: VendorPurchase, earlier: VendorPurchase | undefined) =>
        sql`
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
        `.pipe(some, Effect.orDie),

      /** Takes a purchase off the record that certainly was not made. */
      forget: (purchase: VendorPurchase) =>
        Effect.orDie(sql`
          DELETE FROM provider_purchase
          WHERE ${at(purchase)} AND vendor_order_id IS NULL AND requested_at = ${DateTime.toDate(purchase.requested_at)}
        `),

      /** Gives a purchase its order at the vendor; false when it has one, or the order is another purchase's. */
      claim: (purchase: VendorPurchase, vendor_order_id: string) =>
        sql`
          UPDATE provider_purchase SET vendor_order_id = ${vendor_order_id}
          WHERE ${at(purchase)} AND vendor_order_id IS NULL
          RETURNING reference
        `.pipe(
          some,
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed(false)),
          Effect.orDie
        ),

      /** Those of the vendor's orders that are purchases of ours. */
      claimed: (provider: string, vendor_order_ids: ReadonlyArray<string>) =>
        sql<{ vendor_order_id: string }>`
          SELECT vendor_order_id FROM provider_purchase
          WHERE provider = ${provider} AND vendor_order_id = ANY (${vendor_order_ids}::text[])
        `.pipe(
          Effect.map((rows): ReadonlySet<string> => new Set(rows.map((row) => row.vendor_order_id))),
          Effect.orDie
        ),

      /** Purchases of other articles, requested since then, of which it is not known what became. */
      rivals: ({ article, provider }: VendorPurchase, since: DateTime.Utc) =>
        sql`
          SELECT * FROM provider_purchase
          WHERE provider = ${provider} AND vendor_order_id IS NULL AND article <> ${article}
            AND requested_at >= ${DateTime.toDate(since)}
        `.pipe(rowsOf, Effect.orDie),

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
