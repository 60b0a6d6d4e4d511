import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import type { Currency } from "../../src/platform/Money.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { newTransactionId } from "../../src/wallet/WalletTransaction.ts"
import { eventType, WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import * as WebhookSecret from "../../src/webhooks/WebhookSecret.ts"

/** Inserts a user without a password. */
export const newUser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = UserId.make(randomUUID())
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`INSERT INTO user_account ${sql.insert({
    id,
    email: `${id}@example.com`,
    name: null,
    email_verified: false,
    is_anonymous: false,
    referral_code: id.slice(-12),
    created_at: now,
    updated_at: now
  })}`
  return id
})

/** Inserts an enabled webhook endpoint of the account. */
export const newEndpoint = Effect.fnUntraced(function* (user_id: UserId, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = WebhookEndpointId.make(randomUUID())
  const now = DateTime.toDate(yield* DateTime.now)
  const secret = yield* WebhookSecret.make
  yield* sql`INSERT INTO webhook_endpoint ${sql.insert({
    id,
    user_id,
    event_type: eventType,
    url: "https://example.com/hooks",
    enabled: true,
    ...secret,
    created_at: now,
    updated_at: now,
    ...fields
  })}`
  return { id, user_id, signing_secret: secret.signing_secret }
})

/** Credits a wallet without a payment. */
export const fund = Effect.fnUntraced(function* (user_id: UserId, amount: bigint, currency: Currency = "USD") {
  const id = yield* newTransactionId
  yield* Wallets.use((wallets) =>
    wallets.credit({
      id,
      user_id,
      currency,
      amount,
      payment_method: "card_gateway",
      external_id: `ch_${id}`,
      reference: id,
      description: "Deposit",
      is_sandbox: false
    })
  )
  return id
})
