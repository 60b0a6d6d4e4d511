import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createConnection, type Socket } from "node:net"
import { tunnel } from "../../../src/gateway/protocols/Tunnel.ts"
import { MeteredSocket } from "../../../src/gateway/traffic/MeteredSocket.ts"
import { TrafficMeter } from "../../../src/gateway/traffic/TrafficMeter.ts"
import { closing, gatewayFor, login, pair } from "../LocalGateway.ts"
import { flood, rawOrigin } from "../Origin.ts"
import { basic, connectVia, drained, fetchPlain, socksVia } from "../ProxyClient.ts"

/** Connects to a destination without a gateway. `lease` sets the number of bytes that may pass next. */
const metered = async (limit_bytes: bigint | null) => {
  const accepted = Promise.withResolvers<Socket>()
  const origin = await closing(rawOrigin(accepted.resolve))
  const raw = createConnection({ port: origin.port, host: "127.0.0.1", allowHalfOpen: true })
  await once(raw, "connect")
  const meter = new TrafficMeter("proxy", () => {})
  meter.configure({ cycle: 1, limit_bytes, used_bytes: 0n, leased_bytes: 0n })
  const upstream = new MeteredSocket(raw, meter, 10_000)
  onTestFinished(() => void upstream.destroy())
  const lease = (leased_bytes: number) => {
    meter.report(performance.now())
    meter.confirm({ cycle: 1, leased_bytes, last: false })
  }
  return { raw, upstream, lease, destination: await accepted.promise }
}

