import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { inParts } from "../platform/InParts.ts"
import { manyRows } from "../platform/ManyRows.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { SyncedOffer } from "./Offer.ts"

/** The columns that a sync writes, in the same order for every statement. */
const columns = Object.keys(SyncedOffer.fields).filter((column) => column !== "external_id")
const of = (table: string) => columns.map((column) => `${table}.${column}`).join(", ")

const changed = Rows.one(Schema.Struct({ changed: Schema.Int }))
const encode = Schema.encodeEffect(Schema.Array(SyncedOffer))
type Encoded = ReadonlyArray<typeof SyncedOffer.Encoded>

const sourced = manyRows(Schema.Struct({ provider: Schema.String, ...SyncedOffer.fields }))
const version = Rows.one(Schema.Struct({ version: Schema.BigInt }))

/** The statements that write the offers of a provider. */
const statements = (sql: PgClient.PgClient) => {
  const names = sql.literal(columns.join(", "))
  const freshNames = sql.literal(of("fresh"))

  const fresh = (terms: Encoded) => sql`
    fresh AS (SELECT * FROM jsonb_populate_recordset(NULL::offer, ${sql.json(terms)}::jsonb) WITH ORDINALITY)
  `

  const updated = (provider: string, now: Date) => sql`
    updated AS (
      UPDATE offer SET (${names}, updated_at) = (${freshNames}, ${now}::timestamptz), priced_at = CASE
        WHEN (offer.options, offer.price_per_gb) = (fresh.options, fresh.price_per_gb) THEN offer.priced_at
        ELSE ${now}
      END
      FROM fresh
      WHERE offer.provider = ${provider} AND offer.external_id = fresh.external_id
        AND (${sql.literal(of("offer"))}) IS DISTINCT FROM (${freshNames})
      RETURNING offer.id
    )
  `

  const update = (provider: string, terms: Encoded, now: Date) =>
    changed(sql`WITH ${fresh(terms)}, ${updated(provider, now)} SELECT count(*)::int AS changed FROM updated`)

  // INSERT ... ON CONFLICT would use up an id for each offer at each sync.
  const replace = (provider: string, terms: Encoded, now: Date) =>
    changed(sql`
      WITH ${fresh(terms)}, ${updated(provider, now)}, added AS (
        INSERT INTO offer (provider, external_id, ${names}, priced_at, created_at, updated_at)
        SELECT ${provider}, external_id, ${freshNames}, ${now}, ${now}, ${now}
        FROM fresh
        WHERE NOT EXISTS (
          SELECT FROM offer WHERE offer.provider = ${provider} AND offer.external_id = fresh.external_id
        )
        ORDER BY ordinality
        RETURNING id
      ), unlisted AS (
        UPDATE offer SET listed = false, renewable = false, updated_at = ${now}
        WHERE provider = ${provider} AND renewable
          AND NOT EXISTS (SELECT FROM fresh WHERE fresh.external_id = offer.external_id)
        RETURNING id
      )
      SELECT (
        (SELECT count(*) FROM updated) + (SELECT count(*) FROM added) + (SELECT count(*) FROM unlisted)
      )::int AS changed
    `)

  return { replace, update }
}

/** Writes the offers and the version of the catalog. */
export class CatalogSyncRepo extends Context.Service<CatalogSyncRepo>()("app/catalog/CatalogSyncRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { replace, update } = statements(sql)
    const names = sql.literal(columns.join(", "))

    const writing = (write: typeof replace) =>
      Effect.fnUntraced(function* (provider: string, terms: ReadonlyArray<SyncedOffer>) {
        const now = DateTime.toDate(yield* DateTime.now)
        return (yield* write(provider, yield* inParts(terms, encode), now)).changed
      }, Effect.orDie)

    const unlistOthers = Effect.fnUntraced(function* (providers: ReadonlyArray<string>) {
      const now = DateTime.toDate(yield* DateTime.now)
      const unlisted = yield* sql`
        UPDATE offer SET listed = false, renewable = false, updated_at = ${now}
        WHERE renewable AND NOT ${sql.in("provider", providers)}
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
      /** Reads the version, and makes other changes of the catalog wait until the transaction ends. */
      lock: version(sql`SELECT version FROM catalog_version FOR UPDATE`).pipe(Effect.map(({ version }) => version)),
      /** The renewable offers that have a source. */
      sourced: sourced(sql`
        SELECT provider, external_id, ${names} FROM offer WHERE renewable AND source IS NOT NULL ORDER BY id
      `),
      /** Keeps exactly these offers of a provider; returns the number of changed rows. */
      replace: writing(replace),
      /** Changes these offers of a provider, and keeps the others; returns the number of changed rows. */
      update: writing(update),
      /** Unlists the offers of every other provider; returns their number. */
      unlistOthers: (providers: ReadonlyArray<string>) => Effect.orDie(unlistOthers(providers)),
      /** Notifies every instance when the transaction commits. */
      raiseVersion: Effect.orDie(raiseVersion())
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
