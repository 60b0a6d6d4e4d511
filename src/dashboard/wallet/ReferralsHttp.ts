import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Users } from "../../accounts/users/Users.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as ReferralTerms from "../../wallet/referrals/ReferralTerms.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { referralsPage } from "./ReferralsPage.ts"

/** The page of the referrals. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { app_url } = yield* Addresses
    const pages = yield* Pages
    const terms = yield* ReferralTerms.load
    const users = yield* Users

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const referrals = yield* users.referrals(visit.user.id)
      const { referral_code: code, referral_earned_usd: earned, referral_pending_usd: pending, referred } = referrals
      const link = `${app_url}/register?${new URLSearchParams({ referral_code: code }).toString()}`
      return referralsPage(visit, { code, link, referred, earned, pending, terms })
    })

    yield* router.add("GET", yield* pathOf("wallet/referrals"), pages.show(show))
  })
)
