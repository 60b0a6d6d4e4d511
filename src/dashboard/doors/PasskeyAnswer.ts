import type { Answer } from "../../accounts/passkeys/PasskeyProofs.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import type { Submission } from "../../pages/Visitors.ts"

/** Reads what the browser sent of a passkey; undefined when the form has none. */
export const read = ({ field }: Submission): Answer | undefined => {
  const credential = field("credential")
  return credential === undefined ? undefined : { credential, ticket: field("ticket") ?? "" }
}

/** Shows the page again after a passkey that was not accepted. */
export const refusals = <A>(again: (problem: Phrase) => A) => ({
  PasskeyRefused: () => again(text("passkey.refused")),
  PasskeyTooLate: () => again(text("passkey.too_late"))
})
