import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { PublicIp } from "../platform/outbound/PublicAddress.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import { Blocklists } from "./blocklists/Blocklists.ts"
import { reuse } from "./IpCheck.ts"
import type { IpChecksDisabled } from "./IpCheckErrors.ts"
import { IpCheckGate } from "./IpCheckGate.ts"
import { IpSurveyRepo } from "./IpSurveyRepo.ts"
import { IpVendors } from "./vendors/IpVendors.ts"
import { hasClaim, Listing } from "./signals/Listing.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

const CachedCheck = Schema.Struct({
  vendors: Schema.Array(VendorRow),
  verdict: Verdict,
  risk_score: Schema.Int.annotate({ examples: [12] })
})

/** The wire form of a survey (docs/contract.md, "IP reputation checks"). */
export const Survey = Schema.Struct({
  ip: Schema.String.annotate({ description: "The address in canonical form", examples: ["8.8.8.8"] }),
  checked_at: Schema.DateTimeUtcFromString,
  listings: Schema.Array(Listing).annotate({
    description:
      "Every held list that makes a claim, whether it contains the address or not. A list with `synced_at` null is not loaded: its `listed` tells nothing"
  }),
  cached_check: Schema.NullOr(CachedCheck).annotate({
    description: "The check of the address within the last hour, by any account. Null: no vendor was asked"
  })
}).annotate({ identifier: "BlocklistSurvey" })
export type Survey = typeof Survey.Type

/** Compares an address with the published lists. Free of charge: reads memory, makes one query and asks no vendor. */
export class IpSurvey extends Context.Service<
  IpSurvey,
  {
    readonly survey: (caller: UserId, ip: PublicIp) => Effect.Effect<Survey, IpChecksDisabled | RateLimited>
    /** True when at least one blocklist is loaded, so that the check of an address tells something about blocklists. */
    readonly hasBlocklists: (ip: string) => boolean
  }
>()("app/ip-check/IpSurvey") {
  static readonly layerNoDeps = Layer.effect(
    IpSurvey,
    Effect.gen(function* () {
      const blocklists = yield* Blocklists
      const gate = yield* IpCheckGate
      const { isSandbox } = yield* IpVendors
      const repo = yield* IpSurveyRepo

      const survey = Effect.fn("IpSurvey.survey")(function* (caller: UserId, ip: PublicIp) {
        const checked_at = yield* DateTime.now
        const known = yield* repo.known(caller, ip, DateTime.subtract(checked_at, reuse), isSandbox)
        yield* gate.survey(caller, known.enabled)
        const { risk_score, vendors, verdict } = known
        const isKnown = vendors !== null && verdict !== null && risk_score !== null
        const cached_check = isKnown ? { vendors, verdict, risk_score } : null
        return { ip, checked_at, listings: blocklists.listings(ip).filter(hasClaim), cached_check }
      })

      const hasBlocklists = (ip: string) =>
        blocklists.listings(ip).some(({ claim, synced_at }) => claim === "blocklist" && synced_at !== null)

      return IpSurvey.of({ survey, hasBlocklists })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IpSurveyRepo.layer))
}
