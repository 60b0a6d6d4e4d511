import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What waits for a person. Most of it follows from the records themselves; these are the states that no record had, the indexes
 * that find them, and who was told and who has settled something.
 */
export default Effect.gen(function* () {
  yield* orphans
  yield* unsentMails
  yield* balances
  yield* items
})

/** A proxy that was bought for a refunded order, at a vendor that cannot release it. */
const orphans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE provisioning_attempt
      DROP CONSTRAINT provisioning_attempt_outcome_check,
      ADD CONSTRAINT provisioning_attempt_outcome_check
        CHECK (outcome IN ('provisioned', 'refused', 'not_executed', 'abandoned', 'orphaned')),
      ADD CONSTRAINT provisioning_attempt_orphaned_says_so
        CHECK (outcome IS DISTINCT FROM 'orphaned' OR (look_at IS NOT NULL AND detail IS NOT NULL))
  `
  yield* sql`
    UPDATE provisioning_attempt SET outcome = 'orphaned'
    WHERE outcome = 'refused' AND look_at IS NOT NULL
      AND detail LIKE 'proxy % has no owner, and the operator has to release it'
  `
  yield* sql`CREATE INDEX provisioning_attempt_orphaned ON provisioning_attempt (look_at) WHERE outcome = 'orphaned'`
})

/** A notice that could not be sent. Its text is removed; address, subject and failure stay for a month. */
const unsentMails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE email_outbox
      ADD COLUMN given_up_at timestamptz,
      ADD COLUMN failure text CHECK (length(failure) BETWEEN 1 AND 300),
      ADD CONSTRAINT email_outbox_given_up CHECK (
        (given_up_at IS NULL) = (failure IS NULL)
        AND (given_up_at IS NULL OR (kind = 'notice' AND text = '' AND next_attempt_at = 'infinity'))
      )
  `
  yield* sql`CREATE INDEX email_outbox_unsent ON email_outbox (given_up_at) WHERE given_up_at IS NOT NULL`
  yield* sql`
    CREATE INDEX payment_callback_unsettled ON payment_callback (received_at)
    WHERE outcome IN ('unmatched', 'unchecked', 'received')
  `
  yield* sql`
    CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failure_warned_at) WHERE failure_warned_at IS NOT NULL
  `
})

const balances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The operator's money at a vendor, in micro-dollars, and the time since which it is less than the operator wants.
  yield* sql`
    CREATE TABLE vendor_balance (
      provider text PRIMARY KEY CHECK (provider <> ''),
      balance_usd bigint NOT NULL,
      low_since timestamptz,
      read_at timestamptz NOT NULL
    )
  `
})

const items = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // An item that staff were told about, or that a person has settled. A job removes it when its cause has ended, so another
  // cause of the same record is another item.
  yield* sql`
    CREATE TABLE todo_item (
      kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,40}$'),
      subject_id text NOT NULL CHECK (length(subject_id) BETWEEN 1 AND 200),
      -- The id of the call to the operator's webhook; the time of its next try is null after it arrived or was given up.
      delivery_id uuid NOT NULL UNIQUE,
      told_at timestamptz,
      call_at timestamptz,
      call_attempt integer NOT NULL DEFAULT 0 CHECK (call_attempt >= 0),
      settled_at timestamptz,
      settled_by text CHECK (length(settled_by) BETWEEN 1 AND 200),
      PRIMARY KEY (kind, subject_id),
      CHECK (num_nonnulls(settled_at, settled_by) <> 1),
      CHECK (call_at IS NULL OR told_at IS NOT NULL)
    )
  `
  yield* sql`CREATE INDEX todo_item_to_call ON todo_item (call_at) WHERE call_at IS NOT NULL`
})
