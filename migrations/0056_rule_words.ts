import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Price rules set the name and the description of a vendor's offers. An article of the gateway has its own. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE price_rule
      ADD COLUMN name text CHECK (char_length(name) BETWEEN 1 AND 200),
      ADD COLUMN description text CHECK (char_length(description) BETWEEN 1 AND 1800),
      ADD CONSTRAINT price_rule_words CHECK (
        num_nonnulls(name, description) = 0 OR (vendor IS NOT NULL AND vendor <> 'gateway' AND days IS NULL)
      )
  `
})
