import { once } from "node:events"
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { createServer, type Server } from "node:net"
import { text } from "node:stream/consumers"
import { type Arrival, monotonicMillis } from "./WebhookArrivals.ts"

// A separate process: the receivers' work must not slow the measured sender.

/** A port for each healthy endpoint, because connections are kept for each receiver. */
const healthyPorts = 500
const backlog = 4096
const reportMillis = 20

const arrivals: Array<Arrival> = []

const record = (body: string, at: number) => {
  const { data, meta, occurred_at } = JSON.parse(body)
  arrivals.push({ order_id: data.order_id, occurred_at, attempt: meta.attempt, at })
}

/** Fails twice, then works. */
const flaky = (attempt: string | undefined) => (attempt === "3" ? 204 : 503)

const receive = async (request: IncomingMessage) => {
  const body = await text(request)
  const at = monotonicMillis()
  if (request.url !== "/yardstick") record(body, at)
  return request.url === "/flaky" ? flaky(/"attempt":(\d)/.exec(body)?.[1]) : 204
}

const listen = async (server: Server) => {
  await once(server.listen({ port: 0, host: "127.0.0.1", backlog }), "listening")
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const healthy = () =>
  createHttpServer((request, response) => {
    void receive(request).then((status) => response.writeHead(status).end())
  })

/** Accepts connections and never answers. */
const hanging = createServer((socket) => socket.on("error", () => socket.destroy()).resume())

process.on("disconnect", () => process.exit())
setInterval(() => {
  if (arrivals.length > 0) process.send?.({ arrivals: arrivals.splice(0) })
}, reportMillis)
const ports = await Promise.all(Array.from({ length: healthyPorts }, () => listen(healthy())))
process.send?.({ ports, hanging: await listen(hanging) })
