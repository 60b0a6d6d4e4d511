import type { Preset } from "../../accounts/restrictions/Restriction.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { EntryRecord, OrderRecord } from "../../staff/customers/CustomerRecord.ts"

/** The classes of marks by the weight of a state. */
type Mark = "good" | "unknown" | "bad" | ""

const mark = (state: Content, weight: Mark): Content => html`<span class="mark ${weight}">${state}</span>`

const orders = {
  new: [text("order.status_new"), "unknown"],
  waiting_payment: [text("order.status_waiting_payment"), "unknown"],
  paid: [text("order.status_paid"), "unknown"],
  provisioned: [text("order.status_provisioned"), "good"],
  provisioning_failed: [text("order.status_provisioning_failed"), "bad"],
  cancelled: [text("order.status_cancelled"), ""],
  refunded: [text("order.status_refunded"), ""],
  expired: [text("order.status_expired"), ""]
} as const satisfies Record<OrderRecord["status"], readonly [Phrase, Mark]>

export const orderState = (status: OrderRecord["status"]): Content => {
  const [state, weight] = orders[status]
  return mark(state, weight)
}

export const proxyText = {
  pending: text("proxies.pending"),
  active: text("proxies.active"),
  expiring: text("proxies.expiring"),
  expired: text("proxies.expired"),
  cancelled: text("proxies.cancelled")
} satisfies Record<OrderRecord["proxy_status"], Phrase>

const types = {
  deposit: text("wallet.deposit"),
  payment: text("wallet.payment"),
  refund: text("wallet.refund"),
  withdrawal: text("wallet.withdrawal")
} satisfies Record<EntryRecord["transaction_type"], Phrase>

/** The type of a ledger entry, and the cause of one that staff or a gateway's refund made. */
export const entryType = ({ cause, transaction_type }: Pick<EntryRecord, "cause" | "transaction_type">): Content =>
  html`${types[transaction_type]}${cause !== null && html` <small><code>${cause}</code></small>`}`

/** Marks an entry that does not count in the balance. */
export const entryState = (status: EntryRecord["status"]): Content => {
  if (status === "pending") return mark(text("wallet.pending"), "unknown")
  return status === "failed" && mark(text("wallet.failed"), "")
}

const payments: Readonly<Record<string, readonly [Phrase, Mark]>> = {
  pending: [text("payment.status_pending"), "unknown"],
  paid: [text("payment.status_paid"), "good"],
  failed: [text("payment.status_failed"), "bad"],
  expired: [text("payment.status_expired"), ""]
}

export const paymentState = (status: string): Content => {
  const [state, weight] = payments[status] ?? [status, "" as const]
  return mark(state, weight)
}

const methods: Readonly<Record<string, Phrase>> = {
  wallet: text("customer.wallet"),
  crypto_gateway: text("payment.crypto_gateway"),
  card_gateway: text("payment.card_gateway"),
  messenger_stars: text("payment.messenger_stars")
}

/** The way of a payment in words. Other names stay as they are. */
export const methodText = (method: string): Content => methods[method] ?? method

export const presetText = {
  hold: text("restriction.hold"),
  suspend: text("restriction.suspend"),
  ban: text("restriction.ban"),
  lock: text("restriction.lock")
} satisfies Record<Preset, Phrase>

export const restrictionMark = (preset: Preset): Content => mark(presetText[preset], "bad")