describe("A metered connection", () => {
  it("counts plain requests with their heads, in both directions", async () => {
    const { gateway, url } = await pair()
    const answer = await fetchPlain(gateway, `${url}/bytes/100000`)
    assert.strictEqual(answer.body.length, 100_000)
    const head = `GET /bytes/100000 HTTP/1.1\r\nHost: ${url.slice(7)}\r\nConnection: close\r\n\r\n`.length
    const used = gateway.lender.settle()
    assert.isAbove(used, 100_000 + head + 20)
    assert.isBelow(used, 100_000 + head + 300)
  })

  it("passes exactly the limit through parallel tunnels, then answers 402", async () => {
    const limit = 5_000_001
    const origin = await closing(rawOrigin(flood))
    const gateway = await gatewayFor({ proxy: { limit_bytes: BigInt(limit) }, block: 300_000, allow: [origin.port] })
    const authority = `127.0.0.1:${origin.port}`
    const tunnels = await Promise.all([1, 2, 3, 4, 5].map(() => connectVia(gateway, authority)))
    const received = await Promise.all(tunnels.map(({ socket }) => drained(socket)))
    assert.strictEqual(
      received.reduce((sum, { bytes }) => sum + bytes, 0),
      limit
    )
    const refused = await connectVia(gateway, authority)
    assert.strictEqual(refused.status, 402)
    assert.match(String(refused.headers["x-proxy-error"]), /buy more traffic/)
    assert.strictEqual(gateway.lender.settle(), limit)
    await gateway.serve({ limit_bytes: BigInt(limit), used_bytes: BigInt(limit), protocol: "SOCKS5" })
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "Reply", code: 2 })
  })

  it.each([
    ["chunks", "1.1", "Transfer-Encoding: chunked\r\n"],
    ["a length", "1.1", "Content-Length: 1000000000\r\n"],
    ["its connection's end", "1.1", ""],
    ["its connection's end, for an old client", "1.0", ""]
  ])("breaks off an answer that ends by %s, so that it does not look complete", async (_name, version, framing) => {
    const origin = await closing(
      rawOrigin((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n`)
        if (framing.includes("chunked")) socket.write("ffffffff\r\n")
        flood(socket)
      })
    )
    const gateway = await gatewayFor({ proxy: { limit_bytes: 300_000n }, block: 100_000, allow: [origin.port] })
    const client = createConnection(gateway.port, "127.0.0.1")
    client.write(
      `GET http://127.0.0.1:${origin.port}/ HTTP/${version}\r\nProxy-Authorization: ${basic(login)}\r\nHost: x\r\n\r\n`
    )
    let error: NodeJS.ErrnoException | undefined
    let last = ""
    client.on("error", (failure) => (error = failure)).on("data", (chunk) => (last = chunk.toString("latin1")))
    await new Promise((settle) => client.once("close", settle))
    assert.match(last, /x/)
    assert.notMatch(last, /0\r\n\r\n$/)
    if (version === "1.0") assert.strictEqual(error?.code, "ECONNRESET")
  })

  it("ends an upload exactly at the limit", async () => {
    let arrived = 0
    const origin = await closing(rawOrigin((socket) => void socket.on("data", (chunk) => (arrived += chunk.length))))
    const gateway = await gatewayFor({ proxy: { limit_bytes: 1_234_567n }, block: 50_000, allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    flood(socket)
    await drained(socket)
    assert.strictEqual(arrived, 1_234_567)
  })

  it("delivers the end of a destination that ended while bytes waited for a lease and the client did not read", async () => {
    const { destination, lease, raw, upstream } = await metered(1_000_000n)
    lease(61_000)
    destination.write(Buffer.alloc(60_000))
    while (upstream.readableLength < 60_000) await once(raw, "data")
    destination.end(Buffer.alloc(8_000))
    await once(raw, "end")
    assert.strictEqual(upstream.readableLength, 61_000)
    lease(100_000)
    assert.isAtLeast(upstream.readableLength, upstream.readableHighWaterMark)
    assert.strictEqual((await drained(upstream)).bytes, 68_000)
    assert.isTrue(upstream.readableEnded)
  })

  it("delivers the last bytes of a client to a slow destination that has ended its own direction", async () => {
    const { destination, raw, upstream } = await metered(null)
    const accepted = Promise.withResolvers<Socket>()
    const listener = await closing(rawOrigin(accepted.resolve))
    const client = createConnection({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true })
    tunnel(await accepted.promise, upstream)
    destination.end()
    let sent = 0
    while (raw.writableLength === 0 && !client.destroyed) {
      client.write(Buffer.alloc(16_000))
      sent += 16_000
      await new Promise((settle) => setTimeout(settle, 1))
    }
    await once(client.resume().end(), "close")
    await new Promise((settle) => setTimeout(settle, 50))
    assert.strictEqual((await drained(destination)).bytes, sent)
  })

  it.each([undefined, 400_000_000n])(
    "delivers the bytes as they were, to a client that reads in bursts (%s bit/s)",
    async (rate_bps) => {
      const origin = await closing(rawOrigin((socket) => void socket.pipe(socket)))
      const proxy = { limit_bytes: 1_000_000_000n, rate_bps: rate_bps ?? null }
      const gateway = await gatewayFor({ proxy, block: 700_000, allow: [origin.port] })
      const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
      const sent = randomBytes(12_000_000)
      const received = createHash("sha256")
      let bytes = 0
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        received.update(chunk)
        if (bytes % 7 > 0) return
        socket.pause()
        setTimeout(() => socket.resume(), 5)
      })
      socket.end(sent)
      await once(socket, "end")
      assert.strictEqual(received.digest("hex"), createHash("sha256").update(sent).digest("hex"))
      assert.strictEqual(gateway.lender.settle(), 24_000_000)
    }
  )

  it("closes a tunnel at the limit as soon as its client has ended too", async () => {
    const accepted = Promise.withResolvers<Socket>()
    const origin = await closing(rawOrigin(accepted.resolve))
    const gateway = await gatewayFor({ proxy: { limit_bytes: 100_000n }, allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    const destination = await accepted.promise
    destination.write(Buffer.alloc(200_000))
    const closed = once(destination, "close")
    const began = performance.now()
    assert.strictEqual((await drained(socket)).bytes, 100_000)
    destination.resume().end()
    await closed
    assert.isBelow(performance.now() - began, 4_000)
  })

  it("slows down a fast destination for a slow client, instead of buffering", async () => {
    let sent = 0
    const origin = await closing(
      rawOrigin((socket) => {
        const block = Buffer.alloc(64 * 1024)
        const more = () => {
          do sent += block.length
          while (socket.write(block))
        }
        socket.on("drain", more)
        more()
      })
    )
    const gateway = await gatewayFor({ allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    socket.pause()
    // Waits for the destination to stall. A slow machine may seem to stall sooner, which fails nothing.
    let before = -1
    while (sent > before) {
      before = sent
      await new Promise((settle) => setTimeout(settle, 150))
    }
    // The kernel's buffers of two connections, and a small buffer of the gateway.
    assert.isBelow(sent, 32 * 1024 * 1024)
    socket.destroy()
  })
})
