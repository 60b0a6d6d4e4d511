import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Socket } from "node:net"

/** Closes all open connections of a test server. */
interface Closable {
  readonly port: number
  readonly close: () => void
}

const listening = async (
  server: ReturnType<typeof createServer>,
  sockets: Set<Socket>,
  where = { host: "127.0.0.1", port: 0 }
): Promise<Closable> => {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => {}))
    socket.once("close", () => sockets.delete(socket))
  })
  await once(server.listen(where), "listening")
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** A web server: `/bytes/N` answers N bytes, `/abort` half an answer, any other path its request. */
export const webOrigin = () =>
  listening(
    createHttpServer((request, response) => {
      const [, bytes] = /^\/bytes\/(\d+)$/.exec(request.url ?? "") ?? []
      if (bytes !== undefined) return void response.end(Buffer.alloc(Number(bytes), "x"))
      if (request.url === "/abort") {
        response.writeHead(200, { "Content-Length": "1000" })
        return void response.write("half", () => response.socket?.destroy())
      }
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        response.setHeader("X-Hop", "gone")
        response.setHeader("Connection", "X-Hop")
        response.end(JSON.stringify({ method: request.method, url: request.url, raw: request.rawHeaders, body }))
      })
    }),
    new Set()
  )

/** Starts a plain TCP server. `serve` handles each connection. */
export const rawOrigin = (serve: (socket: Socket) => void, where?: { readonly host: string; readonly port: number }) =>
  listening(createServer({ allowHalfOpen: true }, serve), new Set(), where)

/** Sends endlessly, as fast as the client reads. */
export const flood = (socket: Socket) => {
  const block = Buffer.alloc(64 * 1024, "x")
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on("drain", more)
  more()
}

/** Ports below the ephemeral range, different for each test process. */
export const portRange = { first: 10_000 + (process.pid % 200) * 50, last: 10_049 + (process.pid % 200) * 50 }

let taken = 0

/** Picks the next free port, in a circle. */
export const freePort = async (): Promise<number> => {
  const count = portRange.last - portRange.first + 1
  for (let tried = 0; tried < count; tried++) {
    const port = portRange.first + (taken++ % count)
    const server = createServer()
    const free = await new Promise<boolean>((settle) => {
      server.once("error", () => settle(false)).listen(port, "127.0.0.1", () => settle(true))
    })
    if (!free) continue
    server.close()
    await once(server, "close")
    return port
  }
  throw new Error("no port is free for the test")
}
