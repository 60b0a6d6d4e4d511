import type { Brand } from "../brand/Brand.ts"
import { type Html, html } from "./Html.ts"

/** The ways to reach the support of the brand. */
export type Contacts = Pick<Brand, "support_email" | "support_url">

/** Links to the support of the brand; empty when it has none. */
export const supportLinks = ({ support_email, support_url }: Contacts): ReadonlyArray<Html> => [
  ...(support_email === undefined ? [] : [html`<a href="mailto:${support_email}">${support_email}</a>`]),
  ...(support_url === undefined ? [] : [html`<a href="${support_url}">${support_url.replace("https://", "")}</a>`])
]
