import { Effect } from "effect"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

const ended = (socket: Socket) =>
  new Promise<void>((done) => (socket.closed ? done() : void socket.once("close", () => done())))

/**
 * Listens on a free port of every loopback address, lets `serve` answer each connection, and records how each
 * connection ends.
 */
export const rawReceiver = (serve: (socket: Socket) => void = () => {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets: Array<Socket> = []
      const server = createServer((socket) => {
        sockets.push(socket.on("error", () => {}).resume())
        serve(socket)
      })
      await once(server.listen(0, "::"), "listening")
      return {
        port: (server.address() as AddressInfo).port,
        connections: () => sockets.length,
        /** Waits for the next connection. */
        connected: Effect.promise(async () => void (sockets.length > 0 || (await once(server, "connection")))),
        /** Waits until the other side has ended every connection. */
        closed: Effect.promise(() => Promise.all(sockets.map(ended))),
        stop: async () => {
          for (const socket of sockets) socket.destroy()
          await new Promise((done) => server.close(done))
        }
      }
    }),
    ({ stop }) => Effect.promise(stop)
  )
