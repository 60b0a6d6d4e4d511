import type { Socket } from "node:net"
import type { MeteredSocket } from "../traffic/MeteredSocket.ts"

/** The time that an ended client has to read the remaining bytes. */
const lingerMillis = 5_000

/** Closes a client when all written bytes are sent, and after 5 seconds at the latest. */
export const closeGently = (client: Socket) => {
  client.destroySoon()
  setTimeout(() => client.destroy(), lingerMillis).unref()
}

/** Connects a client and a destination until one of them ends. A slow side slows down the other one. */
export const tunnel = (client: Socket, upstream: MeteredSocket) => {
  let failed = false
  upstream.once("error", () => (failed = true))
  upstream.once("close", () => (failed ? client.resetAndDestroy() : closeGently(client)))
  client.once("close", () => upstream.destroy())
  if (client.destroyed) return void upstream.destroy()
  client.pipe(upstream)
  upstream.pipe(client)
}
