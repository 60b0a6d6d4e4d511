import { once } from "node:events"
import { createServer, type Server } from "node:net"

/** Listens on a port. No other process can take the port from then on. */
export const listenOn = async (server: Server, host: string, port: number): Promise<void> => {
  server.listen({ host, port, backlog: 1024 })
  await once(server, "listening")
}

/** True when listening failed because another process holds the port. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EADDRINUSE"

export const makeListener = (): Server => createServer({ noDelay: true, allowHalfOpen: true }).on("error", () => {})

/** The ports that this process holds before they are sold. It listens on them and resets every connection. */
export class PortReserve {
  readonly #servers = new Map<number, Server>()

  get ports(): ReadonlyArray<number> {
    return [...this.#servers.keys()]
  }

  get size(): number {
    return this.#servers.size
  }

  /** Adds a port. Fails when the process cannot listen on it. */
  async hold(host: string, port: number): Promise<void> {
    if (this.#servers.has(port)) return
    const server = makeListener().on("connection", (client) => client.on("error", () => {}).resetAndDestroy())
    await listenOn(server, host, port)
    this.#servers.set(port, server)
  }

  /** Removes a sold port from the reserve and returns its listening server. */
  take(port: number): Server | undefined {
    const server = this.#servers.get(port)
    this.#servers.delete(port)
    return server?.removeAllListeners("connection")
  }

  close() {
    for (const server of this.#servers.values()) server.close()
    this.#servers.clear()
  }
}
