import * as Money from "../../platform/Money.ts"
import type { EntryRecord, KeyRecord, OrderRecord, PaymentRecord, shown } from "./CustomerRecord.ts"

export const orderView = ({ total, ...order }: OrderRecord): typeof shown.order.Type => ({
  ...order,
  total: Money.toDecimal(order.currency, total)
})

export const entryView = ({ amount, balance_after, ...entry }: EntryRecord): typeof shown.entry.Type => ({
  ...entry,
  amount: Money.toDecimal(entry.currency, amount),
  balance_after: balance_after === null ? null : Money.toDecimal(entry.currency, balance_after)
})

export const paymentView = ({ amount, ...payment }: PaymentRecord): typeof shown.payment.Type => ({
  ...payment,
  amount: Money.toDecimal(payment.currency, amount)
})

export const keyView = ({ daily_spend_limit_usd: limit, ...key }: KeyRecord): typeof shown.key.Type => ({
  ...key,
  daily_spend_limit_usd: limit === null ? null : Money.toDecimal("USD", limit)
})
