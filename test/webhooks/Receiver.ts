import { Deferred, Effect, Queue } from "effect"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

/** One request as it arrived, and the connection that it came by. */
interface Received {
  readonly socket: Socket
  /** Such as `POST /hooks HTTP/1.1`. */
  readonly line: string
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The way in which the other side ends the connection. */
  readonly ending: Effect.Effect<"in order" | "broken">
}

const separator = "\r\n\r\n"

/** The request, when it has arrived completely. */
const parse = (bytes: Buffer) => {
  const end = bytes.indexOf(separator)
  if (end === -1) return undefined
  const [line = "", ...fields] = bytes.toString("latin1", 0, end).split("\r\n")
  const headers = Object.fromEntries(
    fields.map((field): [string, string] => {
      const [name = "", ...value] = field.split(": ")
      return [name.toLowerCase(), value.join(": ")]
    })
  )
  const body = bytes.subarray(end + separator.length)
  return body.length < Number(headers["content-length"] ?? 0) ? undefined : { line, headers, body }
}

/** A raw receiver on loopback until the scope closes. `answer` gets every request. */
export const start = Effect.fnUntraced(function* (answer: (socket: Socket) => void, greeting = "") {
  const requests = yield* Queue.unbounded<Received>()
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    const ended = Deferred.makeUnsafe<"in order" | "broken">()
    socket.once("end", () => Deferred.doneUnsafe(ended, Effect.succeed("in order" as const)))
    socket.once("error", () => Deferred.doneUnsafe(ended, Effect.succeed("broken" as const)))
    socket.once("end", () => socket.end())
    socket.write(greeting)
    let bytes = Buffer.alloc(0)
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const request = parse(bytes)
      if (request === undefined) return
      Queue.offerUnsafe(requests, { ...request, socket, ending: Deferred.await(ended) })
      answer(socket)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hooks?tenant=a%20b`, received: Queue.take(requests) }
})
