import { once } from "node:events"
import { createConnection, createServer } from "node:net"

// The yardstick, in a separate process: two piped sockets without a protocol, a meter or a limit.

const destination = Number(process.env["DESTINATION"])

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const upstream = createConnection({ port: destination, host: "127.0.0.1", noDelay: true, allowHalfOpen: true })
  client.on("error", () => upstream.destroy()).once("close", () => upstream.destroy())
  upstream.on("error", () => client.destroy()).once("close", () => client.destroySoon())
  client.pipe(upstream)
  upstream.pipe(client)
})

process.on("message", () => {
  globalThis.gc?.()
  process.send?.("collected")
})
process.on("disconnect", () => process.exit())
await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }), "listening")
process.send?.(server.address())
