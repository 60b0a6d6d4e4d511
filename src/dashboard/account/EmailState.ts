import type { User } from "../../accounts/User.ts"
import { type Html, html, text } from "../../pages/Html.ts"

/** The email of an account, and its state. */
export const emailState = ({ email, email_verified }: Pick<User, "email" | "email_verified">): Html => {
  if (email === null) return html`${text("email.none")}`
  return email_verified
    ? html`<bdi>${email}</bdi> <span class="mark good">${text("email.verified")}</span>`
    : html`<bdi>${email}</bdi> <span class="mark unknown">${text("email.unverified")}</span>`
}
