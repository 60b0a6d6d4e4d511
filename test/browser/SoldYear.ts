import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sales of each day of a year in several countries, and the figures of these days. */
export const soldYear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = sql`generate_series(current_date - 360, current_date - 1, interval '1 day') AS d (day)`
  yield* sql`
    INSERT INTO money_day (day, currency, flow, provider, proxy_type, country, offer_id, channel, entries, amount, usd,
      cost_usd, costed, costed_usd)
    SELECT day::date, 'USD', flow, 'gateway', 'Datacenter', country, length(flow), 'api', 30, sign * 4e6 * n, sign * 4e6 * n,
      5e6, 30, -4e6 * n
    FROM ${days},
      unnest(ARRAY['order', 'delivery', 'card_gateway', 'refund_whole'], ARRAY[-1, -1, 1, 0.5]) AS f (flow, sign),
      unnest(ARRAY['DE', 'FR', 'GB', 'BR']) WITH ORDINALITY AS c (country, n)
  `
  yield* sql`INSERT INTO customer_day SELECT day, 70, 60, 50 FROM ${days}`
  yield* sql`INSERT INTO deferred_day SELECT day, 'gateway', 'Datacenter', 9e9 FROM ${days}`
  yield* sql`INSERT INTO liability_day SELECT day, c, 8e9, 1e9 FROM ${days}, unnest(ARRAY['USD', 'STAR']) AS c`
  yield* sql`INSERT INTO renewal_day SELECT day, 'gateway', 'Datacenter', 9, 8, 7, 1 FROM ${days}`
})
