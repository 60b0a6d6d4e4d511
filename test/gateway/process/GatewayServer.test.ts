import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { DateTime } from "effect"
import { once } from "node:events"
import { createConnection, type Socket } from "node:net"
import { closing, gatewayFor, login, pair, socks5 } from "../LocalGateway.ts"
import { flood, rawOrigin } from "../Origin.ts"
import { basic, connectVia, drained, fetchPlain, patience, socksVia } from "../ProxyClient.ts"

const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`

describe("A gateway", () => {
  it("disconnects a client that does not finish its handshake", async () => {
    const gateway = await gatewayFor({ limits: { handshakeMillis: 200 } })
    const openings = ["", "GET http://example.com/ HTTP/1.1\r\nX-Slow: ", Buffer.from([5, 1])]
    await Promise.all(
      openings.map(async (opening) => {
        const client = createConnection(gateway.port, "127.0.0.1").on("error", () => {})
        client.write(opening)
        await drained(client)
      })
    )
  })

  it("waits for a slow pipelined request after the first one was answered", async () => {
    const slow = Promise.withResolvers<Socket>()
    const origin = await closing(
      rawOrigin((socket) => {
        socket.once("data", (request: Buffer) => {
          if (request.includes("/slow")) slow.resolve(socket)
          else socket.end(answer("fast"))
        })
      })
    )
    const gateway = await gatewayFor({ limits: { handshakeMillis: 1_000 }, allow: [origin.port] })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const client = createConnection(gateway.port, "127.0.0.1")
    onTestFinished(() => void client.destroy())
    const request = (path: string) =>
      `GET http://127.0.0.1:${origin.port}${path} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`
    client.write(request("/fast") + request("/slow"))
    let seen = ""
    client.on("data", (chunk) => (seen += chunk))
    while (!seen.endsWith("fast")) await once(client, "data")
    const underWay = await slow.promise
    await vi.advanceTimersByTimeAsync(60_000)
    underWay.end(answer("slow"))
    while (!seen.endsWith("slow")) await once(client, "data")
    assert.match(seen, /fast[^]*slow$/)
  })

  it("reads a handshake byte by byte, and serves other clients meanwhile", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.end("served")))
    const gateway = await gatewayFor({ ...socks5, allow: [origin.port] })
    const words = [login.username, login.password].map((word) => [word.length, ...Buffer.from(word)])
    const target = [5, 1, 0, 1, 127, 0, 0, 1, origin.port >> 8, origin.port & 255]
    const slow = createConnection({ port: gateway.port, host: "127.0.0.1", noDelay: true })
    const answer: Array<Buffer> = []
    slow.on("data", (chunk: Buffer) => answer.push(chunk))
    const ended = once(slow, "end")
    for (const byte of [5, 1, 2, 1, ...words.flat(), ...target]) {
      slow.write(Buffer.from([byte]))
      // A pause sends each byte in a packet of its own; a longer one changes nothing.
      await new Promise((settle) => setTimeout(settle, 2))
    }
    await ended
    assert.match(Buffer.concat(answer).toString("latin1"), /served$/)

    const partial = createConnection(gateway.port, "127.0.0.1")
    onTestFinished(() => void partial.destroy())
    partial.write(Buffer.from([5, 3, 0]))
    await once(partial, "connect")
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "Reply", code: 0 })
  })

  it("disconnects clients of unknown protocols, and clients with too long heads", async () => {
    const gateway = await gatewayFor()
    const hello = createConnection(gateway.port, "127.0.0.1").on("error", () => {})
    hello.write(Buffer.from([0x16, 3, 1, 0, 5]))
    assert.strictEqual((await drained(hello)).bytes, 0)
    const long = await fetchPlain(gateway, "http://example.com/", { headers: { "X-Long": "x".repeat(20_000) } })
    assert.strictEqual(long.status, 431)
  })

  it("answers 429 beyond the connection limit of a proxy", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.resume().on("end", () => socket.end())))
    const gateway = await gatewayFor({ limits: { tunnelsPerProxy: 2 }, allow: [origin.port] })
    const authority = `127.0.0.1:${origin.port}`
    const [first] = await Promise.all([connectVia(gateway, authority), connectVia(gateway, authority)])
    assert.strictEqual((await connectVia(gateway, authority)).status, 429)
    first?.socket.destroy()
    await vi.waitFor(async () => assert.strictEqual((await connectVia(gateway, authority)).status, 200), patience)
  })

  it.each(["HTTP", "SOCKS5"] as const)(
    "limits how fast one proxy opens connections (%s), and not their number",
    async (protocol) => {
      const limits = { openingsAtOnce: 3, openingsPerSecond: 2 }
      const { gateway, origin } = await pair({ limits, proxy: { protocol } })
      const opened = async () => {
        if (protocol === "HTTP") return (await connectVia(gateway, `127.0.0.1:${origin.port}`)).status
        const reply = await socksVia(gateway, "127.0.0.1", origin.port)
        return reply._tag === "Reply" && reply.code
      }
      const [good, refused] = protocol === "HTTP" ? [200, 429] : [0, 1]
      const first = [await opened(), await opened(), await opened(), await opened()]
      assert.deepStrictEqual(first, [good, good, good, refused])
      await vi.waitFor(async () => assert.strictEqual(await opened(), good), patience)
    }
  )

  it("closes an idle tunnel", async () => {
    const origin = await closing(rawOrigin(() => {}))
    const gateway = await gatewayFor({ limits: { idleMillis: 200 }, allow: [origin.port] })
    // On a slow machine the connection may idle for too long before the tunnel stands.
    const { socket } = await vi.waitFor(() => connectVia(gateway, `127.0.0.1:${origin.port}`), patience)
    assert.strictEqual((await drained(socket)).bytes, 0)
  })
})

describe("A served proxy", () => {
  it("loses every tunnel when its credentials change, and when it stops", async () => {
    const origin = await closing(rawOrigin(flood))
    const gateway = await gatewayFor({ allow: [origin.port] })
    const authority = `127.0.0.1:${origin.port}`
    for (const cut of [
      () => gateway.serve({ logins: [{ ...login, password: "another" }] }),
      async () => gateway.stop()
    ]) {
      await gateway.serve()
      const tunnels = await Promise.all([1, 2, 3].map(() => connectVia(gateway, authority)))
      const ends = Promise.all(tunnels.map(({ socket }) => drained(socket)))
      await cut()
      await ends
    }
  })

  it("keeps its tunnels when only the limit or the expiry changes", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.pipe(socket)))
    const gateway = await gatewayFor({ allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    await gateway.serve({ expires_at: DateTime.makeUnsafe("2100-02-01T00:00:00Z"), revision: 2 })
    socket.write("still here")
    const [echo] = await once(socket, "data")
    assert.strictEqual(String(echo), "still here")
  })

  it("refuses every client after its expiry", async () => {
    const gateway = await gatewayFor({ proxy: { expires_at: DateTime.makeUnsafe(Date.now() - 1) } })
    assert.strictEqual((await connectVia(gateway, "8.8.8.8:80")).status, 403)
  })

  it("stands by while another process holds its port, and takes over when the port is free", async () => {
    const gateway = await gatewayFor()
    const other = await closing(rawOrigin(() => {}))
    const served = await gateway.serve({ port: other.port }).then(
      () => "served",
      (error: NodeJS.ErrnoException) => error.code
    )
    assert.strictEqual(served, "EADDRINUSE")
    other.close()
    await gateway.serve({ port: other.port })
    assert.strictEqual((await connectVia({ ...gateway, port: other.port }, "10.0.0.1:80")).status, 403)
  })
})
