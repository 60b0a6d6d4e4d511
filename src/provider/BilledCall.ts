import { DateTime, Duration } from "effect"
import type { ChangedProxy } from "./ProxyProvider.ts"

/** Time limit of one call that costs money at the provider. */
export const timeout = Duration.seconds(30)
/** Time for which one process holds the order or the proxy change that it makes the call for: longer than the call. */
export const lease = { seconds: 45 }
/** Pause before the next call or the next look-up. */
const pause = { seconds: 15 }
/** Age from which a call that certainly did not happen is refunded instead of made again. */
export const deadline = Duration.minutes(15)
/** Age from which a call with an unknown outcome is refunded; a provider may need longer to deliver a proxy. */
export const patience = Duration.hours(1)

export const isOlder = (since: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc): boolean =>
  Duration.isGreaterThanOrEqualTo(DateTime.distance(since, now), age)

/** The last answer of the provider. The reason goes on record and into the log. */
export type Answer =
  /** No answer yet: the provider was not asked, or the process that asked has died. */
  | { readonly _tag: "None" }
  /** The call did not leave: preparing it took too long. */
  | { readonly _tag: "NotSent"; readonly reason: string }
  /** The call succeeded, or the look-up found its result. */
  | { readonly _tag: "Proxy"; readonly proxy: ChangedProxy }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The provider certainly did nothing. */
  | { readonly _tag: "Unavailable"; readonly reason: string }
  | { readonly _tag: "OutcomeUnknown"; readonly reason: string }
  /** The look-up found nothing. */
  | { readonly _tag: "Missing" }
  | { readonly _tag: "LookUpFailed"; readonly reason: string }

/** A call that costs money at the provider, as it stands. */
export interface BilledCall {
  readonly buys: "proxy" | "change"
  readonly paid_at: DateTime.Utc
  /** Start of the last call; null while the provider has certainly done nothing. */
  readonly asked_at: DateTime.Utc | null
  readonly answer: Answer
  /** The reason why the customer can no longer use what was paid for; null when the customer can. */
  readonly obstacle: string | null
  /** True while the customer's request waits for the outcome. */
  readonly isWaitedFor: boolean
}

/** Abilities of the provider for one call. */
export interface Abilities {
  /** False when the provider is switched off, or does not offer the call. */
  readonly canAsk: boolean
  /** The time after a call until a look-up certainly finds its result; null when the provider cannot look it up. */
  readonly find_settles_after: Duration.Duration | null
  /** The time that the provider may take to deliver; `patience` when absent. */
  readonly delivers_within?: Duration.Duration | undefined
}

/** The moment of the next call or look-up, and why it is needed. */
export interface Again {
  readonly at: DateTime.Utc
  readonly reason: string
}

export type Step =
  | { readonly _tag: "Ask" }
  | { readonly _tag: "LookUp" }
  /** Hand out what the provider delivered. */
  | { readonly _tag: "Apply"; readonly proxy: ChangedProxy }
  /** The provider certainly did nothing: ask again at `at`. */
  | ({ readonly _tag: "AskAgain" } & Again)
  /** The provider may have done it: look it up at `at`. */
  | ({ readonly _tag: "LookUpAgain" } & Again)
  /** The provider did nothing and never will: refund. */
  | { readonly _tag: "Refuse"; readonly refusal: "provider_refused" | "provider_down"; readonly reason: string }
  /** The outcome stays unknown: refund, and release a proxy that turns up later. */
  | { readonly _tag: "Abandon"; readonly reason: string }

/** Differences between the purchase of a proxy and a proxy change. */
const rules = {
  /** A late proxy is as good as an early one. After an outage of this service the provider gets one more call. */
  proxy: { firstCallWithin: Duration.infinity, hasOneMoreCall: true },
  /** The terms of a change fit the proxy as it was when the customer paid. */
  change: { firstCallWithin: patience, hasOneMoreCall: false }
}

