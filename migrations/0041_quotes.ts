import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Prices that were quoted to an account, and announced prices of renewals. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The last quote of an option. Amounts are in units of `currency`, and in micro-dollars where the name says `usd`.
  yield* sql`
    CREATE TABLE quoted_price (
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      offer_id integer NOT NULL REFERENCES offer (id),
      tarification_index integer NOT NULL CHECK (tarification_index >= 0),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      -- The period and the traffic of the option: its position may later belong to another option.
      period_days integer NOT NULL CHECK (period_days > 0),
      bandwidth_gb double precision CHECK (bandwidth_gb > 0),
      price bigint NOT NULL CHECK (price > 0),
      price_usd bigint NOT NULL CHECK (price_usd > 0),
      -- Null: the offer sells no extra traffic.
      price_per_gb bigint CHECK (price_per_gb > 0),
      price_per_gb_usd bigint CHECK (price_per_gb_usd > 0),
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, offer_id, tarification_index, currency)
    )
  `
  yield* sql`CREATE INDEX quoted_price_expiry ON quoted_price (expires_at)`

  yield* sql`
    ALTER TABLE proxy_order
      -- The announced price of the next renewal, and the time from which the service charges it.
      ADD COLUMN announced_total bigint,
      ADD COLUMN announced_currency text,
      ADD COLUMN renews_from timestamptz,
      ADD CONSTRAINT proxy_order_announced CHECK (CASE num_nulls(announced_total, announced_currency, renews_from)
        WHEN 3 THEN true
        WHEN 0 THEN announced_total > 0 AND announced_currency IN ('USD', 'STAR')
        ELSE false
      END)
  `
  yield* sql`
    ALTER TABLE notification
      DROP CONSTRAINT notification_kind_check,
      ADD CONSTRAINT notification_kind_check CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed',
        'renewal_price', 'deposit_credited', 'provisioning_failed', 'change_failed', 'proxy_reduced', 'proxy_ended',
        'webhook_failing', 'webhook_disabled', 'payment_reversed', 'payment_returned'))
  `
})
