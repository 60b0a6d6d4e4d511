import { DateTime, Option } from "effect"

const endOfDay = ["23", "59", "59"] as const

/**
 * Reads a vendor's time: ISO 8601, `31.12.2026 10:00:00` or `2026-12-31 10:00:00`. A time without a zone is UTC. A day
 * without a time means the end of the day. Undefined: the text has none of these forms.
 */
export const parse = (text: string): DateTime.Utc | undefined => {
  const trimmed = text.trim()
  const [, day, month, year, , dottedTime] = /^(\d\d)\.(\d\d)\.(\d{4})([ T](.+))?$/.exec(trimmed) ?? []
  const [, isoDate, , isoTime] = /^(\d{4}-\d\d-\d\d)([ T](.+))?$/.exec(trimmed) ?? []
  const date = isoDate ?? (year && `${year}-${month}-${day}`)
  if (date === undefined) return undefined
  const time = dottedTime ?? isoTime ?? endOfDay.join(":")
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`
  return Option.getOrUndefined(DateTime.make(`${date}T${zoned}`))
}
