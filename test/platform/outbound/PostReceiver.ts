import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import * as Http from "node:http"
import type * as Https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { OutboundHttp, type OutboundOptions, reasonOf } from "../../../src/platform/outbound/OutboundHttp.ts"

export const outbound = (options: Partial<OutboundOptions> = {}) =>
  Effect.map(
    Layer.build(OutboundHttp.layerWith({ allow: { has: () => true }, resolve: async () => ["127.0.0.1"], ...options })),
    Context.get(OutboundHttp)
  )
export type Outbound = Effect.Success<ReturnType<typeof outbound>>

/** Posts, reads the whole answer, and returns its status or the reason why there is none. */
export const posted = ({ post }: Outbound, url: string, mostBytes = 16_384) =>
  post({ url, headers: { "X-Odd": "1" }, body: "body" }).pipe(
    Effect.tap(({ rest }) => rest(mostBytes)),
    Effect.match({ onSuccess: ({ status }) => status, onFailure: reasonOf }),
    Effect.scoped
  )

/** Answers a request; `nth` is its number on its connection, from 1. */
export type Serve = (response: Http.ServerResponse<Http.IncomingMessage>, nth: number) => void

export const ok: Serve = (response) => void response.writeHead(204).end()

/** A receiver on every loopback address. It counts connections and requests. */
export const receiver = (
  serve: Serve = ok,
  make: (listener: Http.RequestListener) => Http.Server | Https.Server = Http.createServer
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const nths = new WeakMap<object, number>()
      const open = new Set<Socket>()
      let requests = 0
      let connections = 0
      const server = make((request, response) => {
        request.resume().on("end", () => {
          requests += 1
          const nth = (nths.get(request.socket) ?? 0) + 1
          nths.set(request.socket, nth)
          serve(response, nth)
        })
      })
      server.keepAliveTimeout = 60_000
      server.on("connection", (socket: Socket) => {
        connections += 1
        open.add(socket)
        socket.once("close", () => open.delete(socket))
      })
      await once(server.listen(0, "::"), "listening")
      const { port } = server.address() as AddressInfo
      return {
        server,
        port,
        url: `http://receiver.test:${port}/hooks`,
        counts: () => ({ connections, requests }),
        open,
        /** Waits until so many connections are open. */
        openAre: (count: number) =>
          Effect.promise(async () => {
            while (open.size !== count) await wait(5)
          })
      }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  )
