import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { availableParallelism } from "node:os"
import { Worker } from "../platform/workers/Worker.ts"
import * as WorkerCount from "./WorkerCount.ts"

export const serve = Command.make(
  "serve",
  {
    gateway: Flag.Boolean("gateway").pipe(
      Flag.withDefault(true),
      Flag.withDescription("Run the built-in gateway too (default); use --no-gateway when a gateway runs elsewhere")
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Start although a check refuses it, and log the check; see the doctor command")
    ),
    workers: Flag.String("workers").pipe(
      Flag.withSchema(WorkerCount.WorkerCount),
      Flag.optional,
      Flag.withMetavar("number"),
      Flag.withDescription(
        "Processes that share the port on this machine: 1 to 32, or auto for one each core; default: WORKERS, else 1"
      )
    )
  },
  Effect.fnUntraced(function* (options) {
    const workers = yield* Option.match(options.workers, { onNone: () => WorkerCount.setting, onSome: Effect.succeed })
    const isWorker = (yield* Worker) !== undefined
    const isAlone = workers === 1 || (workers === "auto" && availableParallelism() === 1)
    if (isWorker || isAlone) return yield* (yield* Effect.promise(() => import("./Serve.ts"))).run(options)
    return yield* (yield* Effect.promise(() => import("./Workers.ts"))).run({ ...options, workers })
  })
).pipe(Command.withDescription("Run the service: API, dashboard, background jobs and the built-in gateway"))
