import { hidden } from "./Field.ts"
import { type Html, html } from "./Html.ts"
import type { Visitor } from "./Visitors.ts"

export const purpose = "sign-out"

/** The form that ends the session of a visitor. */
export const signOutForm = (visitor: Visitor, path: string, button: Html): Html =>
  html`<form method="post" action="${path}">${hidden("form_token", visitor.formToken(purpose))} ${button}</form>`
