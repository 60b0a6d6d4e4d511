/** The link from the rows of a table to an account: a column with its id, an order, a webhook endpoint, or a proxy. */
export type Owner = "user_id" | "referrer_id" | "order" | "endpoint" | "delivery" | "proxy"

/** A table whose rows an export writes as they are. */
export interface AccountTable {
  readonly table: string
  readonly owner: Owner
  /** The columns of the export. All others are left out: secrets, their hashes, and what only the operator needs. */
  readonly columns: ReadonlyArray<string>
  /** An SQL expression that is unique for each row. */
  readonly key: string
}

const columns = (names: string): ReadonlyArray<string> => names.split(" ")

const charge = "payment_method || ':' || charge_id"

/** The tables that an export writes row by row, by the name of the list in its file. */
export const accountTables = {
  order_events: {
    table: "order_event",
    owner: "order",
    columns: columns("id order_id kind actor actor_id reason occurred_at"),
    key: "id"
  },
  order_changes: {
    table: "proxy_change",
    owner: "order",
    columns: columns(
      "id order_id kind origin actor actor_id currency total total_usd period_days period_months tarification_index added_gb previous_expires_at previous_bandwidth_gb expires_at bandwidth_gb status refusal created_at updated_at"
    ),
    key: "id"
  },
  order_deliveries: {
    table: "provisioning_attempt",
    owner: "order",
    columns: ["id", "order_id", "started_at", "outcome", "finished_at"],
    key: "id"
  },
  traffic_by_day: {
    table: "gateway_usage_day",
    owner: "proxy",
    columns: ["proxy_id", "day", "bytes"],
    key: "proxy_id || ' ' || day || ' ' || cycle"
  },
  traffic_by_hour: {
    table: "gateway_usage",
    owner: "proxy",
    columns: ["proxy_id", "hour", "bytes"],
    key: "proxy_id || ' ' || hour || ' ' || cycle"
  },
  exit_addresses: {
    table: "gateway_exit_hold",
    owner: "proxy",
    columns: ["proxy_id", "exit_ip", "port", "from_at", "until_at"],
    key: "proxy_id || ' ' || from_at || ' ' || coalesce(until_at::text, '')"
  },
  download_links: {
    table: "download_link",
    owner: "user_id",
    columns: columns("id name format template q country proxy_type proxy_status sort last_used_at created_at"),
    key: "id"
  },
  promo_code_uses: {
    table: "promo_code_use",
    owner: "user_id",
    columns: ["order_id", "promo_code_id", "released_at", "created_at"],
    key: "order_id"
  },
  referral_shares: {
    table: "referral_share",
    owner: "referrer_id",
    columns: columns("currency amount status reason due_at returned created_at updated_at"),
    key: `${charge} || ':' || round`
  },
  charges: {
    table: "payment_charge",
    owner: "user_id",
    columns: columns(
      "payment_method charge_id payment_intent_id transaction_id currency amount is_sandbox payer created_at"
    ),
    key: charge
  },
  payment_reversals: {
    table: "payment_reversal",
    owner: "user_id",
    columns: columns(
      "payment_method reversal_id charge_id currency kind status reason amount debited given_back created_at updated_at"
    ),
    key: "payment_method || ':' || reversal_id"
  },
  payment_reversal_debits: {
    table: "payment_reversal_debit",
    owner: "user_id",
    columns: columns("debit_id payment_method reversal_id currency amount created_at"),
    key: "debit_id"
  },
  payouts: {
    table: "payout",
    owner: "user_id",
    columns: columns("id currency amount destination status reference customer_text approved_at settled_at created_at"),
    key: "id"
  },
  restrictions: {
    table: "account_restriction",
    owner: "user_id",
    columns: columns("id preset reason_code public_reason until_at placed_at lifted_at"),
    key: "id"
  },
  webhook_events: {
    table: "webhook_event",
    owner: "user_id",
    columns: columns(
      "id order_id is_test change_source host port protocol status previous_status expires_at occurred_at"
    ),
    key: "id"
  },
  webhook_deliveries: {
    table: "webhook_delivery",
    owner: "endpoint",
    columns: columns("id endpoint_id event_id status attempt created_at finished_at"),
    key: "id"
  },
  webhook_attempts: {
    table: "webhook_attempt",
    owner: "delivery",
    columns: ["delivery_id", "attempt", "started_at", "duration_ms", "status_code", "error"],
    key: "delivery_id || ' ' || attempt"
  },
  app_events: {
    table: "oauth_event",
    owner: "user_id",
    columns: columns("occurred_at kind client_id connection_id scopes reason client_address"),
    key: "lpad(id::text, 20, '0')"
  },
  mails: {
    table: "mail_log",
    owner: "user_id",
    columns: columns("id to_address kind subject status created_at settled_at"),
    key: "id"
  },
  mail_choices: { table: "mail_choice", owner: "user_id", columns: ["news_off_at"], key: "user_id" },
  known_browsers: {
    table: "known_browser",
    owner: "user_id",
    columns: ["created_at", "expires_at"],
    key: "token_hash"
  },
  second_factor: { table: "second_factor", owner: "user_id", columns: ["enabled_at"], key: "user_id" },
  agent: {
    table: "agent_registration",
    owner: "user_id",
    columns: ["id", "api_key_id", "claimed_at", "created_at"],
    key: "id"
  },
  features: {
    table: "flag_override",
    owner: "user_id",
    columns: ["name", "enabled", "created_at", "updated_at"],
    key: "name"
  }
} as const satisfies Readonly<Record<string, AccountTable>>
