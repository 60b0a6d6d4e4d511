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

/** The vendors that have a key. */
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

/** The vendors to ask. Those of the sandbox stand in for real ones and never beside them: what is made up decides nothing real. */
export const all = Effect.gen(function* () {
  const vendors = yield* real
  return vendors.length === 0 && (yield* Sandbox.enabled) ? SandboxVendors.all : vendors
})
