import { Effect, Layer } from "effect"
import { type GatewayNodeId, localNode } from "../GatewayNode.ts"
import { HeldPortsRepo } from "../HeldPortsRepo.ts"
import { NodeControl, type NodeRun } from "../NodeControl.ts"
import { ConnectionLogRepo } from "./ConnectionLogRepo.ts"
import { LiveProxiesRepo } from "./LiveProxiesRepo.ts"
import { LiveRulesRepo } from "./LiveRulesRepo.ts"
import { TrafficRepo } from "./TrafficRepo.ts"

/** A failed statement is a defect. */
const done = (statement: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(statement))

/** Makes the control of a node from the database. It reaches no proxy, port or lease of another node. */
export const make = Effect.gen(function* () {
  const proxies = yield* LiveProxiesRepo
  const rules = yield* LiveRulesRepo
  const ports = yield* HeldPortsRepo
  const traffic = yield* TrafficRepo
  const log = yield* ConnectionLogRepo

  return (node: GatewayNodeId) =>
    NodeControl.of({
      proxies: {
        byIds: (ids) => proxies.byIds(node, ids),
        closeExpired: (times) => done(proxies.closeExpired(node, times)),
        revisions: proxies.revisions(node),
        exits: proxies.exits,
        changedSince: (since) => proxies.changedSince(node, since),
        changes: proxies.changes
      },
      rules: rules.read,
      ports: {
        candidates: ports.candidates,
        report: (id, place, held, refillsAt) => done(ports.report(id, place, held, refillsAt)),
        heldAt: ports.heldAt,
        present: ports.present,
        leave: (id) => done(ports.leave(id)),
        closeLost: (ids, now) => done(ports.closeLost(ids, now, node))
      },
      traffic: {
        register: (epoch) => done(traffic.register(node, epoch)),
        report: (epoch, number, reports) => Effect.orDie(traffic.report(node, epoch, number, reports)),
        instances: traffic.instances(node),
        settle: (silent) => Effect.orDie(traffic.settle(silent)),
        forget: (epoch, settledBefore) => done(traffic.forget(node, epoch, settledBefore)),
        journal: undefined
      },
      log: {
        keyOf: (day, proposed) => Effect.orDie(log.keyOf(day, proposed)),
        write: (rows) => done(log.write(node, rows)),
        countDropped: (day, count) => done(log.countDropped(day, count))
      }
    })
})

/** Makes what a node says about its processes: the former ones end, and the next epochs carry the program and the boot. */
export const makeRuns = Effect.gen(function* () {
  const traffic = yield* TrafficRepo
  return (node: GatewayNodeId) => {
    let running: NodeRun | undefined
    return {
      begin: Effect.fnUntraced(function* (run: NodeRun) {
        yield* done(traffic.endFormer(node, run))
        running = run
      }),
      control: (control: NodeControl["Service"]) =>
        NodeControl.of({
          ...control,
          traffic: { ...control.traffic, register: (epoch) => done(traffic.register(node, epoch, running)) }
        })
    }
  }
})

/** The repositories that `make` reads. */
export const repositories = Layer.mergeAll(
  ConnectionLogRepo.layer,
  HeldPortsRepo.layer,
  LiveProxiesRepo.layer,
  LiveRulesRepo.layer,
  TrafficRepo.layer
)

/** The control of a gateway that reaches the database itself. */
export const layer = Layer.effect(
  NodeControl,
  Effect.map(make, (of) => of(localNode))
).pipe(Layer.provide(repositories))
