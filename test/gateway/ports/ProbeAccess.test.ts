import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { GatewayProxyId } from "../../../src/gateway/GatewayProxy.ts"
import { probedTarget, probeLogin } from "../../../src/gateway/ProbeLogin.ts"
import { gatewayFor, pair } from "../LocalGateway.ts"
import { connectVia, drained, fetchPlain, socksVia } from "../ProxyClient.ts"

const proxy = {
  id: GatewayProxyId.make("0b8f2f7e-8f4c-4a7a-9d27-000000000001"),
  probe_key: "0b8f2f7e-8f4c-4a7a-9d27-000000000002"
}
const now = 1_800_000_000_000

describe("The login of a probe", () => {
  const login = probeLogin(proxy, "echo.example.com:443", now)

  it("names its target for a minute", () => {
    assert.strictEqual(probedTarget(proxy, login, now), "echo.example.com:443")
    assert.strictEqual(probedTarget(proxy, login, now + 60_000), "echo.example.com:443")
    assert.isUndefined(probedTarget(proxy, login, now + 61_000))
    // A gateway whose clock is far behind would accept it for hours.
    assert.isUndefined(probedTarget(proxy, login, now - 61_000))
  })

  it.each([
    ["another proxy", { ...proxy, id: GatewayProxyId.make("0b8f2f7e-8f4c-4a7a-9d27-000000000003") }, login],
    ["another key", { ...proxy, probe_key: "0b8f2f7e-8f4c-4a7a-9d27-000000000004" }, login],
    ["another target", proxy, { ...login, username: probeLogin(proxy, "127.0.0.1:22", now).username }],
    ["another time", proxy, { ...login, username: login.username.replace(/\d+/, (time) => `${Number(time) + 30}`) }],
    ["no password", proxy, { ...login, password: "" }],
    ["another login", proxy, { username: "customer", password: login.password }],
    ["no login", proxy, undefined]
  ])("says nothing for %s", (_, one, given) => {
    assert.isUndefined(probedTarget(one, given, now))
  })
})

const loginFor = (port: number) => probeLogin(proxy, `127.0.0.1:${port}`, Date.now())

describe("A probe", () => {
  it("reaches its target over every protocol, whatever the whitelist, and counts as nobody's traffic", async () => {
    const { gateway, origin, url } = await pair({ proxy: { whitelist: ["8.8.8.8"] }, limits: { clientsPerProxy: 0 } })
    const via = { port: gateway.port, login: loginFor(origin.port) }
    assert.strictEqual((await fetchPlain(via, `${url}/hello`)).status, 200)
    const tunnel = await connectVia(via, `127.0.0.1:${origin.port}`)
    assert.strictEqual(tunnel.status, 200)
    tunnel.socket.end(`GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.isAbove((await drained(tunnel.socket)).bytes, 0)
    await gateway.serve({ whitelist: ["8.8.8.8"], protocol: "SOCKS5" })
    assert.deepInclude(await socksVia(via, "127.0.0.1", origin.port), { _tag: "Reply", code: 0 })
    assert.strictEqual(gateway.lender.settle(), 0)
  })

  it("reaches a target on this machine, which customers do not reach", async () => {
    const { origin, url } = await pair()
    const gateway = await gatewayFor({ own: ["127.0.0.1"] })
    const login = loginFor(origin.port)
    assert.strictEqual((await fetchPlain({ ...gateway, login }, url)).status, 200)
    assert.strictEqual((await fetchPlain(gateway, url)).status, 403)
  })

  it("reaches nothing else, and nothing once the proxy is suspended", async () => {
    const { gateway, origin, url } = await pair()
    const other = await pair()
    const via = { port: gateway.port, login: loginFor(origin.port) }
    assert.strictEqual((await fetchPlain(via, other.url)).status, 403)
    assert.strictEqual((await connectVia(via, "example.com:443")).status, 403)
    await gateway.serve({ used_bytes: 10n, limit_bytes: 10n })
    assert.strictEqual((await fetchPlain(via, url)).status, 200)
    await gateway.serve({ suspended_at: DateTime.makeUnsafe(0) })
    assert.strictEqual((await fetchPlain(via, url)).status, 403)
  })

  it("goes on while a change of the access ends the customer's connections", async () => {
    const { gateway, origin } = await pair()
    const target = `127.0.0.1:${origin.port}`
    const probe = await connectVia({ port: gateway.port, login: loginFor(origin.port) }, target)
    const customer = await connectVia(gateway, target)
    const ended = new Promise((settle) => customer.socket.on("error", () => {}).once("close", settle))
    await gateway.serve({ whitelist: ["8.8.8.8"] })
    await ended
    probe.socket.end(`GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.isAbove((await drained(probe.socket)).bytes, 0)
  })

  it("is refused like any wrong password when its login is over", async () => {
    const { gateway, origin, url } = await pair()
    const login = probeLogin(proxy, `127.0.0.1:${origin.port}`, Date.now() - 61_000)
    assert.strictEqual((await fetchPlain({ port: gateway.port, login }, url)).status, 407)
  })
})
