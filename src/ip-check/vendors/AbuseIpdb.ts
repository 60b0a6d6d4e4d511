import { DateTime, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Maybe, Score } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

const Answer = Schema.Struct({
  data: Schema.Struct({
    ipAddress: Maybe(Schema.String),
    abuseConfidenceScore: Score,
    totalReports: Maybe(Schema.Int),
    lastReportedAt: Maybe(Schema.DateTimeUtcFromString),
    isTor: Flag,
    usageType: Maybe(Schema.String)
  })
})

const recentDays = 7

const bandOf = (score: number) => {
  if (score >= 75) return "high_risk"
  return score >= 25 ? "suspicious" : "clean"
}

const read = ({ data }: typeof Answer.Type, now: DateTime.Utc): Opinion => {
  const { abuseConfidenceScore: score, isTor, lastReportedAt, totalReports = 0, usageType = "" } = data
  const isRecent =
    lastReportedAt !== undefined && DateTime.isGreaterThan(lastReportedAt, DateTime.subtract(now, { days: recentDays }))
  return {
    band: bandOf(score),
    risk: totalReports === 1 ? "1 report" : `${totalReports} reports`,
    score,
    signals: {
      tor: isTor === true,
      datacenter: usageType.startsWith("Data Center"),
      recent_abuse: score > 0 && isRecent,
      known_abuser: score >= 75
    }
  }
}

/** AbuseIPDB collects reports of abuse from victims: https://docs.abuseipdb.com/#check-endpoint. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const vendor: IpVendor = {
    id: "abuseipdb",
    label: "AbuseIPDB",
    score_metric: "abuse confidence score",
    risk_metric: "reports in 30 days",
    ipv6: true,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/api/v2/check`).pipe(
          HttpClientRequest.setUrlParams({ ipAddress: ip, maxAgeInDays: 30 }),
          HttpClientRequest.acceptJson,
          HttpClientRequest.setHeader("key", Redacted.value(api_key))
        ),
        schema: Answer,
        subject: ({ data }) => data.ipAddress,
        read
      })
  }
  return vendor
})

export const configured = whenConfigured("ABUSEIPDB", "https://api.abuseipdb.com", make)
