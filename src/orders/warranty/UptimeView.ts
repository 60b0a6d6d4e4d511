import { DateTime, Option, Schema } from "effect"
import type { OrderId } from "../Order.ts"
import { Outage } from "./Outage.ts"
import { ProbeStatus, Vantage } from "./Probe.ts"
import { healthOf, type ProxyHealth } from "./ProxyHealth.ts"
import type { ProbeHour } from "./ProxyHealthRepo.ts"

const Time = Schema.NullOr(Schema.String)
const Milliseconds = Schema.NullOr(Schema.Int)

/** How a proxy did in the last days, by hour and vantage. */
export const UptimeView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  status: ProbeStatus.annotate({
    description:
      "`failing`: the last three tries failed from every vantage outside. `unknown`: it was not tried, or failed once or twice"
  }),
  tried_at: Time.annotate({ description: "The last try", examples: ["2026-01-31T12:00:00.000Z"] }),
  failing_since: Time.annotate({ description: "The first failure in a row; `null` while the proxy works" }),
  from_at: Schema.String.annotate({ description: "Inclusive start, UTC" }),
  uptime_percent: Schema.NullOr(Schema.Finite).annotate({
    description: "The share of tries from outside that worked; `null` without tries",
    examples: [99.86]
  }),
  auto_replace: Schema.Boolean.annotate({
    description: "True: the service replaces the proxy without a request when it fails for half an hour"
  }),
  outages: Schema.Array(
    Schema.Struct({
      from_at: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T12:00:00.000Z"] }),
      to_at: Time.annotate({ description: "`null` while it lasts" }),
      ended_by: Outage.fields.ended_by.annotate({
        description:
          "`works`: the proxy works again. `replaced`: it has another address. `ended`: its time is over. `untried`: it was not tried any more"
      }),
      error: Schema.String.annotate({ description: "The reason of the failures, as in a check", examples: ["timeout"] })
    })
  ).annotate({ description: "The outages of this time, the newest first, at most 100" }),
  hours: Schema.Array(
    Schema.Struct({
      hour: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T12:00:00.000Z"] }),
      vantage: Vantage,
      probes: Schema.Int,
      failures: Schema.Int,
      connect_ms: Milliseconds.annotate({ description: "The average of the tries that worked" }),
      first_byte_ms: Milliseconds.annotate({ description: "The same until the answer" })
    })
  ).annotate({ description: "The hours with tries, the oldest first" })
}).annotate({ identifier: "ProxyUptime" })
export type UptimeView = typeof UptimeView.Type

const average = (sum: bigint, { failures, probes }: ProbeHour) =>
  probes === failures ? null : Math.round(Number(sum) / (probes - failures))

const percentOf = (hours: ReadonlyArray<ProbeHour>) => {
  const outside = hours.filter(({ vantage }) => vantage !== "self")
  const probes = outside.reduce((sum, hour) => sum + hour.probes, 0)
  const failures = outside.reduce((sum, hour) => sum + hour.failures, 0)
  return probes === 0 ? null : Math.floor(((probes - failures) * 10_000) / probes) / 100
}

/** The latest or the earliest of some times. */
const pick = (
  times: ReadonlyArray<DateTime.Utc | null>,
  of: (one: DateTime.Utc, other: DateTime.Utc) => DateTime.Utc
) =>
  times.reduce<DateTime.Utc | null>((found, time) => {
    if (found === null || time === null) return found ?? time
    return of(found, time)
  }, null)

const text = (time: DateTime.Utc | null) =>
  Option.getOrNull(Option.map(Option.fromNullOr(time), (at) => DateTime.formatIso(at)))

interface Known {
  readonly health: ReadonlyArray<ProxyHealth>
  readonly hours: ReadonlyArray<ProbeHour>
  readonly outages: ReadonlyArray<Outage>
  readonly auto_replace: boolean
}

export const uptimeView = (
  order_id: OrderId,
  since: DateTime.Utc,
  { auto_replace, health, hours, outages }: Known
): UptimeView => {
  const status = healthOf(health)
  const outside = health.filter(({ vantage }) => vantage !== "self")
  const failing =
    status === "ok"
      ? null
      : pick(
          outside.map(({ failing_since }) => failing_since),
          DateTime.min
        )
  return {
    order_id,
    status,
    tried_at: text(
      pick(
        health.map(({ tried_at }) => tried_at),
        DateTime.max
      )
    ),
    failing_since: text(failing),
    from_at: DateTime.formatIso(since),
    uptime_percent: percentOf(hours),
    auto_replace,
    outages: outages.map(({ ended_by, error, from_at, to_at }) => ({
      from_at: DateTime.formatIso(from_at),
      to_at: text(to_at),
      ended_by,
      error
    })),
    hours: hours.map((hour) => ({
      hour: DateTime.formatIso(hour.hour),
      vantage: hour.vantage,
      probes: hour.probes,
      failures: hour.failures,
      connect_ms: average(hour.connect_ms, hour),
      first_byte_ms: average(hour.first_byte_ms, hour)
    }))
  }
}
