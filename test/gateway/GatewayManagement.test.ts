import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import type { Socket } from "node:net"
import { vi } from "vitest"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { GatewayServer } from "../../src/gateway/process/GatewayServer.ts"
import { connectVia, drained, fetchPlain, type Login, socksVia } from "./ProxyClient.ts"
import { eventually, expiresIn, open, Origins, runningGateway, tunnelTo, usageReaches, via } from "./RunningGateway.ts"

const exits = { US: ["127.0.0.11", "127.0.0.12", "127.0.0.13"], DE: ["127.0.0.21"] }
const pools = { "us-mobile": exits.US, "de-mobile": exits.DE, "us-datacenter": ["127.0.0.31", "127.0.0.32"] }

const openMobile = (changes: Parameters<typeof open>[0] = {}) => open({ kind: "mobile", ...changes })

/** The result of a login, in the terms of the protocol. */
const tried = async (proxy: GatewayProxy, login: Login | undefined, port: number) => {
  const by = { port: proxy.port, ...(login && { login }) }
  if (proxy.protocol !== "SOCKS5") return (await connectVia(by, `127.0.0.1:${port}`)).status
  const answer = await socksVia(by, "127.0.0.1", port)
  return answer._tag === "Reply" ? answer.code : answer._tag
}

const socketTo = (proxy: GatewayProxy, port: number) => {
  if (proxy.protocol !== "SOCKS5") return tunnelTo(proxy, port)
  return eventually(async () => {
    const answer = await socksVia(via(proxy), "127.0.0.1", port)
    if (answer._tag !== "Reply" || answer.code !== 0) throw new Error(answer._tag)
    return answer.socket
  })
}

/** Opens a tunnel to a destination that only answers. */
const openTunnel = Effect.fnUntraced(function* (proxy: GatewayProxy) {
  const { echo } = yield* Origins
  const socket = yield* socketTo(proxy, echo)
  return { socket, end: drained(socket) }
})

const ends = ({ end }: { readonly end: Promise<unknown> }) => Effect.promise(() => end)

const echoes = ({ socket }: { readonly socket: Socket }) =>
  Effect.promise(async () => {
    socket.write("still here")
    assert.strictEqual(String((await once(socket, "data"))[0]), "still here")
  })

const peerSeen = (proxy: GatewayProxy, port: number) =>
  Effect.promise(async () => {
    const { socket } = await connectVia(via(proxy), `127.0.0.1:${port}`)
    return String((await once(socket, "data"))[0])
  })

/** Answers whether the gateway has read this expiry of a proxy. */
const learnedExpiries = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(GatewayServer.prototype, "serve")),
    (spy) => Effect.sync(() => spy.mockRestore())
  ),
  (spy) => (proxy: GatewayProxy, expires_at: DateTime.Utc) =>
    spy.mock.calls.some(([{ id, expires_at: read }]) => id === proxy.id && DateTime.Equivalence(read, expires_at))
)

