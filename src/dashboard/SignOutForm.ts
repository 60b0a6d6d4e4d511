import { hidden } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import type { Visitor } from "./Visitors.ts"

export const purpose = "sign-out"

/** Ends the session of a visitor, at the path of signing out. */
export const signOutForm = (visitor: Visitor, path: string, button: Html): Html =>
  escaped`<form method="post" action="${path}">
      ${hidden("form_token", visitor.formToken(purpose))}
      ${button}
    </form>`
