import { Context, Deferred, Effect, Layer, Option, Queue } from "effect"
import { NetAddress } from "effect/net"
import { RpcSerialization, RpcServer } from "effect/rpc"
import { type Socket, SocketServer } from "effect/socket"
import { randomUUID } from "node:crypto"
import * as Failure from "../../platform/errors/Failure.ts"
import * as ControlDatabase from "../control/ControlDatabase.ts"
import type { GatewayNodeId } from "../GatewayNode.ts"
import { NodeRpcs } from "../NodeRpcs.ts"
import * as NodeHandlers from "./NodeHandlers.ts"
import { NodeSessionsRepo } from "./NodeSessionsRepo.ts"

/** The notification that concerns every node. */
const everyNode = "00000000-0000-0000-0000-000000000000"
const lookInterval = "5 seconds"
/** The time in which a connection must say hello. */
const helloMillis = 30_000
/** The longest message of a node. */
const maxMessageBytes = 4 * 1024 * 1024

type Wake = () => void

/** The connections that wait for changes of a node, in this process. */
class Waiting {
  readonly #wakes = new Map<Wake, string>()

  add(node: string, wake: Wake) {
    this.#wakes.set(wake, node)
    return () => void this.#wakes.delete(wake)
  }

  wake(node: string) {
    for (const [wake, of] of this.#wakes) if (node === everyNode || of === node) wake()
  }
}

/** A queue that gets an entry when something of a node may have changed. */
const wakesOf = Effect.fnUntraced(function* (waiting: Waiting, node: GatewayNodeId) {
  const wakes = yield* Queue.sliding<void>(1)
  yield* Effect.acquireRelease(
    Effect.sync(() => waiting.add(node, () => void Queue.offerUnsafe(wakes, undefined))),
    (remove) => Effect.sync(remove)
  )
  return wakes
})

/** Hears of changes. After a lost connection everybody looks. */
const listen = (repo: NodeSessionsRepo["Service"], waiting: Waiting) =>
  Effect.scoped(
    Effect.gen(function* () {
      const changes = yield* repo.changes
      waiting.wake(everyNode)
      return yield* Queue.takeAll(changes).pipe(
        Effect.map((changed) => changed.forEach(({ payload }) => waiting.wake(payload))),
        Effect.forever
      )
    })
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot hear of changes of nodes; trying again in a second", cause))
    ),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever
  )

/** Serves the calls of one socket until it ends. */
const serveSocket = Effect.fnUntraced(function* (
  handlers: ReturnType<typeof NodeHandlers.make>,
  socket: Socket.Socket
) {
  const ended = yield* Deferred.make<void>()
  const server = SocketServer.SocketServer.of({
    address: NetAddress.unixPathAddress("node"),
    run: (handle) =>
      Effect.exit(handle(socket)).pipe(Effect.andThen(Deferred.succeed(ended, undefined)), Effect.andThen(Effect.never))
  })
  const protocol = RpcServer.layerProtocolSocketServer.pipe(
    Layer.provide([
      Layer.succeed(SocketServer.SocketServer, server),
      RpcSerialization.layerNdjsonWith({ maxBufferSize: maxMessageBytes })
    ])
  )
  const calls = RpcServer.make(NodeRpcs, { disableFatalDefects: true, disableTracing: true }).pipe(
    Effect.provide(Layer.merge(protocol, NodeRpcs.toLayer(handlers)))
  )
  yield* Effect.raceFirst(calls, Deferred.await(ended))
})

/** The connections of nodes to this process. */
export class NodeSessions extends Context.Service<
  NodeSessions,
  {
    /** Serves a connection of a node until it ends, the node loses or changes its key, or a later connection takes its place. */
    readonly serve: (node: GatewayNodeId, socket: Socket.Socket) => Effect.Effect<void>
  }
>()("app/gateway/NodeSessions") {
  static readonly layerNoDeps = Layer.effect(
    NodeSessions,
    Effect.gen(function* () {
      const repo = yield* NodeSessionsRepo
      const controlOf = yield* ControlDatabase.make
      const runs = yield* ControlDatabase.makeRuns
      const scope = yield* Effect.scope
      const waiting = new Waiting()
      // Without a node, no connection of the database listens.
      const listening = yield* Effect.cached(Effect.forkIn(listen(repo, waiting), scope))

      const serve = Effect.fn("NodeSessions.serve")(function* (node: GatewayNodeId, socket: Socket.Socket) {
        yield* listening
        const session = randomUUID()
        const since = performance.now()
        let hasBegun = false
        let key: string | undefined
        const looks = yield* wakesOf(waiting, node)
        /** Waits until the connection may no longer go on. */
        const untilReplaced = Effect.gen(function* () {
          for (;;) {
            const found = Option.getOrUndefined(yield* repo.standing(node))
            if (found === undefined || found.key === null || found.state === "retired") return
            // Another host may have joined with a key of its own since.
            key ??= found.key
            if (found.key !== key) return
            if (found.session === session) hasBegun = true
            else if (hasBegun || performance.now() - since > helloMillis) return
            yield* Effect.timeoutOption(Queue.takeAll(looks), lookInterval)
          }
        })
        const run = runs(node)
        const handlers = NodeHandlers.make({
          node,
          session,
          repo,
          control: run.control(controlOf(node)),
          wakes: yield* wakesOf(waiting, node),
          begin: run.begin
        })
        yield* Effect.raceFirst(serveSocket(handlers, socket), untilReplaced)
      }, Effect.scoped)

      return NodeSessions.of({ serve })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ControlDatabase.repositories, NodeSessionsRepo.layer]))
}
