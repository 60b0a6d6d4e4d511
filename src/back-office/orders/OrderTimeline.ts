import { moment, money } from "../../pages/Format.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { OrderStep } from "../../staff/orders/StaffOrder.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

const kinds = {
  ordered: text("order.step_ordered"),
  payment_asked: text("order.step_payment_asked"),
  payment_arrived: text("order.step_payment_arrived"),
  payment_reversed: text("order.step_payment_reversed"),
  callback: text("order.step_callback"),
  staff: text("order.step_staff"),
  entry: text("order.step_entry"),
  delivery_began: text("order.step_delivery_began"),
  delivery_ended: text("order.step_delivery_ended"),
  change: text("order.step_change"),
  event: text("order.step_event"),
  outage: text("order.step_outage"),
  warranty: text("order.step_warranty"),
  refund_asked: text("order.step_refund_asked"),
  refund_decided: text("order.step_refund_decided"),
  card_refund: text("order.step_card_refund"),
  adjustment: text("order.step_adjustment"),
  restricted: text("order.step_restricted"),
  lifted: text("order.step_lifted"),
  proxy_stopped: text("order.step_proxy_stopped"),
  ended: text("order.step_ended")
} satisfies Record<OrderStep["kind"], Phrase>

/** The events of an order, the newest first. */
export const orderTimeline = ({ pathTo }: AdminVisit, steps: ReadonlyArray<OrderStep>): Html =>
  table<OrderStep>(
    [
      {
        head: text("order.step"),
        as: "name",
        cell: ({ detail, kind, state }) =>
          html`<b>${kinds[kind]}</b> ${state !== null && html`<code>${state}</code>`}
            ${detail !== null && html`<small>${detail}</small>`}`
      },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ at }) => moment(at) },
      { head: text("admin.who"), label: text("admin.who"), cell: ({ by }) => by ?? text("order.by_service") },
      {
        head: text("admin.record_id"),
        label: text("admin.record_id"),
        cell: ({ id, kind }) =>
          kind === "payment_asked"
            ? html`<small
                ><a href="${pathTo(`payments/${id}`)}"><code>${id}</code></a></small
              >`
            : html`<small><code>${id}</code></small>`
      },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: ({ amount, currency }) => amount !== null && currency !== null && money(currency, amount)
      }
    ],
    steps
  )
