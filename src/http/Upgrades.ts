import { Context, Effect, Layer, type Scope } from "effect"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"

type Upgrading = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The path of the connections of nodes. */
const path = "/node/v1"

const isNode = ({ headers, url }: IncomingMessage) => url === path && headers.upgrade?.toLowerCase() === "websocket"

/**
 * Hands over the WebSocket connections of nodes. Every other request that asks for another protocol, such as h2c, is
 * answered as any request. Needs a Node.js that asks before it upgrades (24.9).
 */
export class Upgrades extends Context.Service<
  Upgrades,
  { readonly serveWith: (upgrading: Upgrading) => Effect.Effect<void, never, Scope.Scope> }
>()("app/http/Upgrades") {
  static readonly layerOf = (server: Server) => {
    let current: Upgrading | undefined
    if ("shouldUpgradeCallback" in server) {
      server.shouldUpgradeCallback = (request: IncomingMessage) => current !== undefined && isNode(request)
      server.on("upgrade", (request, socket, head) => {
        socket.on("error", () => socket.destroy())
        if (current === undefined) socket.destroy()
        else current(request, socket, head)
      })
    }
    return Layer.succeed(
      Upgrades,
      Upgrades.of({
        serveWith: (upgrading) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => (current = upgrading)),
              () => Effect.sync(() => (current = undefined))
            )
          )
      })
    )
  }
}
