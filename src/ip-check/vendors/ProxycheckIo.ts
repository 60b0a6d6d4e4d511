import { Effect, Option, Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { NetAddress } from "effect/net"
import { canonicalText } from "../../platform/outbound/PublicAddress.ts"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Score } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

/** The version of the answer format. A fixed version never changes. */
const version = "24-June-2026"

const Answer = Schema.StructWithRest(Schema.Struct({ status: Schema.Literals(["ok", "warning"]) }), [
  Schema.Record(Schema.String, Schema.Unknown)
])

const decodeEntry = Schema.decodeUnknownOption(
  Schema.Struct({
    detections: Schema.Struct({ risk: Score, proxy: Flag, vpn: Flag, tor: Flag, hosting: Flag, compromised: Flag })
  })
)

/** Finds the entry of an address. Its key is the address, and may be an uncompressed IPv6 address. */
const entryOf = (said: typeof Answer.Type, ip: string) =>
  Object.entries(said).find(
    ([name]) => Result.getOrUndefined(Result.map(NetAddress.ipFromString(name), canonicalText)) === ip
  )?.[1]

/** Divides the risk into the vendor's own levels. */
const divide = (risk: number) => {
  if (risk > 66) return { band: "high_risk", risk: "very dangerous" } as const
  return risk > 33 ? ({ band: "suspicious", risk: "high" } as const) : ({ band: "clean", risk: "low" } as const)
}

const read = (said: typeof Answer.Type, ip: string): Opinion | undefined => {
  const entry = Option.getOrUndefined(decodeEntry(entryOf(said, ip)))
  if (entry === undefined) return undefined
  const { compromised, hosting, proxy, risk, tor, vpn } = entry.detections
  return {
    ...divide(risk),
    score: risk,
    signals: {
      tor: tor === true,
      vpn: vpn === true,
      proxy_detected: proxy === true,
      datacenter: hosting === true,
      known_abuser: compromised === true
    }
  }
}

/** proxycheck.io, version 3: https://proxycheck.io/api/. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const vendor: IpVendor = {
    id: "proxycheck",
    label: "proxycheck.io",
    score_metric: "risk score",
    risk_metric: "risk level",
    ipv6: true,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/v3/${encodeURIComponent(ip)}`).pipe(
          // Without a tag, the vendor does not store the request.
          HttpClientRequest.setUrlParams({ key: Redacted.value(api_key), tag: 0, ver: version })
        ),
        schema: Answer,
        read: (said) => read(said, ip)
      })
  }
  return vendor
})

export const configured = whenConfigured("PROXYCHECK", "https://proxycheck.io", make)
