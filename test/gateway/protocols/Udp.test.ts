import { assert, describe, it, vi } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import { type CountedRefusals, RefusalLog } from "../../../src/gateway/admission/RefusalLog.ts"
import { ConnectionLog } from "../../../src/gateway/traffic/ConnectionLog.ts"
import { gatewayFor, login } from "../LocalGateway.ts"
import { patience } from "../ProxyClient.ts"
import { associateVia, datagram, udpEcho, udpSocket } from "../UdpClient.ts"

type Options = NonNullable<Parameters<typeof gatewayFor>[0]>

const here = "127.0.0.1"
const exit_ip = "127.0.0.77"

/** A gateway with UDP, and an echo that it may reach. */
const pair = async ({ allow = [], proxy, ...options }: Options = {}) => {
  const echo = await udpEcho()
  const gateway = await gatewayFor({
    names: { "echo.test": [here] },
    ...options,
    proxy: { protocol: "SOCKS5", udp: true, exit_ip, ...proxy },
    allow: [echo.port, ...allow]
  })
  return { echo, gateway, to: (text: string, host = here) => datagram(host, echo.port, text) }
}

const arrives = (texts: ReadonlyArray<string>, ...expected: ReadonlyArray<string>) =>
  vi.waitFor(() => assert.deepStrictEqual(texts, expected), patience)

