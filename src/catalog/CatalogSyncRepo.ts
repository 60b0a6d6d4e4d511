import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import { OfferTerms } from "./Offer.ts"

/** The columns that come from the provider, in the same order for every statement. */
const columns = Object.keys(OfferTerms.fields).filter((column) => column !== "external_id")
const of = (table: string) => columns.map((column) => `${table}.${column}`).join(", ")

const changed = Rows.one(Schema.Struct({ changed: Schema.Int }))
const encode = Schema.encodeEffect(Schema.Array(OfferTerms))

/** Writes the offers and the version of the catalog. */
export class CatalogSyncRepo extends Context.Service<CatalogSyncRepo>()("app/catalog/CatalogSyncRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const names = sql.literal(columns.join(", "))
    const fresh = sql.literal(of("fresh"))

    // INSERT ... ON CONFLICT would use up an id for each offer at each sync.
    const replace = (provider: string, terms: ReadonlyArray<typeof OfferTerms.Encoded>, now: Date) =>
      changed(sql`
        WITH fresh AS (
          SELECT * FROM jsonb_populate_recordset(NULL::offer, ${sql.json(terms)}::jsonb) WITH ORDINALITY
        ), updated AS (
          UPDATE offer SET (${names}, listed, updated_at) = (${fresh}, true, ${now}::timestamptz)
          FROM fresh
          WHERE offer.provider = ${provider} AND offer.external_id = fresh.external_id
            AND (${sql.literal(of("offer"))}, offer.listed) IS DISTINCT FROM (${fresh}, true)
          RETURNING offer.id
        ), added AS (
          INSERT INTO offer (provider, external_id, ${names}, listed, created_at, updated_at)
          SELECT ${provider}, external_id, ${fresh}, true, ${now}, ${now}
          FROM fresh
          WHERE NOT EXISTS (
            SELECT FROM offer WHERE offer.provider = ${provider} AND offer.external_id = fresh.external_id
          )
          ORDER BY ordinality
          RETURNING id
        ), unlisted AS (
          UPDATE offer SET listed = false, updated_at = ${now}
          WHERE provider = ${provider} AND listed
            AND NOT EXISTS (SELECT FROM fresh WHERE fresh.external_id = offer.external_id)
          RETURNING id
        )
        SELECT (
          (SELECT count(*) FROM updated) + (SELECT count(*) FROM added) + (SELECT count(*) FROM unlisted)
        )::int AS changed
      `)

    const unlistOthers = Effect.fnUntraced(function* (providers: ReadonlyArray<string>) {
      const now = DateTime.toDate(yield* DateTime.now)
      const unlisted = yield* sql`
        UPDATE offer SET listed = false, updated_at = ${now}
        WHERE listed AND NOT ${sql.in("provider", providers)}
        RETURNING id
      `
      return unlisted.length
    })

    const raiseVersion = Effect.fnUntraced(function* () {
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE catalog_version SET version = version + 1, changed_at = ${now}`
      yield* sql`SELECT pg_notify('catalog_changed', '')`
    })

    return {
      /** Makes other changes of the catalog wait until the transaction ends. */
      lock: Effect.orDie(sql`SELECT version FROM catalog_version FOR UPDATE`),
      /** Lists exactly these offers of a provider; returns the number of changed rows. */
      replace: Effect.fnUntraced(function* (provider: string, terms: ReadonlyArray<OfferTerms>) {
        const now = DateTime.toDate(yield* DateTime.now)
        return (yield* replace(provider, yield* encode(terms), now)).changed
      }, Effect.orDie),
      /** Unlists the offers of every other provider; returns their number. */
      unlistOthers: (providers: ReadonlyArray<string>) => Effect.orDie(unlistOthers(providers)),
      /** Notifies every instance when the transaction commits. */
      raiseVersion: Effect.orDie(raiseVersion())
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
