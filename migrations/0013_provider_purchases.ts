import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // What was bought from a vendor whose API has no idempotency key, under our reference. The row is written right
  // before the call; until the vendor's order is known, the call may or may not have worked.
  yield* sql`
    CREATE TABLE provider_purchase (
      provider text NOT NULL CHECK (provider <> ''),
      reference uuid NOT NULL,
      -- What was bought, as the adapter names it.
      article text NOT NULL CHECK (article <> ''),
      period_days integer NOT NULL CHECK (period_days > 0),
      -- The port that is handed out, where a proxy has one for each protocol.
      protocol text NOT NULL CHECK (protocol IN ('HTTP', 'HTTPS', 'SOCKS5')),
      -- The vendor's newest order before the call, where its orders are numbered.
      mark text NOT NULL,
      requested_at timestamptz NOT NULL,
      vendor_order_id text CHECK (vendor_order_id <> ''),
      -- When its proxy was first seen.
      delivered_at timestamptz,
      PRIMARY KEY (provider, reference),
      -- One order of the vendor is one proxy of ours.
      CONSTRAINT provider_purchase_vendor_order UNIQUE (provider, vendor_order_id),
      CHECK (delivered_at IS NULL OR vendor_order_id IS NOT NULL)
    )
  `

  // What a vendor that tells its prices one article at a time asked for one; null: it does not sell that.
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