layer(runningGateway({}, pools), { excludeTestServices: true })("A running gateway", (it) => {
  for (const [protocol, served, refused] of [
    ["HTTP", 200, 407],
    ["SOCKS5", 0, "WrongLogin"]
  ] as const)
    it.effect(`accepts all new logins of an ${protocol} proxy, and no longer the old one`, () =>
      Effect.gen(function* () {
        const { echo } = yield* Origins
        const before = yield* openMobile({ protocol })
        const tunnel = yield* openTunnel(before)
        const logins = [
          { username: "one", password: "first secret" },
          { username: "two", password: "zweites Geheimnis ß" }
        ]
        const after = yield* GatewayProxies.use(({ setUsers }) => setUsers(before.id, { logins }))
        yield* eventually(async () => assert.strictEqual(await tried(after, before.logins[0], echo), refused))
        for (const login of logins)
          assert.strictEqual(yield* Effect.promise(() => tried(after, login, echo)), served, login.username)
        const crossed = { username: "one", password: "zweites Geheimnis ß" }
        assert.strictEqual(yield* Effect.promise(() => tried(after, crossed, echo)), refused)
        yield* ends(tunnel)
      })
    )

  it.effect("admits whitelisted addresses without a login, and logins again when the whitelist is empty", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const { setUsers } = yield* GatewayProxies
      const proxy = yield* openMobile()
      const [login] = proxy.logins
      yield* openTunnel(proxy)
      yield* setUsers(proxy.id, { whitelist: ["::ffff:127.0.0.1"] })
      yield* eventually(async () => assert.strictEqual(await tried(proxy, undefined, echo), 200))
      yield* setUsers(proxy.id, { whitelist: ["8.8.8.8"] })
      yield* eventually(async () => assert.strictEqual(await tried(proxy, login, echo), 403))
      yield* setUsers(proxy.id, { whitelist: [] })
      yield* eventually(async () => assert.strictEqual(await tried(proxy, login, echo), 200))
      assert.strictEqual(yield* Effect.promise(() => tried(proxy, undefined, echo)), 407)
    })
  )

  it.effect("rotates a proxy through all addresses of its country, and keeps port and logins", () =>
    Effect.gen(function* () {
      const { peer } = yield* Origins
      const { close, rotate } = yield* GatewayProxies
      let proxy = yield* openMobile()
      const seen = [proxy.exit_ip]
      for (let turn = 0; turn < exits.US.length - 1; turn++) {
        const tunnel = yield* openTunnel(proxy)
        assert.strictEqual(yield* peerSeen(proxy, peer), proxy.exit_ip)
        const rotated = yield* rotate(proxy.id)
        assert.deepStrictEqual([rotated.port, rotated.logins], [proxy.port, proxy.logins])
        yield* ends(tunnel)
        proxy = rotated
        seen.push(proxy.exit_ip)
      }
      assert.strictEqual(yield* peerSeen(proxy, peer), proxy.exit_ip)
      assert.sameMembers(seen, exits.US)
      yield* close(proxy.id)
    })
  )

  it.effect("replaces a proxy: another address, a login in place of all others, and no connection of before", () =>
    Effect.gen(function* () {
      const { echo, peer } = yield* Origins
      const before = yield* open({ kind: "datacenter" })
      const tunnel = yield* openTunnel(before)
      const after = yield* GatewayProxies.use(({ replace }) =>
        replace(before.id, { reference: randomUUID(), keeps_logins: false, is_failing: false })
      )
      assert.deepStrictEqual([before.exit_ip, after.exit_ip], pools["us-datacenter"])
      yield* ends(tunnel)
      yield* eventually(async () => assert.strictEqual(await tried(after, before.logins[0], echo), 407))
      assert.strictEqual(yield* peerSeen(after, peer), after.exit_ip)
    })
  )

  it.effect("ends all connections on a rotation without another address", () =>
    Effect.gen(function* () {
      const { peer } = yield* Origins
      const proxy = yield* openMobile({ country_code: "DE" })
      const tunnel = yield* openTunnel(proxy)
      const rotated = yield* GatewayProxies.use(({ rotate }) => rotate(proxy.id))
      assert.strictEqual(rotated.exit_ip, proxy.exit_ip)
      yield* ends(tunnel)
      assert.strictEqual(yield* peerSeen(proxy, peer), exits.DE[0])
    })
  )

  it.effect("speaks another protocol on the same port", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const proxy = yield* openMobile()
      const tunnel = yield* openTunnel(proxy)
      const socks = yield* GatewayProxies.use(({ setProtocol }) => setProtocol(proxy.id, "SOCKS5"))
      assert.strictEqual(socks.port, proxy.port)
      yield* eventually(async () => assert.strictEqual(await tried(socks, proxy.logins[0], echo), 0))
      assert.strictEqual(yield* Effect.promise(() => tried(proxy, proxy.logins[0], echo)), 403)
      yield* ends(tunnel)
    })
  )

  it.effect("keeps a proxy and its tunnels when the proxy is extended just before it expires", () => {
    /** Extends a proxy just before it expires. False when the gateway learned of the extension too late. */
    const isKept = Effect.fnUntraced(function* (life: number) {
      const knows = yield* learnedExpiries
      const proxy = yield* openMobile()
      const tunnel = yield* openTunnel(proxy)
      const learns = (expires_at: DateTime.Utc) =>
        eventually(async () => assert.isTrue(knows(proxy, expires_at) || tunnel.socket.destroyed))
      const expires_at = yield* expiresIn(proxy, life)
      yield* learns(expires_at)
      const later = DateTime.add(expires_at, { days: 30 })
      const extension = { reference: randomUUID(), kind: "append", limit_bytes: null, expires_at: later } as const
      yield* GatewayProxies.use(({ extend }) => extend(proxy.id, extension)).pipe(
        Effect.catchTag("GatewayProxyEnded", () => Effect.void)
      )
      yield* learns(later)
      const left = DateTime.toEpochMillis(expires_at) - (yield* Clock.currentTimeMillis)
      if (left <= 0) return false
      // Time is the subject: the tunnel outlives the first expiry.
      yield* Effect.sleep(left + 200)
      yield* Effect.raceFirst(echoes(tunnel), Effect.andThen(ends(tunnel), Effect.die(new Error("The tunnel was cut"))))
      tunnel.socket.destroy()
      return true
    })
    // On a slow machine the extension is too late: then the next proxy lives twice as long.
    const kept = (life: number): ReturnType<typeof isKept> =>
      Effect.flatMap(isKept(life), (isKept) => (isKept ? Effect.succeed(true) : kept(2 * life)))
    return kept(700)
  })

  it.effect("serves an exhausted proxy again after more traffic is bought, exact to the byte", () =>
    Effect.gen(function* () {
      const { flood } = yield* Origins
      const proxy = yield* openMobile({ limit_bytes: 1_000_000n })
      const first = drained(yield* tunnelTo(proxy, flood))
      assert.strictEqual((yield* Effect.promise(() => first)).bytes, 1_000_000)
      assert.strictEqual(yield* Effect.promise(() => tried(proxy, proxy.logins[0], flood)), 402)
      yield* GatewayProxies.use(({ addTraffic }) => addTraffic(proxy.id, { reference: randomUUID(), bytes: 500_000n }))
      yield* eventually(async () => {
        const { socket, status } = await connectVia(via(proxy), `127.0.0.1:${flood}`)
        assert.strictEqual(status, 200)
        assert.strictEqual((await drained(socket)).bytes, 500_000)
      })
      assert.strictEqual(yield* usageReaches(proxy, 1_500_000), 1_500_000)
    })
  )

  it.effect("serves an exhausted proxy again in its next cycle", () =>
    Effect.gen(function* () {
      const { web } = yield* Origins
      const { extend, get } = yield* GatewayProxies
      const proxy = yield* openMobile({ limit_bytes: 10_000n })
      const url = `http://127.0.0.1:${web}/bytes/20000`
      yield* eventually(() => fetchPlain(via(proxy), url).catch((error) => assert.include(String(error), "aborted")))
      yield* eventually(async () => assert.strictEqual((await fetchPlain(via(proxy), url)).status, 402))
      yield* extend(proxy.id, {
        reference: randomUUID(),
        kind: "restart",
        expires_at: proxy.expires_at,
        limit_bytes: 90_000n
      })
      yield* eventually(async () => assert.strictEqual((await fetchPlain(via(proxy), url)).status, 200))
      const total = yield* usageReaches(proxy, 30_000)
      const { limit_bytes, used_bytes } = yield* get(proxy.id)
      assert.deepStrictEqual([limit_bytes, Number(used_bytes)], [90_000n, total - 10_000])
    })
  )

  it.effect(
    "applies a restart during a download: no byte is cut, lost, booked twice or charged to the wrong cycle",
    () =>
      Effect.gen(function* () {
        const { flood } = yield* Origins
        const { extend, get } = yield* GatewayProxies
        const [first, second] = [1_000_000_000, 30_000_000]
        const proxy = yield* openMobile({ limit_bytes: BigInt(first) })
        const end = drained(yield* tunnelTo(proxy, flood))
        yield* usageReaches(proxy, 1)
        yield* extend(proxy.id, {
          reference: randomUUID(),
          kind: "restart",
          expires_at: proxy.expires_at,
          limit_bytes: BigInt(second)
        })
        const { bytes } = yield* Effect.promise(() => end)
        assert.isAbove(bytes, second)
        assert.isBelow(bytes, first)
        assert.strictEqual(yield* usageReaches(proxy, bytes), bytes)
        const { leased_bytes, used_bytes } = yield* get(proxy.id)
        assert.deepStrictEqual([Number(used_bytes), leased_bytes], [second, 0n])
      })
  )
})
