import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { Offer } from "./Offer.ts"

/** What the catalog reads. */
export class CatalogRepo extends Context.Service<CatalogRepo>()("app/catalog/CatalogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const listed = SqlSchema.findAll({
      Request: Schema.Void,
      Result: Offer,
      execute: () => sql`SELECT * FROM offer WHERE listed ORDER BY id`
    })

    const version = SqlSchema.findOne({
      Request: Schema.Void,
      Result: Schema.Struct({ version: Schema.BigInt }),
      execute: () => sql`SELECT version FROM catalog_version`
    })

    return {
      /** The offers on sale. */
      listed: Effect.orDie(listed()),
      version: Effect.map(Effect.orDie(version()), ({ version }) => version),
      /** Runs `react` at once and after every change, until the connection is lost. */
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
