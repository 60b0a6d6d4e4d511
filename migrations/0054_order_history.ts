import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who ordered a proxy and who bought its changes, and the events of auto-renew. Rows from before do not say who acted where
 * the credential is not on record.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE proxy_order ADD COLUMN oauth_client_id text,
      ADD CONSTRAINT proxy_order_placed_by CHECK (api_key_id IS NULL OR oauth_client_id IS NULL)
  `
  yield* sql`
    ALTER TABLE proxy_change ADD COLUMN actor text, ADD COLUMN actor_id text,
      ADD CONSTRAINT proxy_change_actor CHECK (
        CASE actor
          WHEN 'session' THEN actor_id IS NULL AND origin = 'request'
          WHEN 'api_key' THEN actor_id IS NOT NULL AND origin = 'request'
          WHEN 'oauth' THEN actor_id IS NOT NULL AND origin = 'request'
          WHEN 'service' THEN actor_id IS NULL AND origin = 'auto_renew'
          ELSE actor IS NULL AND actor_id IS NULL
        END
      )
  `
  yield* sql`
    ALTER TABLE order_event
      DROP CONSTRAINT order_event_kind_check,
      DROP CONSTRAINT order_event_actor_check,
      DROP CONSTRAINT order_event_check,
      ADD COLUMN reason text,
      ADD CONSTRAINT order_event_kind CHECK (kind IN ('whitelist', 'credentials', 'protocol', 'rotated', 'signature',
        'released', 'auto_renew_on', 'auto_renew_off', 'renewal_failed')),
      ADD CONSTRAINT order_event_actor CHECK (
        CASE actor
          WHEN 'session' THEN actor_id IS NULL AND kind <> 'renewal_failed'
          WHEN 'api_key' THEN actor_id IS NOT NULL AND kind <> 'renewal_failed'
          WHEN 'oauth' THEN actor_id IS NOT NULL AND kind <> 'renewal_failed'
          WHEN 'service' THEN actor_id IS NULL AND kind = 'renewal_failed'
          ELSE false
        END
      ),
      ADD CONSTRAINT order_event_reason CHECK (
        (kind = 'renewal_failed') = (reason IS NOT NULL)
          AND reason IN ('balance', 'stopped', 'not_sold', 'not_now', 'not_shown', 'provider_refused', 'provider_down')
      )
  `
})
