import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Maybe } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

const Network = Maybe(Schema.Struct({ abuser_score: Maybe(Schema.String) }))

const Answer = Schema.Struct({
  ip: Schema.String,
  is_abuser: Schema.Boolean,
  is_tor: Flag,
  is_vpn: Flag,
  is_proxy: Flag,
  is_datacenter: Flag,
  company: Network,
  asn: Network
})
type Answer = typeof Answer.Type

const levels = ["very low", "low", "elevated", "high", "very high"] as const

/** Reads the level from the share of abusive addresses in a network, such as `0.0183 (Elevated)`. */
const levelOf = ({ asn, company }: Answer) => {
  const told = /\((.+)\)/.exec(company?.abuser_score ?? asn?.abuser_score ?? "")?.[1]?.toLowerCase()
  return levels.find((level) => level === told)
}

const read = (said: Answer): Opinion => {
  const level = levelOf(said)
  const isNoticed = said.is_abuser || said.is_tor === true
  const isBadNetwork = level === "high" || level === "very high"
  return {
    band: isNoticed ? (isBadNetwork ? "high_risk" : "suspicious") : "clean",
    risk: level ?? "unknown",
    signals: {
      tor: said.is_tor === true,
      vpn: said.is_vpn === true,
      proxy_detected: said.is_proxy === true,
      datacenter: said.is_datacenter === true,
      known_abuser: said.is_abuser
    }
  }
}

/** ipapi.is publishes flags and the abuse level of the network, but no score of the address: https://ipapi.is/developers.html. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const vendor: IpVendor = {
    id: "ipapi_is",
    label: "ipapi.is",
    score_metric: "none published",
    risk_metric: "abuser level of the network",
    ipv6: true,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/`).pipe(
          HttpClientRequest.setUrlParams({ q: ip, key: Redacted.value(api_key) })
        ),
        schema: Answer,
        subject: (said) => said.ip,
        read
      })
  }
  return vendor
})

export const configured = whenConfigured("IPAPI_IS", "https://api.ipapi.is", make)
