import { DateTime, Duration, Option } from "effect"

/** How long whoever sent a `Retry-After` header wants to be left alone: seconds or a date (RFC 9110, section 10.2.3). */
export const parse = (header: string | undefined, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  const text = header?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Option.some(Duration.seconds(Number(text)))
  return Option.map(DateTime.make(new Date(text)), (at) => DateTime.distance(now, at))
}
