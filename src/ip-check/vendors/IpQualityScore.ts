import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Maybe, Score } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

const Answer = Schema.Struct({
  success: Schema.Literal(true),
  fraud_score: Score,
  proxy: Flag,
  vpn: Flag,
  active_vpn: Flag,
  tor: Flag,
  active_tor: Flag,
  recent_abuse: Flag,
  frequent_abuser: Flag,
  bot_status: Flag,
  abuse_velocity: Maybe(Schema.Literals(["none", "low", "medium", "high"])),
  connection_type: Maybe(Schema.String)
})
type Answer = typeof Answer.Type

/**
 * Nearly every proxy has a score of 75 to 100, so the score alone tells only that an address is a proxy. The abuse flags
 * decide the band.
 */
const bandOf = ({ abuse_velocity, bot_status, fraud_score, frequent_abuser, recent_abuse }: Answer) => {
  const isAbused = recent_abuse === true || frequent_abuser === true || abuse_velocity === "high"
  if (isAbused && fraud_score >= 85) return "high_risk"
  return isAbused || bot_status === true || abuse_velocity === "medium" ? "suspicious" : "clean"
}

const read = (said: Answer): Opinion => ({
  band: bandOf(said),
  risk: said.abuse_velocity ?? "none",
  score: said.fraud_score,
  signals: {
    tor: said.tor === true || said.active_tor === true,
    // `vpn` is also true for hosting networks that could become a VPN.
    vpn: (said.active_vpn ?? said.vpn) === true,
    proxy_detected: said.proxy === true,
    datacenter: said.connection_type === "Data Center",
    recent_abuse: said.recent_abuse === true,
    known_abuser: said.frequent_abuser === true
  }
})

/** https://www.ipqualityscore.com/documentation/account-management/usage */
const Account = Schema.Struct({ success: Schema.Literal(true), credits: Schema.Finite, usage: Schema.Finite })

/** IPQualityScore: https://www.ipqualityscore.com/documentation/proxy-detection-api/overview. The key is a part of the URL. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const callForAccount = yield* CallVendor.makeForAccount([api_key])
  const key = encodeURIComponent(Redacted.value(api_key))
  const vendor: IpVendor = {
    id: "ipqualityscore",
    label: "IPQualityScore",
    score_metric: "fraud score",
    risk_metric: "abuse velocity",
    ipv6: true,
    quota,
    credits: Effect.map(
      callForAccount(HttpClientRequest.get(`${api_url}/api/json/account/${key}`), Account),
      ({ credits, usage }) => ({ left: Math.max(0, credits - usage), of: credits })
    ),
    ask: (ip) => {
      const request = HttpClientRequest.get(`${api_url}/api/json/ip/${key}/${encodeURIComponent(ip)}`)
      return call({
        ip,
        request: HttpClientRequest.setUrlParams(request, { strictness: 1, allow_public_access_points: "true" }),
        schema: Answer,
        read
      })
    }
  }
  return vendor
})

export const configured = whenConfigured("IPQUALITYSCORE", "https://www.ipqualityscore.com", make)
