import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { IpVendor, Opinion } from "./IpVendor.ts"
import { Flag, Maybe } from "./VendorAnswer.ts"
import * as CallVendor from "./CallVendor.ts"
import { configured as whenConfigured, type VendorSettings } from "./VendorSettings.ts"

const Answer = Schema.Struct({
  ip: Schema.String,
  noise: Schema.Boolean,
  riot: Flag,
  classification: Maybe(Schema.Literals(["malicious", "suspicious", "unknown", "benign"]))
})
type Answer = typeof Answer.Type

const NeverSeen = Schema.Struct({ noise: Schema.Literal(false) })

/** `noise`: the address scans the internet. `riot`: the address belongs to a known service. */
const bandOf = ({ classification, noise, riot }: Answer) => {
  if (classification === "malicious") return "high_risk"
  if (riot === true || classification === "benign") return "clean"
  return noise || classification === "suspicious" ? "suspicious" : "clean"
}

const read = (said: Answer): Opinion => ({
  band: bandOf(said),
  risk: said.classification ?? "unknown",
  signals: { known_abuser: said.classification === "malicious" }
})

/** GreyNoise observes scans of the internet: https://docs.greynoise.io/reference/getcommunityip. */
export const make = Effect.fnUntraced(function* ({ api_key, api_url, quota }: VendorSettings) {
  const call = yield* CallVendor.make([api_key])
  const vendor: IpVendor = {
    id: "greynoise",
    label: "GreyNoise",
    score_metric: "none published",
    risk_metric: "classification",
    ipv6: false,
    quota,
    ask: (ip) =>
      call({
        ip,
        request: HttpClientRequest.get(`${api_url}/v3/community/${encodeURIComponent(ip)}`).pipe(
          HttpClientRequest.acceptJson,
          HttpClientRequest.setHeader("key", Redacted.value(api_key))
        ),
        schema: Answer,
        subject: (said) => said.ip,
        read,
        unseen: { schema: NeverSeen, opinion: { band: "clean", risk: "not observed", signals: {} } }
      })
  }
  return vendor
})

export const configured = whenConfigured("GREYNOISE", "https://api.greynoise.io", make)
