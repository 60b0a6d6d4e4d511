import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { residential } from "../support/MemoryOffers.ts"

import { everything, start } from "./CatalogTesting.ts"

layer(everything)("The offer table", (it) => {
  it.effect("refuses offers that break a rule; the version table refuses a second version", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sync } = yield* start(residential)
      yield* sync
      const broken = [
        sql`UPDATE offer SET renewable = false WHERE listed`,
        sql`UPDATE offer SET kind = 'static' WHERE listed`,
        sql`UPDATE offer SET kind = 'mobile' WHERE listed`,
        sql`UPDATE offer SET country_code = 'de' WHERE listed`,
        sql`UPDATE offer SET ip_version = 'IPv5' WHERE listed`,
        sql`UPDATE offer SET protocols = '["FTP"]' WHERE listed`,
        sql`UPDATE offer SET protocols = '[]' WHERE listed`,
        sql`UPDATE offer SET options = '[]' WHERE listed`,
        sql`UPDATE offer SET options = '[{"prices": {"USD": null, "STAR": "5"}}]' WHERE listed`,
        sql`UPDATE offer SET price_per_gb = '{"USD": null}' WHERE listed`,
        sql`INSERT INTO catalog_version (version) VALUES (0)`,
        sql`UPDATE catalog_version SET version = -1`
      ]
      for (const statement of broken)
        assert.include(["ConstraintError", "UniqueViolation"], (yield* Effect.flip(statement)).reason._tag)
      const twice = sql`
        INSERT INTO offer (provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
          protocols, price_per_gb, options, listed, renewable, priced_at, created_at, updated_at)
        SELECT provider, external_id, kind, mode, ip_version, name, country_code, is_available, locations,
          protocols, price_per_gb, options, listed, renewable, priced_at, created_at, updated_at FROM offer WHERE listed
      `
      assert.strictEqual((yield* Effect.flip(twice)).reason._tag, "UniqueViolation")
    })
  )
})
