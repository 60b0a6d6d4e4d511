import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { ProxyKind } from "./Offer.ts"
import type { PriceRule } from "./PriceRule.ts"

const Stored = Schema.Struct({
  vendor: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(ProxyKind),
  country: Schema.NullOr(Schema.String),
  article: Schema.NullOr(Schema.String),
  days: Schema.NullOr(Schema.Int),
  markup: Schema.NullOr(Schema.Int),
  price: Schema.NullOr(Schema.BigInt),
  floor: Schema.NullOr(Schema.BigInt),
  round: Schema.NullOr(Schema.BigInt),
  star_rate: Schema.NullOr(Schema.BigInt),
  hidden: Schema.NullOr(Schema.Boolean),
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String)
})

const stored = Rows.all(Stored)

const ruleOf = (row: typeof Stored.Type) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as PriceRule

/** Reads the price rules of the shop. */
export class PriceRulesRepo extends Context.Service<PriceRulesRepo>()("app/catalog/PriceRulesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      all: stored(sql`SELECT * FROM price_rule ORDER BY vendor, kind, country, article, days`).pipe(
        Effect.map((rows) => rows.map(ruleOf))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
