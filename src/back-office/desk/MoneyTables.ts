import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { AdjustmentView } from "../../staff/money/AdjustmentView.ts"
import type { RefundView } from "../../staff/money/RefundView.ts"
import type { AdminVisit } from "./AdminVisit.ts"
import { amount } from "./Amount.ts"

export type Adjustment = typeof AdjustmentView.Type
export type Refund = typeof RefundView.Type

const causes = {
  goodwill: text("money.cause_goodwill"),
  correction: text("money.cause_correction"),
  goodwill_revoked: text("money.cause_goodwill_revoked")
} satisfies Record<Adjustment["cause"], Phrase>

const kinds = {
  whole: text("money.refund_whole"),
  amount: text("money.refund_amount"),
  prorata: text("money.refund_prorata")
} satisfies Record<Refund["kind"], Phrase>

const destinations = {
  wallet: text("money.to_wallet"),
  gateway: text("money.to_gateway")
} satisfies Record<Refund["destination"], Phrase>

const statuses = {
  requested: [text("money.requested"), "unknown"],
  booked: [text("money.booked"), "good"],
  declined: [text("money.declined"), "bad"],
  expired: [text("money.expired"), ""]
} satisfies Record<Adjustment["status"], readonly [Phrase, string]>

/** The kind of a credit or a debit, and the reason. */
const adjustmentText = ({ cause, reason }: Adjustment): Html => html`<b>${causes[cause]}</b> <small>${reason}</small>`

/** The kind of a refund, its destination and the reason. */
const refundText = ({ destination, ends_service, kind, reason }: Refund): Html =>
  html`<b>${kinds[kind]}, ${destinations[destination]}</b>
    ${ends_service && html`<small>${text("money.ends_service")}</small>`} <small>${reason}</small>`

type Decided = Pick<Adjustment, "created_at" | "created_by_name" | "decided_by_name" | "expires_at" | "status">

/** The state of a record, who made it, and who agreed. */
const statusText = ({ decided_by_name, expires_at, status }: Decided): Content => {
  const [words, weight] = statuses[status]
  return html`<span class="mark ${weight}">${words}</span>
    <small
      >${status === "requested" && text("money.until", { when: moment(expires_at) })}
      ${decided_by_name !== null && text("money.by", { name: decided_by_name })}</small
    >`
}

interface Listed<A> {
  readonly head: Phrase
  readonly what: (record: A) => Content
  /** More about a record, such as the buttons that decide. */
  readonly more?: (record: A) => Content
  readonly owner?: (record: A) => Content
}

const moneyTable = <A extends Decided & Pick<Adjustment, "amount" | "currency">>(
  { head, more, owner, what }: Listed<A>,
  items: ReadonlyArray<A>
): Html =>
  table<A>(
    [
      { head, as: "name", cell: what },
      ...(owner === undefined
        ? []
        : [{ head: text("customers.customer"), label: text("customers.customer"), cell: owner }]),
      { head: text("admin.state"), label: text("admin.state"), cell: statusText },
      {
        head: text("admin.who"),
        label: text("admin.who"),
        cell: ({ created_at, created_by_name }) => html`${created_by_name} <small>${moment(created_at)}</small>`
      },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: (record) => amount(record.currency, record.amount)
      },
      ...(more === undefined
        ? []
        : [{ head: html`<span class="hidden">${text("desk.actions")}</span>`, as: "go" as const, cell: more }])
    ],
    items
  )

const withOrder =
  ({ pathTo }: AdminVisit) =>
  (refund: Refund): Content =>
    html`${refundText(refund)}
      <small><a href="${pathTo(`orders/${refund.order_id}`)}">${text("customers.show_order")}</a></small>`

type More<A> = Pick<Listed<A>, "more" | "owner">

interface MoreOfRefunds extends More<Refund> {
  /** True on the page of an order: the rows need no link to it. */
  readonly isOfOneOrder?: boolean
}

export const adjustmentTable = (
  _visit: AdminVisit,
  items: ReadonlyArray<Adjustment>,
  more: More<Adjustment> = {}
): Html => moneyTable({ head: text("customer.adjustments"), what: adjustmentText, ...more }, items)

export const refundTable = (
  visit: AdminVisit,
  items: ReadonlyArray<Refund>,
  { isOfOneOrder = false, ...more }: MoreOfRefunds = {}
): Html =>
  moneyTable({ head: text("customer.refunds"), what: isOfOneOrder ? refundText : withOrder(visit), ...more }, items)
