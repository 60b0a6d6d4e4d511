import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import * as ControlDatabase from "../control/ControlDatabase.ts"
import { SilenceWatch } from "../traffic/SilenceWatch.ts"
import { NodeSessionsRepo } from "./NodeSessionsRepo.ts"
import { NodesRepo } from "./NodesRepo.ts"

/** A proxy keeps its port for this time after its end, as at the local gateway. */
const portGrace = { minutes: 5 }

/**
 * Judges the hosts that run gateways. A host is silent when this process has watched for 30 seconds and heard nothing, so
 * that an outage of the service counts for nobody. The leases of a lost host count as used. Closes expired proxies of hosts.
 */
const make = Effect.gen(function* () {
  const nodes = yield* NodesRepo
  const sessions = yield* NodeSessionsRepo
  const runs = yield* ControlDatabase.makeRuns
  const watch = new SilenceWatch()

  return Effect.gen(function* () {
    if (!(yield* nodes.any)) return
    const now = yield* DateTime.now
    yield* sessions.closeExpired(DateTime.subtract(now, portGrace), now)
    if (watch.isDue(performance.now())) {
      const silent = watch.look(yield* sessions.heard, performance.now())
      yield* Effect.forEach(silent, ({ id }) => nodes.move(id, ["ready"], "silent", "not heard for 30 seconds", now))
    }
    for (const id of yield* sessions.lost)
      yield* runs(id).begin({ program: "lost", boot_id: "lost", epoch: null, ended: [] })
  })
})

export const layer = Layer.unwrap(
  Effect.map(make, (run) => Job.layer("NodeRounds", Schedule.spaced("5 seconds"), run))
).pipe(Layer.provide([ControlDatabase.repositories, NodesRepo.layer, NodeSessionsRepo.layer]))
