import { once } from "node:events"
import { createConnection } from "node:net"

interface Bought {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
}

/** Asks a destination through a proxy; false when the proxy does not know the login yet. */
const ask = async ({ password, port, username }: Bought, destination: number) => {
  const socket = createConnection({ host: "127.0.0.1", port, noDelay: true })
  try {
    await once(socket, "connect")
    const login = Buffer.from(`${username}:${password}`).toString("base64")
    socket.write(
      `GET http://127.0.0.1:${destination}/ HTTP/1.1\r\nHost: 127.0.0.1:${destination}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`
    )
    const [answer] = await once(socket, "data")
    return String(answer).startsWith("HTTP/1.1 204")
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Milliseconds until a proxy has answered a request. */
export const firstAnswer = async (proxy: Bought, destination: number) => {
  const start = performance.now()
  for (;;) if (await ask(proxy, destination)) return performance.now() - start
}
