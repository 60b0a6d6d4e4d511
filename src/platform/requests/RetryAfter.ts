import { DateTime, Duration, Option } from "effect"

/** Reads the time to wait from a `Retry-After` header: seconds or a date (RFC 9110, section 10.2.3). */
export const parse = (header: string | undefined, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  const text = header?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Option.some(Duration.seconds(Number(text)))
  return Option.map(DateTime.make(new Date(text)), (at) => DateTime.distance(now, at))
}
