import { Context, DateTime, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import * as Secrets from "../../platform/Secrets.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { PublicUrl } from "../../platform/settings/Addresses.ts"
import { GatewayNodeId, type GatewayNodeState, localNode } from "../GatewayNode.ts"
import * as JoinString from "../JoinString.ts"
import { NodeRefused } from "./NodeErrors.ts"
import { type ListedNode, NodesRepo } from "./NodesRepo.ts"

/** The time in which a token can be used. */
const tokenLife = { hours: 24 }

const refuse = (message: string) => new NodeRefused({ message })

type Changed = Effect.Effect<ListedNode, NodeRefused>

/** The hosts that run gateways, for the operator. */
export class Nodes extends Context.Service<
  Nodes,
  {
    readonly list: Effect.Effect<ReadonlyArray<ListedNode>>
    readonly find: (name: string) => Changed
    /** Adds a node. Returns the word that its host joins with, which is not stored. */
    readonly add: (name: string, host: string) => Effect.Effect<string, NodeRefused>
    /** Returns another word for a node whose host has lost its key. The key ends when the host joins. */
    readonly rejoin: (name: string) => Effect.Effect<string, NodeRefused>
    /** Ends the key of a node, and its connections. */
    readonly revoke: (name: string) => Changed
    /** Marks the node as draining. What runs there goes on. */
    readonly drain: (name: string, reason: string | null) => Changed
    readonly undrain: (name: string) => Changed
    /** Declares a node lost, although it may still be silent only. */
    readonly lose: (name: string, reason: string | null) => Changed
    /** Ends a node without open proxies for ever. */
    readonly retire: (name: string) => Changed
  }
>()("app/gateway/Nodes") {
  static readonly layerNoDeps = Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const repo = yield* NodesRepo
      const atomically = yield* Atomically
      const url = yield* PublicUrl

      const find = Effect.fn("Nodes.find")(function* (name: string) {
        const found = yield* repo.byName(name)
        return Option.isSome(found) ? found.value : yield* refuse(`There is no node ${name}; see nodes list`)
      })

      const remote = Effect.fnUntraced(function* (name: string) {
        const node = yield* find(name)
        return node.id === localNode ? yield* refuse("The node local runs beside the service; it needs no key") : node
      })

      const issue = Effect.fnUntraced(function* (node: GatewayNodeId) {
        const token = yield* Secrets.make("")
        yield* repo.issue(node, Secrets.digest(token), DateTime.add(yield* DateTime.now, tokenLife))
        return JoinString.encode({ url, token })
      })

      const add = Effect.fn("Nodes.add")(function* (name: string, host: string) {
        const id = GatewayNodeId.make(randomUUID())
        if (!(yield* repo.insert(id, name, host, yield* DateTime.now)))
          return yield* refuse(`There is a node ${name} already; nodes rejoin ${name} gives its host another key`)
        return yield* issue(id)
      }, atomically)

      const rejoin = Effect.fn("Nodes.rejoin")(function* (name: string) {
        const node = yield* remote(name)
        return node.state === "retired" ? yield* refuse(`The node ${name} is retired`) : yield* issue(node.id)
      }, atomically)

      const revoke = Effect.fn("Nodes.revoke")(function* (name: string) {
        const node = yield* remote(name)
        yield* repo.revoke(node.id, yield* DateTime.now)
        return yield* find(name)
      }, atomically)

      const move = (from: ReadonlyArray<GatewayNodeState>, to: GatewayNodeState) =>
        Effect.fnUntraced(function* (name: string, reason: string | null = null) {
          const node = yield* remote(name)
          if (node.state !== to && !(yield* repo.move(node.id, from, to, reason, yield* DateTime.now)))
            return yield* refuse(`The node ${name} is ${node.state}`)
          return yield* find(name)
        }, atomically)

      const retireEmpty = move(["joining", "draining", "lost"], "retired")

      return Nodes.of({
        list: repo.list,
        find,
        add,
        rejoin,
        revoke,
        drain: move(["joining", "ready", "silent", "lost"], "draining"),
        undrain: move(["draining"], "ready"),
        lose: move(["ready", "draining", "silent"], "lost"),
        retire: Effect.fn("Nodes.retire")(function* (name: string) {
          const { id, open_proxies } = yield* remote(name)
          if (open_proxies > 0) return yield* refuse(`The node ${name} still serves ${open_proxies} proxies`)
          const retired = yield* retireEmpty(name)
          yield* repo.revoke(id, yield* DateTime.now)
          return { ...retired, has_key: false }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(NodesRepo.layer))
}