describe("An association for datagrams", () => {
  it("carries them both ways from the exit address, by address and by name", async () => {
    const { echo, gateway, to } = await pair()
    const { code, send, texts } = await associateVia(gateway)
    assert.strictEqual(code, 0)
    send(to("one"))
    await arrives(texts, `one from ${exit_ip}`)
    send(to("two", "echo.test"))
    await arrives(texts, `one from ${exit_ip}`, `two from ${exit_ip}`)
    send(to(""))
    await arrives(texts, `one from ${exit_ip}`, `two from ${exit_ip}`, ` from ${exit_ip}`)
    assert.lengthOf(new Set(echo.seen.map(({ port }) => port)), 1)
  })

  it("is refused by proxies without UDP, and by proxies of HTTP", async () => {
    const { gateway } = await pair({ proxy: { udp: false } })
    assert.strictEqual((await associateVia(gateway)).code, 7)
    const { gateway: ofHttp } = await pair({ proxy: { protocol: "HTTP" } })
    assert.strictEqual((await associateVia(ofHttp)).code, 2)
  })

  it("takes datagrams only from the client, and passes none of strangers", async () => {
    const { echo, gateway, to } = await pair()
    const { send, socket, texts } = await associateVia(gateway)
    const stranger = await udpSocket("127.0.0.2")
    const heard: Array<string> = []
    stranger.on("message", (message) => heard.push(String(message)))
    send(to("of a stranger"), stranger)
    send(to("first"))
    await arrives(texts, `first from ${exit_ip}`)
    const sameHost = await udpSocket()
    send(to("of another port"), sameHost)
    // A stranger that knows the port of the exit reaches nobody.
    stranger.send("to the exit", echo.seen[0]!.port, exit_ip)
    const sameAddress = await udpSocket()
    sameAddress.send("of the destination's host", echo.seen[0]!.port, exit_ip)
    send(to("last"))
    await arrives(texts, `first from ${exit_ip}`, `last from ${exit_ip}`)
    assert.lengthOf(echo.seen, 2)
    assert.deepStrictEqual(heard, [])
    assert.strictEqual(socket.address().address, here)
  })

  it("drops fragments and malformed datagrams", async () => {
    const { echo, gateway, to } = await pair()
    const { send, texts } = await associateVia(gateway)
    const good = to("x")
    const wrong = [
      datagram(here, echo.port, "part", 1),
      Buffer.alloc(0),
      good.subarray(0, 9),
      Buffer.concat([Buffer.from([0, 1]), good.subarray(2)]),
      Buffer.concat([good.subarray(0, 3), Buffer.from([2]), good.subarray(4)]),
      Buffer.from([0, 0, 0, 3, 200, 97, 98, 99]),
      Buffer.from([0, 0, 0, 3, 0, 0, 80, 97])
    ]
    for (const message of wrong) send(message)
    send(to("good"))
    await arrives(texts, `good from ${exit_ip}`)
    assert.lengthOf(echo.seen, 1)
  })

  it("reaches allowed destinations only, counts the others, and obeys changed rules", async () => {
    const refusals = new RefusalLog()
    const { echo, gateway, to } = await pair({ refusals })
    const { send, texts } = await associateVia(gateway)
    send(datagram("10.0.0.1", 53, "x"))
    send(datagram("echo.test", 25, "x"))
    send(datagram("unknown.test", 53, "x"))
    send(to("open"))
    await arrives(texts, `open from ${exit_ip}`)
    const closed = { action: "deny", host_suffix: null, network: null } as const
    const destinations = [{ ...closed, first_port: echo.port, last_port: echo.port }]
    await gateway.serve({ destinations, revision: 2 })
    send(to("closed"))
    const counted: Array<CountedRefusals> = []
    await vi.waitFor(() => {
      counted.push(...refusals.take(100))
      assert.lengthOf(counted, 4)
    }, patience)
    assert.sameDeepMembers(
      counted.map(({ host, port, reason }) => [reason, host, port]),
      [
        ["not_public", "10.0.0.1", 53],
        ["port_closed", "echo.test", 25],
        ["name_not_found", "unknown.test", 53],
        ["blocked_by_owner", here, echo.port]
      ]
    )
    // The destination does not reach the client any more.
    const { address, port } = echo.seen[0]!
    echo.socket.send("late", port, address)
    await setTimeout(50)
    await gateway.serve({ destinations: [], revision: 3 })
    send(to("again"))
    await arrives(texts, `open from ${exit_ip}`, `again from ${exit_ip}`)
  })

  it("counts the bytes of both directions", async () => {
    const { gateway, to } = await pair()
    const { send, texts } = await associateVia(gateway)
    send(to("x".repeat(20)))
    await vi.waitFor(() => assert.lengthOf(texts, 1), patience)
    assert.strictEqual(gateway.lender.settle(), 20 + texts[0]!.length)
  })

  it("ends at the traffic limit, and passes nothing beyond it", async () => {
    const { echo, gateway, to } = await pair({ proxy: { limit_bytes: 500n } })
    let arrived = 0
    echo.socket.on("message", (data) => (arrived += data.length))
    const { ended, send, texts } = await associateVia(gateway)
    const sending = setInterval(() => send(to("x".repeat(60))), 5)
    await ended
    clearInterval(sending)
    assert.strictEqual(gateway.lender.settle(), 500)
    const returned = texts.reduce((sum, text) => sum + text.length, 0)
    assert.isAtMost(arrived + returned, 500)
    assert.isAtLeast(arrived, 60)
  })

  it("ends when it is silent, when its connection ends, and when the proxy changes", async () => {
    const { gateway } = await pair({ limits: { idleMillis: 300 } })
    await (
      await associateVia(gateway)
    ).ended
    const lasting = await pair()
    const { control, relay, send, texts } = await associateVia(lasting.gateway)
    send(lasting.to("x"))
    await arrives(texts, `x from ${exit_ip}`)
    control.destroy()
    // The port is free again.
    await vi.waitFor(() => udpSocket(here, relay), patience)
    const another = await associateVia(lasting.gateway)
    await lasting.gateway.serve({ logins: [{ ...login, password: "another" }], revision: 2 })
    await another.ended
  })

  it("is bounded in number, also together with connections", async () => {
    const { gateway } = await pair({ limits: { associationsPerProxy: 2, associations: 3 } })
    const [first] = [await associateVia(gateway), await associateVia(gateway)]
    assert.strictEqual((await associateVia(gateway)).code, 1)
    first.control.destroy()
    await vi.waitFor(async () => assert.strictEqual((await associateVia(gateway)).code, 0), patience)
    const { gateway: full } = await pair({ limits: { tunnelsPerProxy: 1 } })
    assert.strictEqual((await associateVia(full)).code, 0)
    assert.strictEqual((await associateVia(full)).code, 1)
  })

  it("opens destinations no faster than connections", async () => {
    const refusals = new RefusalLog()
    const { gateway, to } = await pair({ refusals, limits: { openingsAtOnce: 3, openingsPerSecond: 0 } })
    const { send, texts } = await associateVia(gateway)
    // The association itself was the first.
    send(to("a"))
    send(to("b", "echo.test"))
    await vi.waitFor(() => assert.lengthOf(texts, 2), patience)
    send(datagram("other.test", 53, "c"))
    send(to("d"))
    await vi.waitFor(() => assert.lengthOf(texts, 3), patience)
    await vi.waitFor(() => assert.strictEqual(refusals.take(1)[0]?.reason, "too_fast"), patience)
  })

  it("records its destinations when the proxy shares its exit", async () => {
    const log = new ConnectionLog()
    const { echo, gateway, to } = await pair({ log, proxy: { exit_ip: null } })
    const { control, send, texts } = await associateVia(gateway)
    send(to("x"))
    await arrives(texts, `x from ${here}`)
    send(to("y"))
    await arrives(texts, `x from ${here}`, `y from ${here}`)
    const records = log.take(10)
    assert.lengthOf(records, 1)
    assert.deepInclude(records[0], {
      exit_ip: here,
      exit_port: echo.seen[0]!.port,
      destination: here,
      destination_port: echo.port,
      closed: false
    })
    control.destroy()
    await vi.waitFor(() => assert.isTrue(log.take(10)[0]?.closed), patience)
  })

  it("works over IPv6", async () => {
    const echo = await udpEcho("::1")
    const gateway = await gatewayFor({
      proxy: { protocol: "SOCKS5", udp: true, ip_version: "IPv6" },
      allowed: [`[::1]:${echo.port}`]
    })
    const { send, texts } = await associateVia(gateway)
    send(datagram("::1", echo.port, "six"))
    await arrives(texts, "six from ::1")
  })

  it("ends when the client sends more over its connection", async () => {
    const { gateway } = await pair()
    const { control, ended } = await associateVia(gateway)
    control.write("x")
    await ended
  })
})
