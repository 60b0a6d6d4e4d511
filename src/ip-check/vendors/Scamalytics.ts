import { Config, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { missing } from "../../platform/settings/MissingSetting.ts"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Maybe, Score } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, secret, type VendorSettings } from "./VendorSettings.ts"

const Sources = Maybe(
  Schema.Struct({
    x4bnet: Maybe(Schema.Struct({ is_tor: Flag })),
    ip2proxy: Maybe(Schema.Struct({ proxy_type: Maybe(Schema.String) }))
  })
)

const Answer = Schema.Struct({
  scamalytics: Schema.Struct({
    status: Schema.optionalKey(Schema.Literals(["ok", "success"])),
    ip: Maybe(Schema.String),
    scamalytics_score: Score,
    scamalytics_risk: Schema.Literals(["low", "medium", "high", "very high"]),
    scamalytics_proxy: Maybe(Schema.Struct({ is_datacenter: Flag, is_vpn: Flag, is_tor: Flag, is_proxy: Flag })),
    is_blacklisted_external: Flag,
    external_datasources: Sources
  }),
  external_datasources: Sources
})

/**
 * The score mostly describes the provider of the address, not the address itself. A high score is only suspicious, unless
 * external lists contain the address.
 */
const bandOf = ({ is_blacklisted_external, scamalytics_risk: risk }: (typeof Answer.Type)["scamalytics"]) => {
  if (risk === "low") return "clean"
  return risk !== "medium" && is_blacklisted_external === true ? "high_risk" : "suspicious"
}

const read = ({ external_datasources, scamalytics }: typeof Answer.Type): Opinion => {
  const { is_blacklisted_external, scamalytics_proxy: proxy = {} } = scamalytics
  const sources = external_datasources ?? scamalytics.external_datasources ?? {}
  const type = sources.ip2proxy?.proxy_type
  return {
    band: bandOf(scamalytics),
    risk: scamalytics.scamalytics_risk,
    score: scamalytics.scamalytics_score,
    signals: {
      // Each source misses Tor exits that the others contain.
      tor: proxy.is_tor === true || sources.x4bnet?.is_tor === true || type === "TOR",
      vpn: proxy.is_vpn === true || type === "VPN",
      proxy_detected: proxy.is_proxy === true || type === "PUB" || type === "WEB",
      datacenter: proxy.is_datacenter === true || type === "DCH",
      known_abuser: is_blacklisted_external === true
    }
  }
}

/** Scamalytics, version 3: https://scamalytics.com/ip/api. Each account has its own host. */
export const make = Effect.fnUntraced(function* (user: Redacted.Redacted, { api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key, user])
  const vendor: IpVendor = {
    id: "scamalytics",
    label: "Scamalytics",
    score_metric: "fraud score",
    risk_metric: "fraud risk",
    ipv6: true,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/v3/${encodeURIComponent(Redacted.value(user))}/`).pipe(
          HttpClientRequest.setUrlParams({ key: Redacted.value(api_key), ip })
        ),
        schema: Answer,
        subject: (said) => said.scamalytics.ip,
        read
      })
  }
  return vendor
})

export const configured = Effect.gen(function* () {
  const user = Option.getOrUndefined(yield* Config.option(secret("SCAMALYTICS_USER")))
  const key = yield* Config.option(Config.String("SCAMALYTICS_API_KEY"))
  if ((user === undefined) === Option.isSome(key)) {
    const [lacking, given] = user === undefined ? ["USER", "API_KEY"] : ["API_KEY", "USER"]
    return yield* Effect.fail(
      missing([`SCAMALYTICS_${lacking}`], `SCAMALYTICS_${given} is set and needs it (docs/ip-reputation.md)`)
    )
  }
  if (user === undefined) return []
  return yield* whenConfigured("SCAMALYTICS", "https://api11.scamalytics.com", (settings) => make(user, settings))
})
