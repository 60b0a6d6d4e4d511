import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { Flags } from "../flags/Flags.ts"
import { IpChecksDisabled } from "../ip-check/IpCheckErrors.ts"
import { flag, IpCheckGate } from "../ip-check/IpCheckGate.ts"
import { IpCheckQuota } from "../ip-check/IpCheckQuota.ts"
import { ipCheckView, listedIpCheckView } from "../ip-check/IpCheckView.ts"
import { IpChecks } from "../ip-check/IpChecks.ts"
import { IpSurvey } from "../ip-check/IpSurvey.ts"
import * as Money from "../platform/Money.ts"
import { IpCheckTools } from "./IpCheckTools.ts"
import * as PreviewPurchase from "./PreviewPurchase.ts"
import { asTool } from "./ToolFailure.ts"

/** The price of a check. It asks no vendor, so it does not count in the limit of checks. */
const makePreview = Effect.gen(function* () {
  const flags = yield* Flags
  const quota = yield* IpCheckQuota
  const { fromWallet } = yield* PreviewPurchase.make

  return Effect.fnUntraced(function* (caller: Caller["Service"], ip: string) {
    const { user_id } = caller
    if (!(yield* flags.enabled(flag, user_id))) return yield* new IpChecksDisabled()
    const quoted = yield* quota.of(user_id)
    const { free_available } = quoted
    const total = free_available > 0 ? 0n : quoted.price
    const price = { tool: "check_ip", total, total_usd: total, currency: "USD", fromVerified: total > 0n } as const
    const cost = yield* fromWallet(caller, price)
    return { ...cost, ip, free_available }
  })
})

export const layer = IpCheckTools.toLayer(
  Effect.gen(function* () {
    const checks = yield* IpChecks
    const gate = yield* IpCheckGate
    const preview = yield* makePreview
    const quota = yield* IpCheckQuota
    const survey = yield* IpSurvey

    return IpCheckTools.of({
      get_ip_check_quota: Effect.fnUntraced(function* () {
        const { price, ...counts } = yield* quota.of((yield* Caller).user_id)
        return { ...counts, price: Money.toDecimal("USD", price), currency: "USD" as const }
      }),
      check_ip: Effect.fnUntraced(function* ({ confirm, idempotency_key, ip }) {
        const caller = yield* Caller
        if (!confirm) return yield* preview(caller, ip)
        yield* gate.check(caller.user_id)
        const { answer, replayed } = yield* Effect.uninterruptible(checks.check(caller, ip, idempotency_key))
        return { dry_run: false as const, replayed, ...answer }
      }, asTool),
      survey_ip: Effect.fnUntraced(function* ({ ip }) {
        const found = yield* survey.survey((yield* Caller).user_id, ip)
        const missing = found.listings.filter(({ synced_at }) => synced_at === null)
        return { ...found, not_loaded: missing.map(({ source }) => source) }
      }, asTool),
      list_ip_checks: Effect.fnUntraced(function* (page) {
        const { checks: made, total } = yield* checks.list((yield* Caller).user_id, page)
        return { checks: made.map(listedIpCheckView), total, ...page }
      }),
      get_ip_check: Effect.fnUntraced(function* ({ check_id }) {
        return ipCheckView(yield* checks.get((yield* Caller).user_id, check_id))
      }, asTool)
    })
  })
)
