import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { DestinationRule } from "./DestinationRule.ts"
import { GatewayNodeState } from "./GatewayNode.ts"
import { GatewayProxyId } from "./GatewayProxy.ts"
import { NodeRun } from "./NodeControl.ts"
import { RecordedConnection } from "./RecordedConnection.ts"
import { RecordedRefusal } from "./RecordedRefusal.ts"
import { ServedProxy } from "./ServedProxy.ts"
import { TrafficLease } from "./TrafficLease.ts"
import { TrafficReport } from "./TrafficReport.ts"

const Uuid = Schema.String.check(Schema.isUUID())
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

/** A message of the centre. The version counts the changes of the node's proxies. */
export const NodeEvent = Schema.Union([
  /** A part of all open proxies. What no part names has ended; this holds only after the part with `end`. */
  Schema.TaggedStruct("Snapshot", {
    version: Schema.BigInt,
    proxies: Schema.Array(ServedProxy),
    end: Schema.Boolean,
    /** True when the node knows of later changes than the centre, which was restored: what no part names goes on. */
    regressed: Schema.Boolean
  }),
  /** The changes after the version `from`. */
  Schema.TaggedStruct("Delta", {
    from: Schema.BigInt,
    version: Schema.BigInt,
    changed: Schema.Array(ServedProxy),
    removed: Schema.Array(GatewayProxyId)
  }),
  Schema.TaggedStruct("Rules", { version: Schema.String, rules: Schema.Array(DestinationRule) })
])
export type NodeEvent = typeof NodeEvent.Type

/** The centre's time in milliseconds, and the state of the node. */
const Answer = Schema.Struct({ now: Schema.Finite, state: GatewayNodeState })

const ReportAnswer = Schema.Union([
  Schema.TaggedStruct("Booked", { leases: Schema.Array(TrafficLease) }),
  Schema.TaggedStruct("Settled", { booked: Schema.Boolean })
])

/**
 * The calls of a node to the centre, version 1 of the wire. Fields are only added, and must be optional. The centre takes the
 * node from the connection, never from a message.
 */
export class NodeRpcs extends RpcGroup.make(
  Rpc.make("Hello", { payload: NodeRun.fields, success: Answer }),
  Rpc.make("Watch", { payload: { have: Schema.NullOr(Schema.BigInt) }, success: NodeEvent, stream: true }),
  Rpc.make("Ack", { payload: { version: Schema.BigInt } }),
  Rpc.make("Heartbeat", {
    payload: { served: Count, offset_ms: Schema.Int },
    success: Answer
  }),
  Rpc.make("Lost", { payload: { ids: Schema.Array(Uuid).check(Schema.isMaxLength(1_000)) } }),
  Rpc.make("Begin", { payload: { epoch: Uuid } }),
  Rpc.make("Report", {
    payload: {
      epoch: Uuid,
      number: Count,
      reports: Schema.Array(TrafficReport).check(Schema.isMaxLength(1_000))
    },
    success: ReportAnswer
  }),
  Rpc.make("End", { payload: { epoch: Uuid } }),
  Rpc.make("LogKey", { payload: { day: Day }, success: Schema.Uint8Array }),
  Rpc.make("Log", { payload: { rows: Schema.Array(RecordedConnection).check(Schema.isMaxLength(1_000)) } }),
  Rpc.make("LogDropped", { payload: { day: Day, count: Count } }),
  Rpc.make("LogRefusals", { payload: { rows: Schema.Array(RecordedRefusal).check(Schema.isMaxLength(1_000)) } })
) {}
