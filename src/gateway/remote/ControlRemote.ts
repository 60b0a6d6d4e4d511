import { DateTime, Effect, Layer, Option, Semaphore } from "effect"
import type { GatewayProxyId } from "../GatewayProxy.ts"
import { NodeControl } from "../NodeControl.ts"
import { type ServedProxy, toGatewayProxy } from "../ServedProxy.ts"
import { CentreClock } from "./CentreClock.ts"
import * as CentreSession from "./CentreSession.ts"
import * as KnownConfig from "./KnownConfig.ts"
import { MeterJournal } from "./MeterJournal.ts"
import * as NodeDirectory from "./NodeDirectory.ts"
import * as NodeIdentity from "./NodeIdentity.ts"
import { NodeKey } from "./NodeKey.ts"
import * as NodeLink from "./NodeLink.ts"
import { Replica } from "./Replica.ts"

interface Options {
  readonly name: string
  /** The word of `nodes add`; a host that has joined needs none. */
  readonly join: Option.Option<string>
}

/** The centre closes a connection with more than 50 messages a second. */
const reportPause = "50 millis"

/** Opens the state of this host, and keeps it current. */
const open = Effect.fnUntraced(function* ({ join, name }: Options) {
  const directory = yield* NodeDirectory.open(name)
  const key = NodeKey.open(directory)
  const identity = yield* NodeIdentity.open({ directory, name, key, join })
  const known = KnownConfig.read(directory)
  const clock = new CentreClock(Option.match(known, { onNone: () => 0, onSome: ({ time }) => time }))
  const replica = new Replica()
  if (Option.isSome(known)) replica.restore(known.value.version, known.value.proxies, known.value.rules)
  const journal = yield* Effect.acquireRelease(
    Effect.sync(() => new MeterJournal(directory)),
    (journal) => Effect.sync(() => journal.close())
  )
  const running: { epoch: string | null } = { epoch: null }
  const link = yield* NodeLink.make({ ...identity, key, clock })
  const session = yield* CentreSession.make({ directory, link, clock, replica, journal, running })
  return { ...session, client: link.client, clock, replica, journal, running }
})

type State = Effect.Success<ReturnType<typeof open>>

const proxiesOf = ({ changes, clock, loaded, replica }: State): NodeControl["Service"]["proxies"] => {
  /** A proxy with the time of its end by the clock of this host. */
  const served = (proxy: ServedProxy) => {
    const end = clock.end(DateTime.toEpochMillis(proxy.expires_at))
    return toGatewayProxy({ ...proxy, expires_at: DateTime.makeUnsafe(end) })
  }
  const find = (id: GatewayProxyId) => {
    const proxy = replica.find(id)
    return proxy === undefined ? [] : [served(proxy)]
  }
  const known = <A>(read: () => A) => Effect.andThen(loaded, Effect.sync(read))
  return {
    byIds: (ids) => known(() => ids.flatMap(find)),
    // The centre closes them.
    closeExpired: () => Effect.void,
    revisions: known(() => replica.proxies),
    exits: known(() => [...new Set(replica.proxies.flatMap(({ exit_ip }) => exit_ip ?? []))]),
    // The queue loses no change.
    changedSince: () => Effect.succeed({ next: "", changed: [] }),
    changes: Effect.succeed(changes)
  }
}

/** Calls the centre when it knows this process. The callers limit the time. */
const calling =
  ({ ready }: State) =>
  <A>(effect: Effect.Effect<A, unknown>) =>
    Effect.orDie(Effect.andThen(ready, effect))

const trafficOf = (state: State, turn: Semaphore.Semaphore): NodeControl["Service"]["traffic"] => {
  const { client, journal, running } = state
  const call = calling(state)
  return {
    register: (epoch) =>
      Effect.suspend(() => {
        if (running.epoch !== epoch) journal.begin(epoch)
        running.epoch = epoch
        return call(client.Begin({ epoch }))
      }),
    report: (epoch, number, reports) =>
      turn.withPermits(1)(Effect.andThen(Effect.sleep(reportPause), call(client.Report({ epoch, number, reports })))),
    instances: Effect.succeed([]),
    settle: () => Effect.succeed(0),
    forget: (epoch) => call(client.End({ epoch })),
    journal
  }
}

const make = Effect.fnUntraced(function* (options: Options) {
  const state = yield* open(options)
  const { client, replica } = state
  const call = calling(state)
  return NodeControl.of({
    proxies: proxiesOf(state),
    rules: (version) =>
      Effect.andThen(
        state.loaded,
        Effect.sync(() => (replica.rules.version === version ? { version, rules: null } : replica.rules))
      ),
    ports: {
      // The centre chooses the ports of this node.
      candidates: () => Effect.succeed([]),
      report: () => Effect.void,
      // One process runs as this node.
      heldAt: () => Effect.succeed(new Set()),
      present: () => Effect.succeed(Effect.void),
      leave: () => Effect.void,
      closeLost: (ids) => call(client.Lost({ ids }))
    },
    traffic: trafficOf(state, yield* Semaphore.make(1)),
    log: {
      keyOf: (day) => call(client.LogKey({ day })),
      write: (rows) => call(client.Log({ rows })),
      countDropped: (day, count) => call(client.LogDropped({ day, count }))
    }
  })
})

/** The control of a gateway on another host, which reaches only the centre. */
export const layer = (options: Options) => Layer.effect(NodeControl, make(options))
