import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, createConnection, type Socket } from "node:net"
import { closing, gatewayFor, login } from "../LocalGateway.ts"
import { flood } from "../Origin.ts"
import { basic, drained } from "../ProxyClient.ts"

/** A WebSocket server: `/flood` sends endlessly, `/no` answers a page, any other path echoes. */
const upgrading = async () => {
  const sockets = new Set<Socket>()
  const server = createServer({ shouldUpgradeCallback: ({ url }) => url !== "/no" }, (request, response) => {
    response.writeHead(426, { "X-Asked": String(request.headers.upgrade) }).end("use HTTP")
  })
  server.on("upgrade", (request, socket: Socket, head: Buffer) => {
    sockets.add(socket.on("error", () => {}))
    const key = request.headers["sec-websocket-key"]
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Key: ${key}\r\n\r\nhello`
    )
    if (head.length > 0) socket.write(head)
    if (request.url === "/flood") return flood(socket)
    socket.pipe(socket)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port: (server.address() as AddressInfo).port, close }
}

const requestFor = (url: string, fields = "", by = login) =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(by)}\r\nConnection: Upgrade\r\n` +
  `Upgrade: websocket\r\nSec-WebSocket-Key: abc\r\n${fields}\r\n`

const open = (port: number) => {
  const client = createConnection({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {})
  onTestFinished(() => void client.destroy())
  return client
}

const ask = (port: number, ...request: Parameters<typeof requestFor>) => {
  const client = open(port)
  client.write(requestFor(...request))
  return client
}

const readUntil = async (client: Socket, pattern: RegExp) => {
  let seen = ""
  client.on("data", (chunk: Buffer) => (seen += chunk.toString("latin1")))
  while (!pattern.test(seen)) await once(client, "data")
  client.removeAllListeners("data")
  return seen
}

const pair = async (options: Parameters<typeof gatewayFor>[0] = {}) => {
  const origin = await closing(upgrading())
  const gateway = await gatewayFor({ ...options, allow: [origin.port] })
  return { gateway, url: `http://127.0.0.1:${origin.port}` }
}

describe("A plain request for another protocol", () => {
  it("becomes a tunnel, metered in both directions, when the destination agrees", async () => {
    const { gateway, url } = await pair()
    const client = ask(gateway.port, `${url}/chat`)
    const seen = await readUntil(client, /hello$/)
    assert.match(seen, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
    assert.match(seen, /\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n/)
    assert.match(seen, /\r\nX-Key: abc\r\n/)
    const before = gateway.lender.settle()
    client.write("x".repeat(5_000))
    await readUntil(client, /x{5000}$/)
    assert.strictEqual(gateway.lender.settle() - before, 10_000)
  })

  it("forwards bytes that the client sends before the answer", async () => {
    const { gateway, url } = await pair()
    const early = ask(gateway.port, `${url}/chat`)
    early.write("sent early")
    assert.match(await readUntil(early, /early$/), /hellosent early$/)
  })

  it("forwards bytes that the client sends with the request before it closes its sending side", async () => {
    const { gateway, url } = await pair()
    const client = open(gateway.port).end(`${requestFor(`${url}/chat`)}${"x".repeat(5_000)}`)
    assert.isAbove((await drained(client)).bytes, 5_000)
  })

  it("ends at the traffic limit, and when the access of the proxy changes", async () => {
    const limited = await pair({ proxy: { limit_bytes: 300_000n } })
    const { bytes } = await drained(ask(limited.gateway.port, `${limited.url}/flood`))
    assert.isAtMost(bytes, 300_000)
    const { gateway, url } = await pair()
    const client = ask(gateway.port, `${url}/flood`)
    await once(client, "data")
    const end = drained(client)
    await gateway.serve({ logins: [{ ...login, password: "another" }] })
    await end
  })

  it("gets an ordinary answer when the destination does not agree", async () => {
    const { gateway, url } = await pair()
    const client = ask(gateway.port, `${url}/no`)
    const seen = await readUntil(client, /use HTTP/)
    assert.match(seen, /^HTTP\/1\.1 426 Upgrade Required\r\n[^]*X-Asked: websocket\r\n/)
  })

  it("needs a login, and reaches only the destinations of a tunnel", async () => {
    const { gateway, url } = await pair()
    const wrong = { ...login, password: "wrong" }
    assert.match(await readUntil(ask(gateway.port, `${url}/`, "", wrong), /\r\n\r\n/), /^HTTP\/1\.1 407 /)
    for (const [inside, status] of [
      ["http://10.0.0.1/", 403],
      ["http://127.0.0.1:25/", 403],
      ["/", 400],
      ["https://example.com/", 400]
    ] as const)
      assert.match(await readUntil(ask(gateway.port, inside), /\r\n\r\n/), new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it("gets an ordinary answer when it has a body", async () => {
    const { gateway, url } = await pair()
    const client = ask(gateway.port, `${url}/no`, "Content-Length: 4\r\n")
    client.write("body")
    assert.match(await readUntil(client, /use HTTP/), /X-Asked: undefined/)
  })
})
