import { Effect } from "effect"
import * as Sandbox from "../../wallet/Sandbox.ts"
import * as AbuseIpdb from "./AbuseIpdb.ts"
import * as CrowdSec from "./CrowdSec.ts"
import * as GreyNoise from "./GreyNoise.ts"
import * as IpapiIs from "./IpapiIs.ts"
import * as IpQualityScore from "./IpQualityScore.ts"
import * as ProxycheckIo from "./ProxycheckIo.ts"
import * as SandboxVendors from "./SandboxVendors.ts"
import * as Scamalytics from "./Scamalytics.ts"

/** The vendors with a configured key. */
export const real = Effect.map(
  Effect.all([
    AbuseIpdb.configured,
    CrowdSec.configured,
    GreyNoise.configured,
    IpapiIs.configured,
    IpQualityScore.configured,
    ProxycheckIo.configured,
    Scamalytics.configured
  ]),
  (vendors) => vendors.flat()
)

/** The vendors to ask. Vendors of the sandbox are used only without real vendors, so that invented results never mix with real ones. */
export const all = Effect.gen(function* () {
  const vendors = yield* real
  return vendors.length === 0 && (yield* Sandbox.enabled) ? SandboxVendors.all : vendors
})
