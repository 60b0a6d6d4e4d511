import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Maybe } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

const Reputation = Schema.Literals(["malicious", "suspicious", "known", "safe", "unknown"])
const mostTotal = 5
const Total = Schema.Struct({ total: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: mostTotal })) })

const Answer = Schema.Struct({
  ip: Schema.String,
  reputation: Maybe(Reputation),
  scores: Schema.Struct({ overall: Total, last_week: Maybe(Total) }),
  classifications: Maybe(
    Schema.Struct({ classifications: Maybe(Schema.Array(Schema.Struct({ name: Schema.String }))) })
  )
})

const NeverSeen = Schema.Struct({ message: Schema.String.check(Schema.isPattern(/^IP address.* not found/i)) })

const bandOf = (total: number) => {
  if (total >= 4) return "high_risk"
  return total >= 2 ? "suspicious" : "clean"
}

const read = ({ classifications, reputation, scores }: typeof Answer.Type): Opinion => {
  const { last_week, overall } = scores
  const names = (classifications?.classifications ?? []).map(({ name }) => name)
  return {
    band: bandOf(overall.total),
    risk: reputation ?? "unknown",
    score: (overall.total * 100) / mostTotal,
    signals: {
      tor: names.includes("proxy:tor"),
      vpn: names.includes("proxy:vpn"),
      proxy_detected: names.some((name) => name.startsWith("proxy:")),
      recent_abuse: last_week !== undefined && last_week.total >= 2,
      known_abuser: overall.total >= 4
    }
  }
}

/** CrowdSec collects attacks that its users report: https://docs.crowdsec.net/u/cti_api/taxonomy/scores. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const vendor: IpVendor = {
    id: "crowdsec",
    label: "CrowdSec",
    score_metric: "overall score of 0 to 5, times 20",
    risk_metric: "reputation",
    ipv6: true,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/v2/smoke/${encodeURIComponent(ip)}`).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.setHeader("x-api-key", Redacted.value(api_key))
        ),
        schema: Answer,
        subject: (said) => said.ip,
        read,
        unseen: { schema: NeverSeen, opinion: { band: "clean", risk: "not observed", signals: {} } }
      })
  }
  return vendor
})

export const configured = whenConfigured("CROWDSEC", "https://cti.api.crowdsec.net", make)
