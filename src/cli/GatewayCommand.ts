import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { GatewayNodeName } from "../gateway/GatewayNode.ts"
import * as StartMemory from "../platform/StartMemory.ts"

/** Runs a gateway that reaches the database. */
const runLocal = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("../gateway/process/Gateway.ts"))
  const Database = yield* Effect.promise(() => import("../platform/postgres/Database.ts"))
  return yield* Layer.launch(layer.pipe(Layer.merge(StartMemory.layer), Layer.provide(Database.layerConnected)))
})

/** Runs a gateway on another host. It loads no driver of a database. */
const runNode = Effect.fnUntraced(function* (name: string, join: Option.Option<string>) {
  const { layerWith } = yield* Effect.promise(() => import("../gateway/process/Gateway.ts"))
  const ControlRemote = yield* Effect.promise(() => import("../gateway/remote/ControlRemote.ts"))
  const NodeHttpClient = yield* Effect.promise(() => import("@effect/platform-node/NodeHttpClient"))
  const control = ControlRemote.layer({ name, join }).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))
  return yield* Layer.launch(layerWith(control).pipe(Layer.merge(StartMemory.layer)))
})

export const gateway = Command.make(
  "gateway",
  {
    node: Flag.String("node").pipe(
      Flag.withSchema(GatewayNodeName),
      Flag.withDescription("Run as this node of a service on another host, without its database"),
      Flag.optional
    ),
    join: Flag.String("join").pipe(
      Flag.withMetavar("word"),
      Flag.withDescription("The word of nodes add, for the first start of a node"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ join, node }) {
    return yield* Option.isSome(node) ? Effect.asVoid(runNode(node.value, join)) : Effect.asVoid(runLocal)
  })
).pipe(Command.withDescription("Run only a gateway, for a service that uses the same database or runs on another host"))
