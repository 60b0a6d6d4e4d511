import { Effect } from "effect"
import { type Finding, type IpVendor, type Opinion, VendorUnavailable } from "./IpVendor.ts"

/** The last byte of an address. It alone decides the answers of the sandbox. */
const lastByte = (ip: string) =>
  ip.includes(":") ? Number.parseInt(ip.slice(ip.lastIndexOf(":") + 1) || "0", 16) & 255 : Number(ip.split(".")[3])

type Rule = readonly [upTo: number, opinion: Opinion | undefined]

const clean: Opinion = { band: "clean", risk: "low", score: 5, signals: {} }

/** Opinions by the last byte, up to and including the number. Undefined: the vendor does not answer. */
const reputation: ReadonlyArray<Rule> = [
  [149, clean],
  [199, { band: "suspicious", risk: "medium", score: 55, signals: { proxy_detected: true, datacenter: true } }],
  [239, { band: "high_risk", risk: "high", score: 90, signals: { known_abuser: true, recent_abuse: true } }],
  [255, undefined]
]

const anonymity: ReadonlyArray<Rule> = [
  [99, { ...clean, signals: { datacenter: true } }],
  [149, { ...clean, signals: { vpn: true, proxy_detected: true } }],
  [249, clean],
  [255, undefined]
]

const vendorOf = (
  id: string,
  label: string,
  rules: ReadonlyArray<Rule>,
  publish: (opinion: Opinion) => Opinion
): IpVendor => ({
  id,
  label,
  score_metric: "made up from the address",
  risk_metric: "made up from the address",
  ipv6: true,
  quota: { per_day: undefined, per_month: undefined },
  isSandbox: true,
  ask: Effect.fnUntraced(function* (ip: string): Effect.fn.Return<Finding, VendorUnavailable> {
    const opinion = rules.find(([upTo]) => lastByte(ip) <= upTo)?.[1]
    if (opinion === undefined)
      return yield* new VendorUnavailable({ reason: "the sandbox simulates a failure", raw: null })
    return { ...publish(opinion), raw: null }
  })
})

const withoutScore = ({ band, risk, signals }: Opinion): Opinion => ({ band, risk, signals })

/** Two vendors that invent all kinds of answers (docs/ip-reputation.md). Only their ids begin with `sandbox_`. */
export const all: ReadonlyArray<IpVendor> = [
  vendorOf("sandbox_reputation", "Sandbox reputation", reputation, (opinion) => opinion),
  vendorOf("sandbox_anonymity", "Sandbox anonymity", anonymity, withoutScore)
]
