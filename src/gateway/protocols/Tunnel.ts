import type { Socket } from "node:net"
import type { MeteredSocket } from "../traffic/MeteredSocket.ts"

/** The time that an ended client has to read the remaining bytes. */
const lingerMillis = 5_000

/** Closes a client when all written bytes are sent, and after 5 seconds at the latest. */
export const closeGently = (client: Socket) => {
  client.destroySoon()
  setTimeout(() => client.destroy(), lingerMillis).unref()
}

/**
 * Ends the connection to a destination when its client disconnects. When both directions of the client have ended, the
 * connection first delivers the last bytes of the client. False when the client has already disconnected.
 */
export const endWith = (client: Socket, upstream: MeteredSocket): boolean => {
  const left = () => {
    if (!client.readableEnded || !client.writableFinished) upstream.destroy()
  }
  client.once("close", left)
  upstream.once("close", () => client.off("close", left))
  return !client.destroyed
}

/** Connects a client and a destination until one of them ends. A slow side slows down the other one. */
export const tunnel = (client: Socket, upstream: MeteredSocket) => {
  let failed = false
  upstream.once("error", () => (failed = true))
  upstream.once("close", () => (failed ? client.resetAndDestroy() : closeGently(client)))
  if (!endWith(client, upstream)) return void upstream.destroy()
  upstream.relay(client)
}
