import { type Content, html } from "../pages/Html.ts"
import type { Customer } from "../staff/customers/Customer.ts"

/** The name of a customer: the email, else the first characters of the id. */
export const customerName = ({ email, id }: Pick<Customer, "email" | "id">): Content =>
  html`<bdi>${email ?? html`<code>${id.slice(0, 8)}</code>`}</bdi>`
