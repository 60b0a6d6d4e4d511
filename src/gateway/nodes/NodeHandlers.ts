import { Clock, DateTime, Deferred, Effect, Exit, type Queue, Stream } from "effect"
import { randomBytes } from "node:crypto"
import type { GatewayNodeId, GatewayNodeState } from "../GatewayNode.ts"
import type { NodeControl, NodeRun } from "../NodeControl.ts"
import { NodeRpcs } from "../NodeRpcs.ts"
import type { TrafficReport } from "../TrafficReport.ts"
import { watch } from "./NodeChanges.ts"
import type { NodeSessionsRepo } from "./NodeSessionsRepo.ts"

const hourSeconds = 3_600
/** A node may report the traffic of this time, because the centre may have been away. */
const pastHours = 72

interface Parts {
  readonly node: GatewayNodeId
  readonly session: string
  readonly repo: NodeSessionsRepo["Service"]
  readonly control: NodeControl["Service"]
  readonly wakes: Queue.Dequeue<void>
  /** Ends the former epochs of the node, and remembers how the following ones run. */
  readonly begin: (run: NodeRun) => Effect.Effect<void>
}

/** Moves hours that cannot be right to the nearest one that can. */
const withHours = (report: TrafficReport, now: number): TrafficReport => {
  const last = Math.floor(now / 1_000 / hourSeconds) * hourSeconds + hourSeconds
  const first = last - pastHours * hourSeconds
  return {
    ...report,
    hours: report.hours
      .filter(({ bytes }) => bytes > 0)
      .map((hour) => {
        const clamped = Math.min(last, Math.max(first, hour.hour_seconds))
        return { ...hour, hour_seconds: clamped - (clamped % hourSeconds) }
      })
  }
}

/** Joins the hours of a report that have become the same. */
const joined = (report: TrafficReport): TrafficReport => {
  const sums = new Map<string, TrafficReport["hours"][number]>()
  for (const hour of report.hours) {
    const key = `${hour.hour_seconds} ${hour.cycle}`
    sums.set(key, { ...hour, bytes: hour.bytes + (sums.get(key)?.bytes ?? 0) })
  }
  return { ...report, hours: [...sums.values()] }
}

const answer = (state: GatewayNodeState) => Effect.map(Clock.currentTimeMillis, (now) => ({ now, state }))

/** Answers the calls of one connection. The node is that of the connection, whatever a message says. */
export const make = ({ begin, control, node, repo, session, wakes }: Parts) => {
  const hear = Effect.fnUntraced(function* (served: number, offset_ms: number) {
    return yield* answer((yield* repo.hear(node, served, offset_ms, yield* DateTime.now)).state)
  })
  /** Ends the running watch when another one begins, so that a connection has one. */
  let later: Deferred.Deferred<void> | undefined
  return NodeRpcs.of({
    Hello: Effect.fnUntraced(function* (run) {
      yield* begin(run)
      yield* repo.begin(node, session, run, yield* DateTime.now)
      return yield* hear(0, 0)
    }),
    Watch: ({ have }) => {
      if (later !== undefined) Deferred.doneUnsafe(later, Exit.void)
      later = Deferred.makeUnsafe<void>()
      return watch({ node, repo, control, wakes }, have).pipe(Stream.interruptWhen(Deferred.await(later)))
    },
    Ack: Effect.fnUntraced(function* ({ version }) {
      yield* repo.acknowledge(node, version, yield* DateTime.now)
    }),
    Heartbeat: ({ offset_ms, served }) => hear(served, offset_ms),
    Lost: Effect.fnUntraced(function* ({ ids }) {
      yield* control.ports.closeLost(ids, yield* DateTime.now)
    }),
    Begin: ({ epoch }) => control.traffic.register(epoch),
    Report: Effect.fnUntraced(function* ({ epoch, number, reports }) {
      const now = yield* Clock.currentTimeMillis
      return yield* control.traffic.report(
        epoch,
        number,
        reports.map((report) => joined(withHours(report, now)))
      )
    }),
    End: Effect.fnUntraced(function* ({ epoch }) {
      yield* control.traffic.forget(epoch, DateTime.subtract(yield* DateTime.now, { days: 1 }))
    }),
    LogKey: ({ day }) => control.log.keyOf(day, randomBytes(32)),
    Log: ({ rows }) => control.log.write(rows),
    LogDropped: ({ count, day }) => control.log.countDropped(day, count),
    LogRefusals: ({ rows }) => control.writeRefusals(rows)
  })
}
