import * as NodeWS from "@effect/platform-node/NodeWS"
import { Effect, Latch, Layer, Schedule } from "effect"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { NodeRpcs } from "../NodeRpcs.ts"
import type { CentreClock } from "./CentreClock.ts"
import type { NodeKey } from "./NodeKey.ts"

interface Options {
  readonly node_id: string
  /** The address of the centre. */
  readonly url: string
  readonly key: NodeKey
  readonly clock: CentreClock
}

/** A centre that stops ends the connections, and another instance takes them: nodes come back soon, and not all at once. */
const retryPolicy = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered
)

const centreTime = (header: string | ReadonlyArray<string> | undefined) =>
  typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : undefined

/** Opens connections with a token of their own each. */
const connecting = ({ clock, key, node_id, url }: Options) =>
  Layer.succeed(Socket.WebSocketConstructor, (address: string) => {
    const token = key.token({ audience: url, now: clock.now, subject: node_id })
    const ws = new NodeWS.WebSocket(address, { headers: { authorization: `Bearer ${token}` } })
    ws.on("unexpected-response", (request, response) => {
      // The clock of this host may be wrong, and then its token is.
      const time = response.statusCode === 401 ? centreTime(response.headers["x-centre-time"]) : undefined
      if (time !== undefined) clock.correct(time)
      request.destroy()
      ws.emit("error", new Error(`The centre answers ${response.statusCode}`))
    })
    return ws
  })

/** The connection to the centre. It comes back by itself. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const connected = Latch.makeUnsafe(false)
  const address = `${options.url.replace(/^http/, "ws")}/node/v1`
  const protocol = RpcClient.layerProtocolSocket({ pingInterval: "5 seconds", retryPolicy }).pipe(
    Layer.provide([
      Layer.effect(Socket.Socket, Socket.makeWebSocket(address)).pipe(Layer.provide(connecting(options))),
      RpcSerialization.layerNdjson,
      Layer.succeed(RpcClient.ConnectionHooks, {
        onConnect: Effect.asVoid(connected.open),
        onDisconnect: Effect.asVoid(connected.close)
      })
    ])
  )
  const client = yield* Layer.build(protocol).pipe(
    Effect.flatMap((context) => Effect.provide(RpcClient.make(NodeRpcs, { disableTracing: true }), context))
  )
  return { client, connected }
})
