import { randomUUID } from "node:crypto"
import { hidden } from "../../pages/Field.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { may } from "../../staff/Actor.ts"
import type { Customer } from "../../staff/customers/Customer.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

/** The ways to help a customer that the person may use. */
export const careCard = ({ actor, form, pathTo }: AdminVisit, customer: Customer): Content => {
  if (customer.deleted_at !== null) return undefined
  const at = (name: string) => pathTo(`customers/${customer.id}/${name}`)
  const link = (name: string, label: Content): Html => html`<a class="button" href="${at(name)}">${label}</a>`
  const ways = [
    may(actor, "customer.note") && link("note", text("care.note_link")),
    may(actor, "customer.help") &&
      customer.email !== null &&
      !customer.email_verified &&
      form(at("verification"), html`${hidden("key", randomUUID())}<button>${text("care.resend_button")}</button>`),
    may(actor, "customer.help") && link("sign-out", text("care.sign_out_link")),
    may(actor, "customer.export") && link("export", text("care.export_link")),
    may(actor, "customer.erase") && link("erase", text("care.erase_link"))
  ].filter((way) => way !== false)
  return (
    ways.length > 0 &&
    html`<section class="card stack" aria-labelledby="care">
      <h2 id="care">${text("care.title")}</h2>
      <div class="row">${ways}</div>
    </section>`
  )
}
