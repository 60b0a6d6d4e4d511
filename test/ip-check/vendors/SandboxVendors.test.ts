import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { all } from "../../../src/ip-check/vendors/SandboxVendors.ts"

/** The band of each sandbox vendor, and its VPN signal. */
const saidOf = (ip: string) =>
  Effect.forEach(all, (vendor) =>
    Effect.map(Effect.result(vendor.ask(ip)), (answer) =>
      Result.isFailure(answer)
        ? "unavailable"
        : [answer.success.band, ...(answer.success.signals.vpn === true ? ["vpn"] : [])].join(" ")
    )
  )

const cases: ReadonlyArray<readonly [ips: ReadonlyArray<string>, said: ReadonlyArray<string>, name: string]> = [
  [["93.184.215.0", "8.8.8.99", "2606:2800::"], ["clean", "clean"], "0 to 99: clean"],
  [["8.8.8.100", "8.8.8.149", "2606:2800::8064"], ["clean", "clean vpn"], "100 to 149: a VPN, so suspicious"],
  [["8.8.8.150", "8.8.8.199"], ["suspicious", "clean"], "150 to 199: suspicious"],
  [["8.8.8.200", "8.8.8.239", "2606:2800::c8"], ["high_risk", "clean"], "200 to 239: risky"],
  [["8.8.8.240", "8.8.8.249"], ["unavailable", "clean"], "240 to 249: one vendor cannot be reached"],
  [
    ["8.8.8.250", "8.8.8.255", "2606:2800::ffff"],
    ["unavailable", "unavailable"],
    "250 to 255: no vendor can be reached"
  ]
]

for (const [ips, said, name] of cases)
  it.effect(`Sandbox vendors answer by the last byte of an address, ${name}`, () =>
    Effect.gen(function* () {
      for (const ip of ips) assert.deepStrictEqual(yield* saidOf(ip), said, ip)
    })
  )

it("Sandbox vendors are marked as such", () => {
  for (const { label } of all) assert.match(label, /^Sandbox /)
})
