import { Context, type DateTime, type Effect, type Queue, Schema, type Scope } from "effect"
import type { DestinationRule } from "./DestinationRule.ts"
import type { PortRange } from "./GatewayConfig.ts"
import type { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"
import type { RecordedConnection } from "./RecordedConnection.ts"
import type { RecordedRefusal } from "./RecordedRefusal.ts"
import type { TrafficJournal } from "./TrafficJournal.ts"
import type { TrafficLease } from "./TrafficLease.ts"
import type { TrafficReport } from "./TrafficReport.ts"

const Uuid = Schema.String.check(Schema.isUUID())
const Label = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The bytes that a process may have passed, by its journal. */
const NodeJournal = Schema.Struct({
  epoch: Uuid,
  slots: Schema.Array(Schema.Struct({ proxy_id: Uuid, cycle: Count, total: Count })).check(Schema.isMaxLength(10_000))
})

/** A run of a gateway process of a node. An epoch is the time in which its reports have one series of numbers. */
export const NodeRun = Schema.Struct({
  program: Label,
  /** The run of the operating system. A journal of another one may lack its last entries. */
  boot_id: Label,
  /** The running epoch. Null: there is none yet. */
  epoch: Schema.NullOr(Uuid),
  /** The journals of former processes. */
  ended: Schema.Array(NodeJournal).check(Schema.isMaxLength(10))
})
export type NodeRun = typeof NodeRun.Type

/** The answer to a report. `Settled`: the leases of this epoch are booked as used, and another epoch must begin. */
type ReportAnswer =
  | { readonly _tag: "Booked"; readonly leases: ReadonlyArray<TrafficLease> }
  | { readonly _tag: "Settled"; readonly booked: boolean }

interface Revision {
  readonly id: GatewayProxyId
  readonly revision: number
}

/** The proxies that a gateway process serves. */
interface ServedProxies {
  readonly byIds: (ids: ReadonlyArray<GatewayProxyId>) => Effect.Effect<ReadonlyArray<GatewayProxy>>
  readonly closeExpired: (times: { readonly before: DateTime.Utc; readonly now: DateTime.Utc }) => Effect.Effect<void>
  /** Lists all open proxies. */
  readonly revisions: Effect.Effect<ReadonlyArray<Revision>>
  /** Lists the exit addresses that this host should hold, with their pools. One that drains is not sold any more. */
  readonly exits: Effect.Effect<
    ReadonlyArray<{
      readonly ip: string
      readonly pool: string
      readonly ip_version: string
      readonly is_sold: boolean
    }>
  >
  /** Lists the changes from `since` on, and the `since` of the next call. Without `since` it lists none. */
  readonly changedSince: (since: string | undefined) => Effect.Effect<{
    readonly next: string
    readonly changed: ReadonlyArray<Revision & Pick<GatewayProxy, "status">>
  }>
  /** Receives the ids of changed proxies, and the nil id when rules have changed. Fails when changes may be missed. */
  readonly changes: Effect.Effect<Queue.Dequeue<{ readonly payload: string }, unknown>, unknown, Scope.Scope>
}

/** The ports that a gateway process holds. */
interface PortsInHand {
  /** Lists the ports to hold next. */
  readonly candidates: (range: PortRange, limit: number) => Effect.Effect<ReadonlyArray<number>>
  /** Reports that the gateway listens on exactly these ports. Null: it can get no more. */
  readonly report: (
    id: string,
    place: string,
    ports: ReadonlyArray<number>,
    refillsAt: number | null
  ) => Effect.Effect<void>
  /** Filters `wanted`: returns the ports that another gateway of the same place holds. */
  readonly heldAt: (place: string, wanted: ReadonlyArray<number>) => Effect.Effect<ReadonlySet<number>>
  /** Marks the gateway as connected while the scope is open. The returned effect fails when the connection is lost. */
  readonly present: (id: string) => Effect.Effect<Effect.Effect<void, unknown>, unknown, Scope.Scope>
  readonly leave: (id: string) => Effect.Effect<void>
  /** Ends proxies whose port another process holds. */
  readonly closeLost: (ids: ReadonlyArray<string>, now: DateTime.Utc) => Effect.Effect<void>
}

/** The leases of traffic, and the bytes that pass. */
interface TrafficAccounts {
  /** Begins an epoch. */
  readonly register: (epoch: string) => Effect.Effect<void>
  /** Books report `number` of an epoch once, however often it is sent, and returns the next leases. */
  readonly report: (epoch: string, number: number, reports: ReadonlyArray<TrafficReport>) => Effect.Effect<ReportAnswer>
  /** Lists the epochs that this process judges: those of gateways with the same database connection. */
  readonly instances: Effect.Effect<ReadonlyArray<{ readonly id: string; readonly report: number }>>
  readonly settle: (silent: ReadonlyArray<{ readonly id: string; readonly report: number }>) => Effect.Effect<number>
  readonly forget: (epoch: string, settledBefore: DateTime.Utc) => Effect.Effect<void>
  /** Undefined: this process keeps no journal. */
  readonly journal: TrafficJournal | undefined
}

/** The needs of a gateway process from the centre. A centre that it cannot reach is a defect, like an unreachable database. */
export class NodeControl extends Context.Service<
  NodeControl,
  {
    readonly proxies: ServedProxies
    /** Reads the version of the rules about destinations, and all rules when it is not the known one. */
    readonly rules: (known: string | undefined) => Effect.Effect<{
      readonly version: string
      readonly rules: ReadonlyArray<DestinationRule> | null
    }>
    readonly ports: PortsInHand
    readonly traffic: TrafficAccounts
    /** The log of connections from shared exit addresses. */
    readonly log: {
      /** Returns the key of a UTC day, such as `2027-01-31`. The first gateway that asks decides it. */
      readonly keyOf: (day: string, proposed: Uint8Array) => Effect.Effect<Uint8Array>
      readonly write: (rows: ReadonlyArray<RecordedConnection>) => Effect.Effect<void>
      /** Counts connections of a day with a key that could not be recorded. */
      readonly countDropped: (day: string, count: number) => Effect.Effect<void>
    }
    /** Adds counts of refused connections to those of the same day. */
    readonly writeRefusals: (rows: ReadonlyArray<RecordedRefusal>) => Effect.Effect<void>
  }
>()("app/gateway/NodeControl") {}
