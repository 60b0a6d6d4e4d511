import { Schema } from "effect"
import { OrderId } from "../../orders/Order.ts"
import { OrderStatus, ProxyStatus } from "../../orders/OrderStatus.ts"
import { Currency } from "../../platform/Money.ts"
import { TransactionStatus, TransactionType } from "../../wallet/WalletTransaction.ts"

const maybe = Schema.NullOr
const text = Schema.String

/** Makes the schemas of orders, ledger entries and payments, with the schemas of their times and amounts. */
const purchasesWith = <Time extends Schema.Top, Amount extends Schema.Top>(Time: Time, Amount: Amount) => ({
  order: Schema.Struct({
    id: OrderId,
    status: OrderStatus,
    proxy_status: ProxyStatus,
    provider: text,
    proxy_type: text,
    ip_version: text,
    country: text,
    host: maybe(text),
    port: maybe(Schema.Int),
    currency: Currency,
    total: Amount,
    auto_renew: Schema.Boolean,
    created_at: Time,
    expires_at: maybe(Time)
  }),
  entry: Schema.Struct({
    id: text,
    transaction_type: TransactionType,
    cause: maybe(text).annotate({
      description: "The meaning of an entry by staff or a gateway; null: that of its type"
    }),
    status: TransactionStatus,
    payment_method: maybe(text),
    external_id: maybe(text),
    description: text,
    order_id: maybe(OrderId),
    currency: Currency,
    amount: Amount,
    balance_after: maybe(Amount),
    created_at: Time
  }),
  payment: Schema.Struct({
    id: text,
    purpose: text,
    payment_method: text,
    status: text,
    external_reference: maybe(text),
    charges: Schema.Array(text).annotate({ description: "Ids of its charges at the gateway, at most 20" }),
    currency: Currency,
    amount: Amount,
    created_at: Time,
    expires_at: Time
  })
})

/** The same for credentials and notices. */
const credentialsWith = <Time extends Schema.Top, Amount extends Schema.Top>(Time: Time, Amount: Amount) => ({
  key: Schema.Struct({
    id: text,
    name: text,
    prefix: text,
    scopes: maybe(Schema.Array(text)),
    allowed_ips: maybe(Schema.Array(text)).annotate({
      description: "Null for any address, and for staff who may not identify customers"
    }),
    daily_spend_limit_usd: maybe(Amount),
    created_at: Time,
    last_used_at: maybe(Time),
    expires_at: maybe(Time)
  }),
  session: Schema.Struct({
    id: text,
    user_agent: maybe(text),
    address: maybe(text).annotate({ description: "Null for staff who may not identify customers" }),
    created_at: Time,
    last_used_at: maybe(Time),
    expires_at: Time
  }),
  app: Schema.Struct({
    id: text,
    client_id: text,
    name: text,
    is_verified: Schema.Boolean,
    scopes: Schema.Array(text),
    created_at: Time,
    last_used_at: maybe(Time),
    expires_at: Time,
    revoked_at: maybe(Time),
    revoked_reason: maybe(text)
  }),
  notice: Schema.Struct({
    id: text,
    kind: text,
    message: text,
    order_id: maybe(OrderId),
    created_at: Time,
    read_at: maybe(Time)
  })
})

/** The same for what staff care for. */
const careWith = <Time extends Schema.Top>(Time: Time) => ({
  note: Schema.Struct({ id: text, text, written_by: text, created_at: Time }),
  mail: Schema.Struct({
    id: text,
    kind: text.annotate({
      description: "`notice`, `announcement`, or the purpose of a mail with a link",
      examples: ["notice"]
    }),
    subject: maybe(text).annotate({ description: "Null for a mail with a link, which is written when it is sent" }),
    to_address: text.annotate({ description: "Masked for staff who may not identify customers" }),
    status: Schema.Literals(["queued", "delivered", "failed", "unknown", "not_needed"]).annotate({
      description:
        "`delivered`: the mail server took it. `unknown`: the answer of the mail server did not arrive. `not_needed`: not sent, because its reason had ended"
    }),
    failure: maybe(text),
    created_at: Time,
    settled_at: maybe(Time)
  })
})

/** The records of a customer as they are stored. Amounts in the currency's unit. */
export const stored = {
  ...purchasesWith(Schema.DateTimeUtcFromDate, Schema.BigInt),
  ...credentialsWith(Schema.DateTimeUtcFromDate, Schema.BigInt),
  ...careWith(Schema.DateTimeUtcFromDate)
}

const Text = Schema.String.annotate({ description: "A decimal string", examples: ["12.50"] })

/** The records of a customer as the admin API answers them. Amounts are decimal text. */
export const shown = {
  ...purchasesWith(Schema.DateTimeUtcFromString, Text),
  ...credentialsWith(Schema.DateTimeUtcFromString, Text),
  ...careWith(Schema.DateTimeUtcFromString)
}

export type OrderRecord = typeof stored.order.Type
export type EntryRecord = typeof stored.entry.Type
export type PaymentRecord = typeof stored.payment.Type
export type KeyRecord = typeof stored.key.Type
export type SessionRecord = typeof stored.session.Type
export type AppRecord = typeof stored.app.Type
export type NoticeRecord = typeof stored.notice.Type
export type NoteRecord = typeof stored.note.Type
export type MailRecord = typeof stored.mail.Type

/** The lists of a customer, by name. */
export interface RecordsOfLists {
  readonly orders: OrderRecord
  readonly entries: EntryRecord
  readonly payments: PaymentRecord
  readonly keys: KeyRecord
  /** Without addresses for those who may not identify customers. */
  readonly sessions: SessionRecord
  /** The connections of apps, ended ones too. */
  readonly apps: AppRecord
  readonly notices: NoticeRecord
  /** The notes of staff. */
  readonly notes: NoteRecord
  /** The mails of the last months. */
  readonly mails: MailRecord
}
export type ListName = keyof RecordsOfLists
