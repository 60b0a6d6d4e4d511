import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import * as BilledCall from "../../src/provider/BilledCall.ts"
import type { ProviderProxy } from "../../src/provider/ProxyProvider.ts"

const paid_at = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const after = (duration: Duration.Input) => DateTime.addDuration(paid_at, duration)

const proxy = { provider_proxy_id: "one" } as ProviderProxy
const reason = "no"

/** Look-ups of this provider are certain two minutes and a half after the start of a call. */
const able: BilledCall.Abilities = { canAsk: true, find_settles_after: Duration.minutes(2) }

const none = { _tag: "None" } as const
const missing = { _tag: "Missing" } as const
const unavailable = { _tag: "Unavailable", reason } as const
const lookUpFailed = { _tag: "LookUpFailed", reason } as const

interface Case {
  readonly name: string
  readonly now: Duration.Input
  readonly answer: BilledCall.Answer
  /** Start of the last call after the payment. */
  readonly asked?: Duration.Input
  readonly call?: Partial<BilledCall.BilledCall>
  readonly provider?: Partial<BilledCall.Abilities>
  /** The tag, the refusal, and the time until the next call or look-up. */
  readonly proxy: string
  readonly change: string
}

const cases: ReadonlyArray<Case> = [
  { name: "a first call", now: 0, answer: none, proxy: "Ask", change: "Ask" },
  { name: "a first call just within the hour", now: "3599 seconds", answer: none, proxy: "Ask", change: "Ask" },
  { name: "a first call after an hour", now: "1 hour", answer: none, proxy: "Ask", change: "Refuse provider_down" },
  {
    name: "a first call that is of no use",
    now: "1 minute",
    answer: none,
    call: { obstacle: "gone" },
    proxy: "Refuse provider_refused",
    change: "Refuse provider_refused"
  },
  {
    name: "a first call that is of no use and an hour late",
    now: "1 hour",
    answer: none,
    call: { obstacle: "gone" },
    proxy: "Refuse provider_refused",
    change: "Refuse provider_down"
  },
  {
    name: "a first call of no use at a provider that is off",
    now: "1 minute",
    answer: none,
    call: { obstacle: "gone" },
    provider: { canAsk: false },
    proxy: "Refuse provider_refused",
    change: "Refuse provider_refused"
  },
  {
    name: "a provider that is off",
    now: "899 seconds",
    answer: none,
    provider: { canAsk: false },
    proxy: "AskAgain in 15 s",
    change: "AskAgain in 15 s"
  },
  {
    name: "a provider that is off for 15 minutes",
    now: "15 minutes",
    answer: none,
    provider: { canAsk: false },
    proxy: "Refuse provider_down",
    change: "Refuse provider_down"
  },
  {
    name: "a provider that is off while the customer waits",
    now: 0,
    answer: none,
    call: { isWaitedFor: true },
    provider: { canAsk: false },
    proxy: "Refuse provider_down",
    change: "Refuse provider_down"
  },
  { name: "a call without a known answer", now: "1 minute", asked: 0, answer: none, proxy: "LookUp", change: "LookUp" },
  {
    name: "a call without a known answer, of no use",
    now: "1 minute",
    asked: 0,
    answer: none,
    call: { obstacle: "gone" },
    proxy: "LookUp",
    change: "LookUp"
  },
  {
    name: "a call without a known answer, years ago",
    now: "1000 days",
    asked: 0,
    answer: none,
    proxy: "LookUp",
    change: "LookUp"
  },
  {
    name: "a call without a known answer that cannot be looked up",
    now: "3600 seconds",
    asked: "1 second",
    answer: none,
    provider: { find_settles_after: null },
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a call without a known answer that cannot be looked up for an hour",
    now: "3601 seconds",
    asked: "1 second",
    answer: none,
    provider: { find_settles_after: null },
    proxy: "Abandon",
    change: "Abandon"
  },
  {
    name: "a call that was not sent",
    now: "1 hour",
    asked: "59 minutes",
    answer: { _tag: "NotSent", reason },
    proxy: "AskAgain in 0 s",
    change: "AskAgain in 0 s"
  },
  { name: "a proxy", now: "2 hours", asked: 0, answer: { _tag: "Proxy", proxy }, proxy: "Apply", change: "Apply" },
  {
    name: "a refusal",
    now: "1 second",
    asked: 0,
    answer: { _tag: "Refused", reason },
    proxy: "Refuse provider_refused",
    change: "Refuse provider_refused"
  },
  {
    name: "a provider that is down",
    now: "899 seconds",
    asked: "898 seconds",
    answer: unavailable,
    proxy: "AskAgain in 15 s",
    change: "AskAgain in 15 s"
  },
  {
    name: "a provider that is down after 15 minutes",
    now: "900 seconds",
    asked: "899 seconds",
    answer: unavailable,
    proxy: "Refuse provider_down",
    change: "Refuse provider_down"
  },
  {
    name: "a provider that is down while the customer waits",
    now: "1 second",
    asked: 0,
    answer: unavailable,
    call: { isWaitedFor: true },
    proxy: "Refuse provider_down",
    change: "Refuse provider_down"
  },
  {
    name: "an unknown outcome",
    now: "30 seconds",
    asked: 0,
    answer: { _tag: "OutcomeUnknown", reason },
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "an unknown outcome, hours after the payment, while the customer waits",
    now: "5 hours",
    asked: "299 minutes",
    answer: { _tag: "OutcomeUnknown", reason },
    call: { isWaitedFor: true },
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that misses too early",
    now: "149 seconds",
    asked: 0,
    answer: missing,
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that misses for certain",
    now: "150 seconds",
    asked: 0,
    answer: missing,
    proxy: "AskAgain in 0 s",
    change: "AskAgain in 0 s"
  },
  {
    name: "a look-up that misses the first call for certain, after 15 minutes",
    now: "15 minutes",
    asked: "149 seconds",
    answer: missing,
    proxy: "AskAgain in 0 s",
    change: "Abandon"
  },
  {
    name: "a look-up that misses a repeated call too early",
    now: "15 minutes",
    asked: "751 seconds",
    answer: missing,
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that misses a repeated call for certain, within 15 minutes",
    now: "899 seconds",
    asked: "150 seconds",
    answer: missing,
    proxy: "AskAgain in 0 s",
    change: "AskAgain in 0 s"
  },
  {
    name: "a look-up that misses a repeated call for certain, after 15 minutes",
    now: "15 minutes",
    asked: "150 seconds",
    answer: missing,
    proxy: "Abandon",
    change: "Abandon"
  },
  {
    name: "a look-up that misses at a provider without look-ups",
    now: "2 hours",
    asked: 0,
    answer: missing,
    provider: { find_settles_after: null },
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that fails",
    now: "3600 seconds",
    asked: "1 second",
    answer: lookUpFailed,
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that fails for an hour",
    now: "3601 seconds",
    asked: "1 second",
    answer: lookUpFailed,
    proxy: "Abandon",
    change: "Abandon"
  },
  {
    name: "a look-up that fails at a provider that delivers within 4 hours",
    now: "239 minutes",
    asked: 0,
    answer: lookUpFailed,
    provider: { delivers_within: Duration.hours(4) },
    proxy: "LookUpAgain in 15 s",
    change: "LookUpAgain in 15 s"
  },
  {
    name: "a look-up that fails for as long as the provider may take to deliver",
    now: "4 hours",
    asked: 0,
    answer: lookUpFailed,
    provider: { delivers_within: Duration.hours(4) },
    proxy: "Abandon",
    change: "Abandon"
  }
]

