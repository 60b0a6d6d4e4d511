import { type Content, html } from "../../pages/Html.ts"
import type { Customer } from "../../staff/customers/Customer.ts"
import { shortId } from "./ShortId.ts"

/** The name of a customer: the email, else the last characters of the id. */
export const customerName = ({ email, id }: Pick<Customer, "email" | "id">): Content =>
  html`<bdi>${email ?? shortId(id)}</bdi>`
