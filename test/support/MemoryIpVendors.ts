import { Context, Effect, Layer } from "effect"
import { IpVendors } from "../../src/ip-check/vendors/IpVendors.ts"
import type { VendorReport, VendorRow } from "../../src/ip-check/signals/VendorReport.ts"

type Answer = Effect.Effect<ReadonlyArray<VendorReport>>
type Row = Extract<VendorRow, { status: "ok" }>

const source = (vendor: string) => ({
  vendor,
  label: `Memory ${vendor}`,
  score_metric: "A number",
  risk_metric: "A word",
  score_derived: false
})

/** A vendor's answer; by default the address is clean, with a score of 5. */
export const report = (
  vendor: string,
  said: Partial<Pick<Row, "band" | "score" | "risk">> = {},
  signals: VendorReport["signals"] = {}
): VendorReport => ({
  row: { ...source(vendor), status: "ok", band: "clean", score: 5, risk: "low", ...said },
  signals,
  raw: { status_code: 200, body: JSON.stringify({ vendor, ...said }) }
})

export const unavailable = (vendor: string): VendorReport => ({
  row: { ...source(vendor), status: "unavailable" },
  signals: {},
  raw: null
})

/** Two vendors in memory. They know nothing bad until a test sets another answer. */
const make = () => {
  const asked: Array<string> = []
  const clean: Answer = Effect.succeed([report("one"), report("two")])
  let answer = clean
  let isConfigured = true

  return {
    vendors: {
      labels: ["Memory one", "Memory two"],
      isSandbox: false,
      canAnswer: () => Effect.succeed(true),
      supports: () => isConfigured,
      ask: (ip: string) =>
        Effect.suspend(() => {
          asked.push(ip)
          return answer
        })
    },
    /** The number of questions about an address. */
    timesAsked: (ip: string) => asked.filter((other) => other === ip).length,
    /** Sets whether the service has any vendor. */
    setConfigured: (next: boolean) => void (isConfigured = next),
    /** Sets the answer to all later questions; without an argument, the first answer again. */
    setAnswer: (next: Answer = clean) => void (answer = next)
  }
}

export class MemoryIpVendors extends Context.Service<MemoryIpVendors, ReturnType<typeof make>>()(
  "test/MemoryIpVendors"
) {
  /** The vendors, and an `IpVendors` of these vendors only. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const memory = make()
      return Context.make(MemoryIpVendors, memory).pipe(Context.add(IpVendors, memory.vendors))
    })
  )
}
