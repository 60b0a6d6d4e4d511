import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import type { Socket } from "node:net"
import { closing, gatewayFor, pair } from "../LocalGateway.ts"
import { flood, rawOrigin } from "../Origin.ts"
import { connectVia, fetchPlain, patience, socksVia } from "../ProxyClient.ts"

const counting = (sockets: ReadonlyArray<Socket>) => {
  const counts = sockets.map(() => 0)
  for (const [index, socket] of sockets.entries()) socket.on("data", (chunk) => (counts[index]! += chunk.length))
  return counts
}

const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)

const pause = (millis: number) => new Promise((settle) => setTimeout(settle, millis))

/** A gateway that limits a proxy to 1 MB a second, with four tunnels to a destination that sends endlessly. */
const limited = async () => {
  const origin = await closing(rawOrigin(flood))
  const proxy = { rate_bps: 8_000_000n, limit_bytes: 1_000_000_000n }
  const gateway = await gatewayFor({ proxy, block: 50_000_000, allow: [origin.port] })
  const began = performance.now()
  const tunnels = await Promise.all([1, 2, 3, 4].map(() => connectVia(gateway, `127.0.0.1:${origin.port}`)))
  const sockets = tunnels.map(({ socket }) => socket)
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return { began, gateway, sockets }
}

describe("A proxy with limits", () => {
  it("keeps its rate over all connections, gives each a part, and meters every byte", async () => {
    const { began, gateway, sockets } = await limited()
    const counts = counting(sockets)
    await pause(1_500)
    const received = sum(counts)
    const seconds = (performance.now() - began) / 1_000
    assert.isAtMost(received, 250_000 + 1_000_000 * seconds)
    assert.isAtLeast(received, 500_000)
    for (const count of counts) assert.isAbove(count, received / 20)
    for (const socket of sockets) socket.destroy()
    await pause(50)
    const used = gateway.lender.settle()
    assert.isAtLeast(used, received)
    await pause(200)
    assert.strictEqual(gateway.lender.settle(), used, "bytes that waited in closed connections do not pass")
  })

  it("changes its rate for open connections", async () => {
    const { gateway, sockets } = await limited()
    const counts = counting(sockets)
    await vi.waitFor(() => assert.isAbove(sum(counts), 250_000), patience)
    await gateway.serve({ rate_bps: null, limit_bytes: 1_000_000_000n })
    await vi.waitFor(() => assert.isAbove(sum(counts), 50_000_000), patience)
    await gateway.serve({ rate_bps: 1_000_000n, limit_bytes: 1_000_000_000n })
    // The bytes that had passed before arrive first.
    await pause(300)
    const before = sum(counts)
    await pause(500)
    assert.isBelow(sum(counts) - before, 1_000_000)
  })

  it("limits uploads as well, and delivers all of them", async () => {
    let arrived = 0
    const origin = await closing(rawOrigin((socket) => void socket.on("data", (chunk) => (arrived += chunk.length))))
    const gateway = await gatewayFor({ proxy: { rate_bps: 8_000_000n }, allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    const began = performance.now()
    socket.end(Buffer.alloc(600_000))
    await vi.waitFor(() => assert.strictEqual(arrived, 600_000), patience)
    assert.isAtLeast(performance.now() - began, 300)
  })

  it("limits plain requests, and delivers whole answers", async () => {
    const { gateway, url } = await pair({ proxy: { rate_bps: 8_000_000n } })
    const began = performance.now()
    assert.strictEqual((await fetchPlain(gateway, `${url}/bytes/600000`)).body.length, 600_000)
    assert.isAtLeast(performance.now() - began, 300)
  })

  it("opens no more connections than its offer allows, and says so", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.pipe(socket)))
    const gateway = await gatewayFor({ proxy: { max_connections: 2 }, allow: [origin.port] })
    const open = () => connectVia(gateway, `127.0.0.1:${origin.port}`)
    const [first] = [await open(), await open()]
    const refused = await open()
    assert.strictEqual(refused.status, 429)
    assert.match(String(refused.headers["x-proxy-error"]), /Too many open connections/)
    first.socket.destroy()
    await vi.waitFor(async () => assert.strictEqual((await open()).status, 200), patience)
    await gateway.serve({ max_connections: 3 })
    assert.strictEqual((await open()).status, 200)
    await gateway.serve({ max_connections: 3, protocol: "SOCKS5" })
    const tunnels = await Promise.all([1, 2, 3, 4].map(() => socksVia(gateway, "127.0.0.1", origin.port)))
    const codes = tunnels.map((answer) => (answer._tag === "Reply" ? answer.code : -1))
    assert.deepStrictEqual(codes.toSorted(), [0, 0, 0, 1])
  })
})
