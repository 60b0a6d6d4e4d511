import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Database from "../platform/postgres/Database.ts"
import * as StartMemory from "../platform/StartMemory.ts"

export const gateway = Command.make("gateway", {}, () =>
  Effect.flatMap(
    Effect.promise(() => import("../gateway/process/Gateway.ts")),
    ({ layer }) => Layer.launch(layer.pipe(Layer.merge(StartMemory.layer), Layer.provide(Database.layerConnected)))
  )
).pipe(Command.withDescription("Run only a gateway, for a service that uses the same database"))
