import { choices, field, hidden } from "../../pages/Field.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { PreviewView, RefundView } from "../../staff/money/RefundView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"
import { reasonFields, type Typed } from "../desk/MoneyFields.ts"
import { shortId } from "../desk/ShortId.ts"

type Preview = typeof PreviewView.Type
type Term = Preview["terms"][number]

const pathsOf = ({ pathTo }: AdminVisit, order_id: string) => ({
  order: pathTo(`orders/${order_id}`),
  form: pathTo(`orders/${order_id}/refund`)
})

const headOf = (visit: AdminVisit, order_id: string, title: Phrase) => ({
  title,
  section: "customers",
  back: [pathsOf(visit, order_id).order, text("order.title", { id: shortId(order_id) })] as const
})

/** The money that was paid for an order, that was returned, and that is left. */
const terms = ({ currency, left, paid, prorata, returned, terms }: Preview): Html => {
  const column = (head: Phrase, of: (term: Term) => string) => ({
    head,
    label: head,
    as: "number" as const,
    cell: (term: Term) => amount(currency, of(term))
  })
  return html`<section class="card stack" aria-labelledby="terms">
    <h2 id="terms">${text("refund.terms")}</h2>
    ${table<Term>(
      [
        { head: text("refund.payment"), as: "name", cell: ({ reference }) => html`<code>${reference}</code>` },
        column(text("refund.paid"), (term) => term.paid),
        column(text("refund.returned"), (term) => term.returned),
        column(text("refund.share"), (term) => term.share)
      ],
      terms
    )}
    <p>
      ${text("refund.sums", { paid: amount(currency, paid), returned: amount(currency, returned), left: amount(currency, left), share: amount(currency, prorata) })}
    </p>
  </section>`
}

const kindField = (preview: Preview, chosen: string, error: Content): Html => {
  const { currency, is_whole_possible, left, prorata } = preview
  return choices({
    name: "kind",
    type: "radio",
    label: text("credit.kind"),
    chosen: [chosen],
    error,
    options: [
      {
        value: "amount",
        title: text("money.refund_amount"),
        detail: text("refund.amount_about", { left: amount(currency, left) })
      },
      {
        value: "prorata",
        title: text("money.refund_prorata"),
        detail: text("refund.prorata_about", { share: amount(currency, prorata) })
      },
      {
        value: "whole",
        title: text("money.refund_whole"),
        detail: is_whole_possible ? text("refund.whole_about") : text("refund.whole_impossible"),
        disabled: !is_whole_possible
      }
    ]
  })
}

const destinationField = ({ actor }: AdminVisit, chosen: string, error: Content): Content =>
  may(actor, "refund.return")
    ? choices({
        name: "destination",
        type: "radio",
        label: text("refund.destination"),
        chosen: [chosen],
        error,
        options: [
          { value: "wallet", title: text("refund.to_wallet"), detail: text("refund.wallet_about") },
          { value: "gateway", title: text("refund.to_gateway"), detail: text("refund.gateway_about") }
        ]
      })
    : hidden("destination", "wallet")

/** The form that refunds an order. It leads to a page that says what would happen. */
export const refundPage = (visit: AdminVisit, preview: Preview, key: string, typed: Typed = {}): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  return adminPage(
    visit,
    { ...headOf(visit, preview.order_id, text("refund.title")), faults },
    html`${terms(preview)}
      <section class="card">
        ${visit.form(
          pathsOf(visit, preview.order_id).form,
          html`${hidden("share", preview.prorata)}
            <div class="stack">
              ${kindField(preview, value("kind") ?? "amount", faults["kind"])}
              ${field({ name: "amount", label: text("customer.amount"), hint: text("refund.amount_hint"), autocomplete: "off", optional: true, value: value("amount"), error: faults["amount"] })}
              ${destinationField(visit, value("destination") ?? "wallet", faults["destination"])}
              ${choices({
                name: "ends_service",
                type: "checkbox",
                label: text("refund.end"),
                chosen: [value("ends_service") ?? ""],
                options: [
                  { value: "yes", title: text("refund.ends_service"), detail: text("refund.ends_service_about") }
                ]
              })}
              ${reasonFields(typed, key)}
              <p class="quiet">${text("money.limits_about")}</p>
              <div><button class="primary">${text("refund.review_button")}</button></div>
            </div>`
        )}
      </section>`
  )
}

type Rehearsed = typeof RefundView.Type

const kinds = {
  whole: text("money.refund_whole"),
  amount: text("money.refund_amount"),
  prorata: text("money.refund_prorata")
} satisfies Record<Rehearsed["kind"], Phrase>

/** Says what a refund would do, and asks for the confirmation. `fields` are those of the form. */
export const refundReview = (
  visit: AdminVisit,
  rehearsed: Rehearsed,
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Page => {
  const { currency, destination, ends_service, kind, order_id, reason, status } = rehearsed
  const size = amount(currency, rehearsed.amount)
  const paths = pathsOf(visit, order_id)
  return adminPage(
    visit,
    {
      ...headOf(visit, order_id, text("refund.review_title")),
      lead: text("refund.review_about"),
      ...(status === "requested" && { warning: text("refund.becomes_request") })
    },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("customer.amount")}</dt>
        <dd>${size}</dd>
        <dt>${text("credit.kind")}</dt>
        <dd>${kinds[kind]}</dd>
        <dt>${text("refund.destination")}</dt>
        <dd>${destination === "wallet" ? text("money.to_wallet") : text("money.to_gateway")}</dd>
        <dt>${text("refund.end")}</dt>
        <dd>${ends_service ? text("refund.proxy_ends") : text("refund.proxy_stays")}</dd>
        <dt>${text("admin.reason")}</dt>
        <dd>${reason}</dd>
      </dl>
      <div class="row">
        ${visit.form(
          paths.form,
          html`${fields.map(([name, value]) => hidden(name, value))}${hidden("confirmed", "yes")}
            <button class="primary">
              ${status === "requested" ? text("refund.request_button", { amount: size }) : text("refund.button", { amount: size })}
            </button>`
        )}
        <a class="button" href="${paths.form}">${text("refund.back_button")}</a>
      </div>
    </section>`
  )
}
