import { Schema } from "effect"

/** The id of a gateway node. A node is a host that runs gateways. */
export const GatewayNodeId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GatewayNodeId"))
export type GatewayNodeId = typeof GatewayNodeId.Type

/** The node of the gateways that reach the database themselves. */
export const localNode = GatewayNodeId.make("00000000-0000-4000-8000-000000000001")

/**
 * `joining`: it has not served yet. `draining`: it serves what it has. `silent`: the centre does not hear it. `lost`:
 * neither the centre nor customers reach it. `retired`: for ever.
 */
export const GatewayNodeState = Schema.Literals(["joining", "ready", "draining", "silent", "lost", "retired"])
export type GatewayNodeState = typeof GatewayNodeState.Type

/** The name of a node, as the operator gives it. */
export const GatewayNodeName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,31}$/, { expected: "1 to 32 of a-z, 0-9 and -, such as fra1" })
)
