/** The columns of an order's answer. */
const shown = `id, status, proxy_status, total_usd, proxy_type, ip_version, protocol, country, period_days, bandwidth_gb,
  payment_method, payment_intent_id, payment_url, auto_renew, notes, provider_proxy_id, host, port, username, password,
  whitelisted_ips, expires_at, created_at, updated_at`

/** A statement that `pg` prepares once on each connection. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

/** $1 the SHA-256 of the key, $2 the time, $3 the client's address. */
export const findKey: Prepared = {
  name: "find_key",
  text: `SELECT k.id, k.user_id, k.scopes, k.last_used_at, k.daily_spend_limit_usd,
      k.allowed_ips IS NULL OR $3::inet <<= ANY (k.allowed_ips::cidr[]) AS is_address_allowed
    FROM api_key k JOIN user_account a ON a.id = k.user_id
    WHERE k.key_hash = $1 AND (k.expires_at IS NULL OR k.expires_at > $2) AND a.deleted_at IS NULL`
}

export const markKeyUsed: Prepared = {
  name: "mark_key_used",
  text: `UPDATE api_key SET last_used_at = $2 WHERE id = $1`
}

export const catalogVersion: Prepared = { name: "catalog_version", text: `SELECT version FROM catalog_version` }

export const listedOffers: Prepared = {
  name: "listed_offers",
  text: `SELECT id, provider, external_id, kind, mode, ip_version, name, description, country_code, is_available,
    locations, protocols, price_per_gb, options FROM offer WHERE listed ORDER BY id`
}

export const orderById: Prepared = {
  name: "order_by_id",
  text: `SELECT user_id, ${shown} FROM proxy_order WHERE id = $1`
}

/** The number of orders of $1, from the tallies of the database. */
export const orderTotal: Prepared = {
  name: "order_total",
  text: `SELECT coalesce(sum(orders), 0)::int AS total FROM (
      SELECT orders FROM order_tally WHERE user_id = $1
      UNION ALL SELECT orders FROM order_tally_change WHERE user_id = $1
    ) tallies`
}

/** $1 the account, $2 the limit, $3 the offset. */
export const orderPage: Prepared = {
  name: "order_page",
  text: `SELECT ${shown} FROM proxy_order WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`
}

const claim = `user_id = $1 AND operation = 'orders.create' AND key = $2`

/** $1 the account, $2 the client's key. */
export const findClaim: Prepared = {
  name: "find_claim",
  text: `SELECT request_hash, reference, answer, expires_at FROM idempotency_key WHERE ${claim}`
}

/** The same, with $3 the time. */
export const forgetClaim: Prepared = {
  name: "forget_claim",
  text: `DELETE FROM idempotency_key WHERE ${claim} AND expires_at <= $3`
}

/** Takes over a claim that was left without an answer; none while its holder may be at work. */
export const takeClaimOver: Prepared = {
  name: "take_claim_over",
  text: `UPDATE idempotency_key SET busy_until = $3::timestamptz + interval '30 seconds'
    WHERE ${claim} AND answer IS NULL AND busy_until <= $3`
}

export const lockWallets: Prepared = {
  name: "lock_wallets",
  text: `SELECT id FROM wallet WHERE user_id = $1 ORDER BY currency FOR NO KEY UPDATE`
}

/** The spending of the API key $1 since $2. */
export const spentByKey: Prepared = {
  name: "spent_by_key",
  text: `SELECT coalesce(sum(p.amount_usd), 0)::bigint AS spent
    FROM wallet_transaction p LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id
    WHERE p.api_key_id = $1 AND p.created_at >= $2 AND r.id IS NULL`
}

const purchase = (more: string) => `
  WITH debited AS (
    UPDATE wallet SET balance = balance - $2, seq = coalesce(seq, 0) + 1, updated_at = $3
    WHERE user_id = $1 AND currency = 'USD' AND balance >= $2
    RETURNING id, user_id, balance, seq
  ), claimed AS (
    INSERT INTO idempotency_key (user_id, operation, key, request_hash, reference, busy_until, expires_at)
    SELECT user_id, 'orders.create', $4, $5, jsonb_build_array($6::text), $3::timestamptz + interval '30 seconds',
      $3::timestamptz + interval '24 hours'
    FROM debited
  ), entered AS (
    INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, payment_method,
      description, order_id, reference, api_key_id, amount_usd, seq, balance_before, balance_after, created_at, updated_at)
    SELECT $7, user_id, id, -$2::bigint, 'USD', 'payment', 'completed', 'wallet', $8, $6::uuid, $6, $9, $2, seq,
      balance + $2, balance, $3, $3
    FROM debited
  ), bought AS (
    INSERT INTO proxy_order (id, user_id, api_key_id, offer_id, provider, external_id, status, proxy_status, proxy_type,
      mode, ip_version, protocol, country, period_days, period_months, tarification_index, currency, total, total_usd,
      payment_method, auto_renew, notes, provision_at, created_at, updated_at)
    SELECT $6::uuid, user_id, $9, $10, $11, $12, 'paid', 'pending', $13, $14, $15, $16, $17, $18, $19, 0, 'USD', $2, $2,
      'wallet', $20, $21, $3::timestamptz + interval '15 seconds', $3, $3
    FROM debited RETURNING id
  )${more} SELECT id FROM bought`

/**
 * A purchase in one statement: the wallet's debit, the client's key, the ledger entry and the order, or nothing. A used
 * key fails it.
 */
export const purchaseOnly: Prepared = { name: "purchase_only", text: purchase("") }

/** The same with $22 as the provisioning attempt, which is recorded before the provider is asked. */
export const purchaseAndBegin: Prepared = {
  name: "purchase_and_begin",
  text: purchase(`, begun AS (
    INSERT INTO provisioning_attempt (id, order_id, provider, started_at) SELECT $22, id, $11, $3 FROM bought
  )`)
}

/** The proxy of an order, the end of its attempt, and the answer for the client's key. */
export const deliver: Prepared = {
  name: "deliver",
  text: `
  WITH mine AS (
    UPDATE proxy_order SET status = 'provisioned', proxy_status = 'active', provider_proxy_id = $2, host = $3, port = $4,
      username = $5, password = $6, cycle_started_at = $7, expiring_at = $8, expires_at = $9,
      sync_at = $7::timestamptz + interval '1 hour', updated_at = $7
    WHERE id = $1 AND status = 'paid' RETURNING id
  ), closed AS (
    UPDATE provisioning_attempt a SET outcome = 'provisioned', finished_at = $7, look_at = $7
    FROM mine WHERE a.order_id = mine.id AND a.outcome IS NULL
  )
  UPDATE idempotency_key SET answer = coalesce(answer, $10)
  WHERE user_id = $11 AND operation = 'orders.create' AND key = $12`
}
