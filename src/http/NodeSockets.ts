import * as NodeWS from "@effect/platform-node/NodeWS"
import { Clock, Effect, FiberSet, Layer, Option } from "effect"
import { Socket } from "effect/socket"
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { TokenBuckets } from "../gateway/admission/TokenBuckets.ts"
import { NodeAuthentication } from "../gateway/nodes/NodeAuthentication.ts"
import { NodeSessions } from "../gateway/nodes/NodeSessions.ts"
import { Upgrades } from "./Upgrades.ts"

/** A connection without a message for this time has ended, even when the system does not know it. */
const silenceMillis = 30_000
const maxMessageBytes = 4 * 1024 * 1024
const messagesPerSecond = 50
const messagesAtOnce = 200
/** The time that the other side gets to close. */
const closeMillis = 1_000

const refuse = (socket: Duplex, status: 401 | 404, now: number) => {
  // Without this, a stranger who does not close its side keeps the socket.
  socket.once("finish", () => socket.destroy())
  // The node corrects its clock by this time, because a token with another time is not valid.
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-Centre-Time: ${now}\r\nContent-Length: 0\r\n\r\n`
  )
}

/** Ends a connection that is silent, or that sends too many messages. */
const guard = (ws: NodeWS.WebSocket) => {
  const bucket = new TokenBuckets(messagesAtOnce, messagesPerSecond)
  const silent = setTimeout(() => ws.terminate(), silenceMillis)
  ws.on("message", () => {
    silent.refresh()
    const now = performance.now()
    if (bucket.has("", now)) bucket.take("", now)
    else ws.terminate()
  })
  ws.once("close", () => clearTimeout(silent))
  ws.on("error", () => ws.terminate())
}

const close = (ws: NodeWS.WebSocket) => {
  ws.close(1012)
  setTimeout(() => ws.terminate(), closeMillis).unref()
}

const bearer = ({ headers }: IncomingMessage) => /^bearer ([\w.-]{1,2000})$/i.exec(headers.authorization ?? "")?.[1]

/** Serves the WebSocket connections of nodes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { serveWith } = yield* Upgrades
    const authentication = yield* NodeAuthentication
    const sessions = yield* NodeSessions
    const server = new NodeWS.WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: true })
    const run = yield* FiberSet.makeRuntime<never>()

    const accept = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      Effect.acquireRelease(
        Effect.callback<NodeWS.WebSocket>((resume) => {
          server.handleUpgrade(request, socket, head, (ws) => {
            guard(ws)
            resume(Effect.succeed(ws))
          })
        }),
        (ws) => Effect.sync(() => close(ws))
      )

    const serve = Effect.fnUntraced(function* (request: IncomingMessage, socket: Duplex, head: Buffer) {
      const now = yield* Clock.currentTimeMillis
      if (!(yield* authentication.isOpen)) return refuse(socket, 404, now)
      const node = yield* authentication.authenticate(bearer(request) ?? "")
      if (Option.isNone(node)) return refuse(socket, 401, now)
      const ws = yield* accept(request, socket, head)
      yield* sessions.serve(node.value, yield* Socket.fromWebSocket(Effect.succeed(ws)))
    }, Effect.scoped)

    yield* serveWith((request, socket, head) => {
      run(
        serve(request, socket, head).pipe(
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.logError("A connection of a node failed", cause),
              Effect.sync(() => socket.destroy())
            )
          )
        )
      )
    })
  })
)
