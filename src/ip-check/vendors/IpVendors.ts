import { Cause, Context, DateTime, Duration, Effect, Layer } from "effect"
import { isIPv6 } from "node:net"
import * as Failure from "../../platform/errors/Failure.ts"
import * as ConfiguredVendors from "./ConfiguredVendors.ts"
import { type Finding, type IpVendor, VendorUnavailable } from "./IpVendor.ts"
import * as BreakCircuit from "./BreakCircuit.ts"
import type { Band, VendorReport } from "../signals/VendorReport.ts"
import { VendorUsageRepo } from "./VendorUsageRepo.ts"

/** The time limit of all vendors together. */
const patience = Duration.seconds(3)
/** The part of the time limit that counting the calls may take. */
const countingLimit = Duration.seconds(1)

/** The score for a band, when the vendor publishes no score: the midpoint of a third of 0 to 100. */
const midpoints: Record<Band, number> = { clean: 16, suspicious: 50, high_risk: 83 }

const sourceOf = ({ id, label, risk_metric, score_metric }: IpVendor) => ({
  vendor: id,
  label,
  score_metric,
  risk_metric
})

const answered = (vendor: IpVendor, { band, raw, risk, score, signals }: Finding): VendorReport => {
  const rounded = Math.round(score ?? midpoints[band])
  return {
    row: { ...sourceOf(vendor), score_derived: score === undefined, status: "ok", band, score: rounded, risk },
    signals,
    raw
  }
}

const unavailable = (vendor: IpVendor, raw: VendorReport["raw"]): VendorReport => ({
  row: { ...sourceOf(vendor), score_derived: false, status: "unavailable" },
  signals: {},
  raw
})

/** True when at least half of the vendors answered, and at least one (docs/contract.md, "IP reputation checks"). */
export const isEnough = ({ answered, asked }: { readonly answered: number; readonly asked: number }) =>
  answered > 0 && answered * 2 >= asked

const hasQuota = ({ quota }: IpVendor) => quota.per_day !== undefined || quota.per_month !== undefined

const from = Effect.fnUntraced(function* (vendors: ReadonlyArray<IpVendor>) {
  const usage = yield* VendorUsageRepo
  const breaker = yield* BreakCircuit.make

  /** Counts the calls to vendors with a quota, and drops the vendors whose quota is used up. */
  const withinQuota = Effect.fnUntraced(function* (wanted: ReadonlyArray<IpVendor>) {
    const limited = wanted.filter(hasQuota)
    if (limited.length === 0) return wanted
    const taken = yield* usage.take(limited, yield* DateTime.now).pipe(
      Effect.timeout(countingLimit),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError(...Failure.logLine("Cannot count the calls to IP reputation vendors", cause)),
          undefined
        )
      )
    )
    if (taken === undefined) return wanted.filter((vendor) => !hasQuota(vendor))
    const refused = limited.filter(({ id }) => !taken.has(id)).map(({ label }) => label)
    if (refused.length > 0) yield* Effect.logInfo(`Cannot ask ${refused.join(", ")}: the quota is used up`)
    return wanted.filter((vendor) => !hasQuota(vendor) || taken.has(vendor.id))
  })

  const allowed = Effect.fnUntraced(function* (wanted: ReadonlyArray<IpVendor>) {
    const open = yield* Effect.filter(wanted, ({ id }) => breaker.isOpen(id))
    return new Set(yield* withinQuota(wanted.filter((vendor) => !open.includes(vendor))))
  })

  const guarded = (vendor: IpVendor, call: Effect.Effect<Finding, VendorUnavailable>, left: Duration.Duration) =>
    call.pipe(
      Effect.timeoutOrElse({
        duration: left,
        orElse: () => Effect.fail(new VendorUnavailable({ reason: "no answer in time", raw: null }))
      }),
      Effect.tapError(({ reason }) => Effect.logWarning(`${vendor.label} is unavailable: ${reason}`)),
      (limited) => breaker.run(vendor.id, limited)
    )

  const reportOf = (vendor: IpVendor, ip: string, left: Duration.Duration) =>
    (vendor.isSandbox === true ? vendor.ask(ip) : guarded(vendor, vendor.ask(ip), left)).pipe(
      Effect.map((finding) => answered(vendor, finding)),
      Effect.catchTag("VendorUnavailable", ({ raw }) => Effect.succeed(unavailable(vendor, raw))),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError(...Failure.logLine(`Cannot ask ${vendor.label}`, Cause.die(defect))),
          unavailable(vendor, null)
        )
      )
    )

  const forAddress = (ip: string) => vendors.filter(({ ipv6 }) => ipv6 || !isIPv6(ip))

  const canAnswer = Effect.fn("IpVendors.canAnswer")(function* (ip: string) {
    const wanted = forAddress(ip)
    const open = yield* Effect.filter(wanted, ({ id }) => breaker.isOpen(id))
    return isEnough({ asked: wanted.length, answered: wanted.length - open.length })
  })

  const ask = Effect.fn("IpVendors.ask")(function* (ip: string) {
    const wanted = forAddress(ip)
    const [taken, permitted] = yield* Effect.timed(allowed(wanted))
    const left = Duration.subtract(patience, taken)
    return yield* Effect.forEach(
      wanted,
      (vendor) => (permitted.has(vendor) ? reportOf(vendor, ip, left) : Effect.succeed(unavailable(vendor, null))),
      { concurrency: "unbounded" }
    )
  })

  return IpVendors.of({
    ask,
    canAnswer,
    supports: (ip) => forAddress(ip).length > 0,
    labels: vendors.map(({ label }) => label),
    isSandbox: vendors.some(({ isSandbox }) => isSandbox === true)
  })
})

/** Asks all vendors about an address at the same time. */
export class IpVendors extends Context.Service<
  IpVendors,
  {
    /** The names of the vendors, for the operator. */
    readonly labels: ReadonlyArray<string>
    /** True when the vendors include sandbox vendors. */
    readonly isSandbox: boolean
    /** True when at least one vendor supports the IP version of the address. */
    readonly supports: (ip: string) => boolean
    /** True when enough vendors that support its IP version can be asked for a valid check. */
    readonly canAnswer: (ip: string) => Effect.Effect<boolean>
    /**
     * Returns one report of each vendor that supports the IP version of the address. Never fails, and ends within 3 seconds.
     * The address is in canonical form.
     */
    readonly ask: (ip: string) => Effect.Effect<ReadonlyArray<VendorReport>>
  }
>()("app/ip-check/IpVendors") {
  static readonly layerOf = (...vendors: ReadonlyArray<IpVendor>) => Layer.effect(IpVendors, from(vendors))

  static readonly layerNoDeps = Layer.effect(IpVendors, Effect.flatMap(ConfiguredVendors.all, from))

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(VendorUsageRepo.layer))
}
