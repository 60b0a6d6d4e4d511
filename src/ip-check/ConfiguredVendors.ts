import { Effect } from "effect"
import * as Sandbox from "../wallet/Sandbox.ts"
import * as AbuseIpdb from "./vendors/AbuseIpdb.ts"
import * as CrowdSec from "./vendors/CrowdSec.ts"
import * as GreyNoise from "./vendors/GreyNoise.ts"
import * as IpapiIs from "./vendors/IpapiIs.ts"
import * as IpQualityScore from "./vendors/IpQualityScore.ts"
import * as ProxycheckIo from "./vendors/ProxycheckIo.ts"
import * as SandboxVendors from "./vendors/SandboxVendors.ts"
import * as Scamalytics from "./vendors/Scamalytics.ts"

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
