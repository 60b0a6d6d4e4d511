import { DateTime, Duration } from "effect"

/** How long a provider may take for a call that costs money there. */
export const timeout = Duration.seconds(30)
/** How long whoever makes the call has the order or the change for themselves: longer than the call. */
export const lease = { seconds: 45 }
/** The pause before a provider that did nothing is asked again, or an unknown outcome is looked up again. */
export const pause = { seconds: 15 }
/** What is this old and was certainly not done, asked for once more in vain, is refunded. */
export const deadline = Duration.minutes(15)
/** A call whose outcome nobody could tell for this long is given up and refunded. */
export const patience = Duration.hours(1)

export const isOlder = (since: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc): boolean =>
  Duration.isGreaterThanOrEqualTo(DateTime.distance(since, now), age)
