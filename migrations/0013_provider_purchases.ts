import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A purchase from a vendor whose API has no idempotency key, under the service's own reference. The row is written
  // immediately before the call; until the vendor's order is known, the call may or may not have worked.
  yield* sql`
    CREATE TABLE provider_purchase (
      provider text NOT NULL CHECK (provider <> ''),
      reference uuid NOT NULL,
      -- The bought article, as the adapter names it.
      article text NOT NULL CHECK (article <> ''),
      period_days integer NOT NULL CHECK (period_days > 0),
      -- The port to hand out, for proxies with one port for each protocol.
      protocol text NOT NULL CHECK (protocol IN ('HTTP', 'HTTPS', 'SOCKS5')),
      -- The vendor's newest order before the call, for vendors that number their orders.
      mark text NOT NULL,
      requested_at timestamptz NOT NULL,
      vendor_order_id text CHECK (vendor_order_id <> ''),
      -- The time when its proxy first appeared.
      delivered_at timestamptz,
      PRIMARY KEY (provider, reference),
      -- One order of the vendor is one proxy of the service.
      CONSTRAINT provider_purchase_vendor_order UNIQUE (provider, vendor_order_id),
      CHECK (delivered_at IS NULL OR vendor_order_id IS NOT NULL)
    )
  `

  // The price of an article, from a vendor that answers one article at a time; null: it does not sell the article.
  yield* sql`
    CREATE TABLE asked_price (
      provider text NOT NULL CHECK (provider <> ''),
      article text NOT NULL CHECK (article <> ''),
      -- Micro-dollars.
      usd bigint CHECK (usd > 0),
      asked_at timestamptz NOT NULL,
      PRIMARY KEY (provider, article)
    )
  `
})
