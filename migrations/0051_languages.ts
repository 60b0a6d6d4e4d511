import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The language of an account's mails and notifications. A mail keeps the language in which it was queued. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE user_account ADD COLUMN language text NOT NULL DEFAULT 'en'
    CONSTRAINT user_account_language CHECK (language IN ('en', 'de'))
  `
  yield* sql`
    ALTER TABLE email_outbox ADD COLUMN language text NOT NULL DEFAULT 'en'
    CONSTRAINT email_outbox_language CHECK (language IN ('en', 'de'))
  `
})
