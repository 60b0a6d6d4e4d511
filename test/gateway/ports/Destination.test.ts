import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { Socket } from "node:net"
import { endpoint } from "../../../src/platform/outbound/AllowedEndpoints.ts"
import { silentPort } from "../../support/SilentListener.ts"
import { closing, gatewayFor, pair } from "../LocalGateway.ts"
import { rawOrigin } from "../Origin.ts"
import { connectVia, drained, fetchPlain, socksVia } from "../ProxyClient.ts"

const answering = (text: string) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`)

describe("A proxy", () => {
  it.each([
    ["127.0.0.1", 403],
    ["127.1", 403],
    ["0x7f.0.0.1", 403],
    ["2130706433", 403],
    ["017700000001", 403],
    ["[::1]", 403],
    ["[::ffff:127.0.0.1]", 403],
    ["[::ffff:a00:1]", 403],
    ["[64:ff9b::7f00:1]", 403],
    ["0.0.0.0", 403],
    ["169.254.169.254", 403],
    ["168.63.129.16", 403],
    ["10.0.0.1", 403],
    ["private.test", 403],
    ["mixed.test", 403],
    ["unknown.test", 502],
    ["bad_host!", 400]
  ])("refuses the destination %s", async (host, status) => {
    const names = {
      // The addresses that a system resolver makes of short spellings.
      "127.1": ["127.0.0.1"],
      "0x7f.0.0.1": ["127.0.0.1"],
      "2130706433": ["127.0.0.1"],
      "017700000001": ["127.0.0.1"],
      "private.test": ["192.168.1.1"],
      "mixed.test": ["8.8.8.8", "10.0.0.1"]
    }
    const gateway = await gatewayFor({ names })
    assert.strictEqual((await connectVia(gateway, `${host}:80`)).status, status)
    await gateway.serve({ protocol: "SOCKS5" })
    const answer = await socksVia(gateway, host.replace(/^\[|\]$/g, ""), 80)
    assert.isTrue(answer._tag === "Reply" && answer.code !== 0)
  })

  it("reaches public destinations and exactly the allowed private ones, also by name", async () => {
    const { gateway, origin } = await pair({ names: { "origin.test": ["127.0.0.1"] } })
    assert.strictEqual((await fetchPlain(gateway, `http://origin.test:${origin.port}/`)).status, 200)
    assert.strictEqual((await connectVia(gateway, `[::ffff:127.0.0.1]:${origin.port}`)).status, 200)
    assert.strictEqual((await connectVia(gateway, `127.0.0.1:${origin.port + 1}`)).status, 403)
    assert.strictEqual((await connectVia(gateway, `127.0.0.2:${origin.port}`)).status, 403)
  })

  it("refuses the addresses of its own machine, except allowed ones", async () => {
    const gateway = await gatewayFor({ own: ["8.8.8.8", "2606:4700::1"], names: { "own.test": ["8.8.8.8"] } })
    for (const host of ["8.8.8.8", "own.test", "[2606:4700:0::1]", "[::ffff:8.8.8.8]"]) {
      assert.strictEqual((await connectVia(gateway, `${host}:6379`)).status, 403)
    }
    const { gateway: allowing, url } = await pair({ own: ["127.0.0.1"] })
    assert.strictEqual((await fetchPlain(allowing, url)).status, 200)
  })

  it.each([
    ["IPv4", "four"],
    ["IPv6", "six"]
  ] as const)("without an exit address an %s proxy prefers that version", async (ip_version, preferred) => {
    const four = await closing(rawOrigin(answering("four")))
    const six = await closing(rawOrigin(answering("six"), { host: "::1", port: four.port }))
    const both = ["127.0.0.2", "127.0.0.1", "::1"]
    const gateway = await gatewayFor({
      proxy: { ip_version },
      names: { "both.test": both, "four.test": ["127.0.0.1"] },
      allowed: both.map((ip) => endpoint(ip, four.port))
    })
    const bodyOf = async (name: string) => (await fetchPlain(gateway, `http://${name}:${four.port}/`)).body
    assert.strictEqual(await bodyOf("both.test"), preferred)
    assert.strictEqual(await bodyOf("four.test"), "four")
    six.close()
    assert.strictEqual(await bodyOf("both.test"), "four")
  })

  it("refuses port 25", async () => {
    const gateway = await gatewayFor({ allow: [25] })
    const answer = await connectVia(gateway, "127.0.0.1:25")
    assert.strictEqual(answer.status, 403)
    assert.match(String(answer.headers["x-proxy-error"]), /Port 25/)
  })

  it("connects from its exit address, and only to destinations of the same IP version", async () => {
    let source: string | undefined
    const origin = await closing(
      rawOrigin((socket) => {
        source = socket.remoteAddress
        socket.end("x")
      })
    )
    const gateway = await gatewayFor({ proxy: { exit_ip: "127.0.0.77" }, allow: [origin.port] })
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    await drained(socket)
    assert.strictEqual(source, "127.0.0.77")
    const answer = await connectVia(gateway, `[2606:4700:4700::1111]:80`)
    assert.strictEqual(answer.status, 502)
    assert.match(String(answer.headers["x-proxy-error"]), /no IPv4 address/)
  })

  it.each([
    ["IPv4", "127.0.0.77", "four"],
    ["IPv6", "::1", "six"]
  ] as const)(
    "resolves names itself, and its %s exit decides between A and AAAA records",
    async (ip_version, exit_ip, seen) => {
      const four = await closing(rawOrigin(answering("four")))
      const six = await closing(rawOrigin(answering("six"), { host: "::1", port: four.port }))
      const { port } = six
      const options = {
        names: { "both.test": ["127.0.0.1", "::1"], "other.test": [ip_version === "IPv4" ? "::1" : "127.0.0.1"] },
        allowed: ["127.0.0.1", "::1"].map((ip) => endpoint(ip, port))
      }
      const gateway = await gatewayFor({ ...options, proxy: { ip_version, exit_ip } })
      assert.strictEqual((await fetchPlain(gateway, `http://both.test:${port}/`)).body, seen)
      const { socket } = await connectVia(gateway, `both.test:${port}`)
      assert.match(String((await once(socket, "data"))[0]), new RegExp(`${seen}$`))
      const refused = await connectVia(gateway, `other.test:${port}`)
      assert.strictEqual(refused.status, 502)
      assert.match(String(refused.headers["x-proxy-error"]), new RegExp(`no ${ip_version} address`))
      const socks = await gatewayFor({ ...options, proxy: { ip_version, exit_ip, protocol: "SOCKS5" } })
      const reply = await socksVia(socks, "both.test", port)
      assert.strictEqual(reply._tag === "Reply" && reply.code, 0)
      if (reply._tag === "Reply") assert.match(String((await once(reply.socket, "data"))[0]), new RegExp(`${seen}$`))
      assert.deepInclude(await socksVia(socks, "other.test", port), { _tag: "Reply", code: 4 })
    }
  )

  it("answers 504 when the destination does not answer", async () => {
    const port = await silentPort()
    const gateway = await gatewayFor({ limits: { connectMillis: 200 }, allow: [port] })
    const answer = await connectVia(gateway, `127.0.0.1:${port}`)
    assert.strictEqual(answer.status, 504)
    assert.match(String(answer.headers["x-proxy-error"]), /did not answer in time/)
  })
})
