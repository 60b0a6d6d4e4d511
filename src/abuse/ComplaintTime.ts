import { Schema } from "effect"

/** The time of a complaint with its zone, because a time without one may be hours away. */
export const ComplaintTime = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/, {
    expected: "a time with its zone, such as 2027-01-31T12:00:00Z or 2027-01-31T13:00:00+01:00"
  })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
