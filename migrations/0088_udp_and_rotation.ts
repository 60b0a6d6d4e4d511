import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** UDP over SOCKS5, as a term of an article and of the proxies that are opened from it. */
const udp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE gateway_article ADD COLUMN udp boolean NOT NULL DEFAULT false`
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN udp boolean NOT NULL DEFAULT false`
})

/** The changes of the address of a rotating proxy without a request: with time, or with each connection. */
const rotation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["gateway_article", "gateway_proxy"])
    yield* sql`
      ALTER TABLE ${sql(table)}
        -- The address changes by itself after this time.
        ADD COLUMN rotate_minutes integer CHECK (rotate_minutes BETWEEN 1 AND 1440),
        -- Each connection has another address. A session keeps one for this time, or for the time that it names, at most.
        ADD COLUMN session_minutes integer CHECK (session_minutes >= 1),
        ADD COLUMN session_minutes_most integer CHECK (session_minutes_most BETWEEN session_minutes AND 1440),
        ADD CHECK ((session_minutes IS NULL) = (session_minutes_most IS NULL)),
        ADD CHECK (num_nonnulls(rotate_minutes, session_minutes) = 0
          OR kind = 'mobile' AND num_nonnulls(rotate_minutes, session_minutes) = 1)
    `
  yield* sql`
    ALTER TABLE gateway_proxy
      -- The next change by itself.
      ADD COLUMN rotate_at timestamptz,
      ADD CHECK ((rotate_minutes IS NULL) = (rotate_at IS NULL))
  `
  yield* sql`
    CREATE INDEX gateway_proxy_rotate ON gateway_proxy (rotate_at) WHERE status = 'open' AND rotate_at IS NOT NULL
  `
})

export default Effect.all([udp, rotation], { discard: true })