const words = (step: BilledCall.Step, now: DateTime.Utc) => {
  if (step._tag === "Refuse") return `Refuse ${step.refusal}`
  if (step._tag === "AskAgain" || step._tag === "LookUpAgain")
    return `${step._tag} in ${Duration.toSeconds(DateTime.distance(now, step.at))} s`
  return step._tag
}

const stepOf = (buys: BilledCall.BilledCall["buys"], { answer, asked, call, now, provider }: Case) => {
  const asked_at = asked === undefined ? null : after(asked)
  const plain = { buys, paid_at, asked_at, answer, obstacle: null, isWaitedFor: false }
  return BilledCall.next({ ...plain, ...call }, { ...able, ...provider }, after(now))
}

describe("BilledCall", () => {
  it.each(cases)("$name: the purchase goes on with $proxy, the change with $change", (one) => {
    assert.strictEqual(words(stepOf("proxy", one), after(one.now)), one.proxy)
    assert.strictEqual(words(stepOf("change", one), after(one.now)), one.change)
  })

  it("hands the proxy of an answer on", () => {
    const step = stepOf("proxy", { name: "", now: 0, answer: { _tag: "Proxy", proxy }, proxy: "", change: "" })
    assert.deepStrictEqual(step, { _tag: "Apply", proxy })
  })

  it.each([unavailable, lookUpFailed, { _tag: "Refused", reason } as const])("keeps the reason of $_tag", (answer) => {
    const step = stepOf("change", { name: "", now: 0, asked: 0, answer, proxy: "", change: "" })
    assert.include(step, { reason })
  })
})
