import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import { Offer } from "./Offer.ts"

const CatalogVersion = Schema.Struct({ version: Schema.BigInt })

/** Reads the offers and the version of the catalog. */
export class CatalogRepo extends Context.Service<CatalogRepo>()("app/catalog/CatalogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const columns = sql.literal(
      Object.keys(Offer.fields)
        .map((column) => (column === "is_available" ? "is_available AND NOT paused AS is_available" : column))
        .join(", ")
    )
    const offers = Rows.all(Offer)
    const version = Rows.first(CatalogVersion)

    return {
      /** The offers on sale, and the ones whose running orders can still be extended. A paused one is not available. */
      renewable: offers(sql`SELECT ${columns} FROM offer WHERE renewable ORDER BY id`),
      version: version(sql`SELECT version FROM catalog_version`).pipe(
        Effect.flatMap(Effect.fromOption),
        Effect.orDie,
        Effect.map(({ version }) => version)
      ),
      /** Runs `react` immediately and after every change, until the connection is lost. */
      onChange: <R>(react: Effect.Effect<void, never, R>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const notifications = yield* sql.listen("catalog_changed")
            yield* react
            return yield* Effect.forever(Effect.andThen(Queue.takeAll(notifications), react))
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
