import { createHash } from "node:crypto"

/** The tables that hold money, requests to providers, and events. */
const tables = new Set([
  "account_closure",
  "account_restriction",
  "announcement",
  "auto_top_up",
  "billing_details",
  "email_outbox",
  "gateway_proxy",
  "gateway_refund",
  "idempotency_key",
  "invoice",
  "invoice_due",
  "order_refund",
  "order_release",
  "order_refund_part",
  "payment_callback",
  "payment_charge",
  "payment_intent",
  "payment_reversal",
  "payout",
  "provider_purchase",
  "provisioning_attempt",
  "proxy_change",
  "proxy_order",
  "proxy_stop",
  "referral_share",
  "restriction_round",
  "saved_card",
  "sandbox_payment",
  "wallet",
  "wallet_adjustment",
  "wallet_transaction",
  "webhook_attempt",
  "webhook_delivery",
  "webhook_event"
])

const write = /(?:\b(INSERT) INTO|(?<!FOR |FOR NO KEY |DO )\b(UPDATE)|\b(DELETE) FROM)\s+"?(\w+)"?/g

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 4)

/** The same text for any parameters and any number of rows. */
const shapeOf = (sql: string) =>
  sql
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\$\d+/g, "$")
    .replaceAll(/(\(\$(?:, ?\$)*\))(?:, ?\1)*/g, "$1")
    .replaceAll(/\$(?:, ?\$)+/g, "$")

/** The name of a statement that writes to these tables, such as `UPDATE wallet, INSERT wallet_transaction #1f3a`. */
export const nameOf = (sql: string): string | undefined => {
  const writes = [...sql.matchAll(write)].flatMap(([, insert, update, remove, table = ""]) =>
    // Cleanup removes only rows that settled long ago.
    tables.has(table) && !(remove && table === "payment_callback") ? `${insert ?? update ?? remove} ${table}` : []
  )
  return writes.length === 0 ? undefined : `${[...new Set(writes)].join(", ")} #${digest(shapeOf(sql))}`
}

/** The name of a transaction's commit by its writes; undefined if it wrote to none of these tables. */
export const commitOf = (written: ReadonlyArray<string>): string | undefined => {
  const different = [...new Set(written)]
  if (different.length === 0) return undefined
  const parts = different.flatMap((name) => name.replace(/ #.*/, "").split(", "))
  return `COMMIT (${[...new Set(parts)].join(", ")}) #${digest(different.join("\n"))}`
}
