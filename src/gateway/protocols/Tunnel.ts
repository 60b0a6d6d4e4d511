import type { Socket } from "node:net"
import type { MeteredSocket } from "../traffic/MeteredSocket.ts"

/** How long an ended client may take to fetch the rest. */
const lingerMillis = 5_000

/** Closes a client after what was written to it has been sent, or soon in any case. */
export const closeGently = (client: Socket) => {
  client.destroySoon()
  setTimeout(() => client.destroy(), lingerMillis).unref()
}

/** Joins a client and a destination until either ends; each side slows the other to its own pace. */
export const tunnel = (client: Socket, upstream: MeteredSocket) => {
  let failed = false
  upstream.once("error", () => (failed = true))
  upstream.once("close", () => (failed ? client.resetAndDestroy() : closeGently(client)))
  client.once("close", () => upstream.destroy())
  if (client.destroyed) return void upstream.destroy()
  client.pipe(upstream)
  upstream.pipe(client)
}
