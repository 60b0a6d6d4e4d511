import { Schema } from "effect"
import { area, field, type Faults, hidden, select } from "../../pages/Field.ts"
import { Nonce, TypedAmount } from "../../pages/FormSchemas.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { reasons } from "../../staff/money/AdjustmentsApi.ts"
import * as MoneyText from "../../staff/money/MoneyText.ts"

/** The reasons that a form offers, for reports. */
const codes = {
  outage: text("money.code_outage"),
  slow: text("money.code_slow"),
  wrong_product: text("money.code_wrong_product"),
  billing_error: text("money.code_billing_error"),
  complaint: text("money.code_complaint"),
  other: text("money.code_other")
} satisfies Record<string, Phrase>

/** An amount with a point or a comma. */
export const Amount = TypedAmount.pipe(Schema.decodeTo(MoneyText.Amount))

/** The fields of every form that moves money, with their messages. `key` makes a form that is sent twice act once. */
export const schema = {
  key: Nonce,
  reason_code: Schema.Literals(Object.keys(codes) as Array<keyof typeof codes>),
  reason: reasons.reason,
  customer_text: reasons.customer_text
}

export const messages = {
  key: text("form.not_confirmed"),
  reason_code: text("money.code_wrong"),
  reason: text("money.reason_wrong"),
  customer_text: text("money.customer_text_wrong")
} satisfies Record<keyof typeof schema, Phrase>

/** The typed fields of a form that was refused. */
export interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

/** The fields for the reason, and the key. */
export const reasonFields = ({ faults = {}, field: typed = () => undefined }: Typed, key: string): Html =>
  html`${hidden("key", key)}
  ${select({ name: "reason_code", label: text("money.code"), value: typed("reason_code") ?? "outage", options: Object.entries(codes), error: faults["reason_code"] })}
  ${area({ name: "reason", label: text("admin.reason"), hint: text("money.reason_hint"), value: typed("reason"), error: faults["reason"] })}
  ${field({ name: "customer_text", label: text("money.customer_text"), hint: text("money.customer_text_hint"), autocomplete: "off", optional: true, value: typed("customer_text"), error: faults["customer_text"] })}`
