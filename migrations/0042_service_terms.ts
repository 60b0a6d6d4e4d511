import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The terms of the service. Each start records them for the commands of the shop, which may run with other settings. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE service_terms (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      -- True when PROVIDERS names the gateway.
      sells_gateway boolean NOT NULL,
      -- True when a payment gateway that takes real money is on.
      takes_real_money boolean NOT NULL
    )
  `
})