/**
 * Decides the next step of a billed call. A call is repeated only when the provider certainly did nothing.
 *
 * | Last answer       | Condition (the first match decides)                  | Next step                   |
 * | ----------------- | ---------------------------------------------------- | --------------------------- |
 * | None, never asked | a change, paid an hour ago                           | Refuse                      |
 * |                   | the customer can no longer use it                    | Refuse                      |
 * |                   | the provider is off, or does not offer the call      | as Unavailable              |
 * |                   | otherwise                                            | Ask                         |
 * | None, asked       | the provider can look it up                          | LookUp                      |
 * |                   | otherwise                                            | as LookUpFailed             |
 * | NotSent           |                                                      | AskAgain immediately        |
 * | Proxy             |                                                      | Apply                       |
 * | Refused           |                                                      | Refuse                      |
 * | Unavailable       | the customer waits, or paid 15 minutes ago           | Refuse                      |
 * |                   | otherwise                                            | AskAgain after the pause    |
 * | OutcomeUnknown    |                                                      | LookUpAgain after the pause |
 * | Missing           | the call may still take effect                       | LookUpAgain after the pause |
 * |                   | paid 15 minutes ago (a proxy: and asked for twice)   | Abandon                     |
 * |                   | otherwise                                            | AskAgain immediately        |
 * | LookUpFailed      | asked an hour ago, or the provider's own limit ago   | Abandon                     |
 * |                   | otherwise                                            | LookUpAgain after the pause |
 */
export const next = (call: BilledCall, provider: Abilities, now: DateTime.Utc): Step => {
  const { answer } = call
  switch (answer._tag) {
    case "None":
      return call.asked_at === null ? neverAsked(call, provider, now) : outcomeLost(call, provider, now)
    case "NotSent":
      return { _tag: "AskAgain", at: now, reason: answer.reason }
    case "Proxy":
      return { _tag: "Apply", proxy: answer.proxy }
    case "Refused":
      return { _tag: "Refuse", refusal: "provider_refused", reason: answer.reason }
    case "Unavailable":
      return unavailable(call, answer.reason, now)
    case "OutcomeUnknown":
      return lookUpAgain(answer.reason, now)
    case "Missing":
      return missing(call, provider, now)
    case "LookUpFailed":
      return lookUpFailed(call, provider, answer.reason, now)
  }
}

const lookUpAgain = (reason: string, now: DateTime.Utc): Step => ({
  _tag: "LookUpAgain",
  at: DateTime.add(now, pause),
  reason
})

const neverAsked = (call: BilledCall, { canAsk }: Abilities, now: DateTime.Utc): Step => {
  if (isOlder(call.paid_at, rules[call.buys].firstCallWithin, now))
    return { _tag: "Refuse", refusal: "provider_down", reason: "the provider was not asked in time" }
  if (call.obstacle !== null) return { _tag: "Refuse", refusal: "provider_refused", reason: call.obstacle }
  if (!canAsk) return unavailable(call, "the provider is switched off, or does not offer this", now)
  return { _tag: "Ask" }
}

const outcomeLost = (call: BilledCall, provider: Abilities, now: DateTime.Utc): Step =>
  provider.find_settles_after === null
    ? lookUpFailed(call, provider, "the provider cannot look this up", now)
    : { _tag: "LookUp" }

const unavailable = (call: BilledCall, reason: string, now: DateTime.Utc): Step =>
  call.isWaitedFor || isOlder(call.paid_at, deadline, now)
    ? { _tag: "Refuse", refusal: "provider_down", reason }
    : { _tag: "AskAgain", at: DateTime.add(now, pause), reason }

const missing = (call: BilledCall, provider: Abilities, now: DateTime.Utc): Step => {
  const askedAt = call.asked_at ?? call.paid_at
  const certainAfter = Duration.sum(timeout, provider.find_settles_after ?? Duration.infinity)
  if (!isOlder(askedAt, certainAfter, now)) return lookUpAgain("the provider does not know this yet", now)
  const reason = "the provider does not know this"
  const isRepeated = isOlder(call.paid_at, certainAfter, askedAt)
  const isLast = isRepeated || !rules[call.buys].hasOneMoreCall
  return isLast && isOlder(call.paid_at, deadline, now)
    ? { _tag: "Abandon", reason }
    : { _tag: "AskAgain", at: now, reason }
}

const lookUpFailed = (call: BilledCall, { delivers_within }: Abilities, reason: string, now: DateTime.Utc): Step =>
  isOlder(call.asked_at ?? call.paid_at, delivers_within ?? patience, now)
    ? { _tag: "Abandon", reason }
    : lookUpAgain(reason, now)
