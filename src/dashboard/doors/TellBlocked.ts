import { Effect } from "effect"
import type { SignInBlocked } from "../../accounts/AccountErrors.ts"
import { Brand } from "../../brand/Brand.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { supportLinks } from "../../pages/SupportLink.ts"
import { blockedPage } from "./BlockedPage.ts"

/** Answers a sign-in of a person whom a restriction shuts out. */
export const make = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const support = supportLinks(yield* Brand)
  return ({ details: { public_reason } }: SignInBlocked) => answer(401, blockedPage({ public_reason, support }))
})
