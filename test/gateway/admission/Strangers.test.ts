import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { once } from "node:events"
import { createConnection, type Socket } from "node:net"
import { limitsFor } from "../../../src/gateway/GatewayLimits.ts"
import { PasswordGuesses } from "../../../src/gateway/admission/PasswordGuesses.ts"
import { freeze } from "../../support/FrozenTime.ts"
import { closing, gatewayFor, login, pair } from "../LocalGateway.ts"
import { flood, rawOrigin } from "../Origin.ts"
import { basic, connectVia, fetchPlain, patience, socksVia } from "../ProxyClient.ts"

/** Opens silent connections from an address of loopback. */
const strangers = async (port: number, count: number, localAddress: string) => {
  const sockets = Array.from({ length: count }, () =>
    createConnection({ port, host: "127.0.0.1", localAddress }).on("error", () => {})
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])))
  return sockets
}

const becomeAtMost = (sockets: ReadonlyArray<Socket>, most: number) =>
  vi.waitFor(() => assert.isAtMost(sockets.filter((socket) => !socket.destroyed).length, most), patience)

/** Sends a plain request from an address of loopback, and answers its status. */
const status = async (port: number, login: { username: string; password: string }, localAddress: string) => {
  const client = createConnection({ port, host: "127.0.0.1", localAddress })
  onTestFinished(() => void client.destroy())
  client.write(`GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`)
  const [answer] = await once(client, "data")
  client.destroy()
  return Number(String(answer).split(" ")[1])
}

const guess = (index: number) => ({ username: login.username, password: `guess ${index}` })

describe("Unauthenticated connections", () => {
  it("do not block a customer, even 2,100 of them from one address", async () => {
    const { gateway, origin, url } = await pair()
    const { socket } = await connectVia(gateway, `127.0.0.1:${origin.port}`)
    const attack = await strangers(gateway.port, 2_100, "127.0.1.66")
    assert.strictEqual((await fetchPlain(gateway, `${url}/hello`)).status, 200)
    assert.strictEqual((await connectVia(gateway, `127.0.0.1:${origin.port}`)).status, 200)
    assert.isFalse(socket.destroyed)
    await becomeAtMost(attack, limitsFor(Infinity).strangersPerSource)
  })

  it("make room for a customer from the same address", async () => {
    const { gateway, url } = await pair()
    await strangers(gateway.port, 1_000, "127.0.0.1")
    assert.strictEqual((await fetchPlain(gateway, `${url}/hello`)).status, 200)
  })

  it("are limited by network, by proxy and in total, and the newest one stays", async () => {
    const limits = { strangersPerSource: 4, strangersPerNetwork: 6, strangersPerProxy: 8, strangers: 9 }
    const { gateway, url } = await pair({ limits })
    const from = async (address: string) => strangers(gateway.port, 5, address)
    const first = await from("127.0.1.1")
    await becomeAtMost(first, 4)
    const network = [...first, ...(await from("127.0.1.2"))]
    await becomeAtMost(network, 6)
    const all = [...network, ...(await from("127.0.2.1"))]
    await becomeAtMost(all, 8)
    assert.isFalse(all.at(-1)!.destroyed)
    assert.strictEqual((await fetchPlain(gateway, `${url}/hello`)).status, 200)
  })

  it("never take the slots of clients, which have their own limit", async () => {
    const origin = await closing(rawOrigin(flood))
    const limits = { clientsPerProxy: 2, strangersPerSource: 1, strangers: 1 }
    const gateway = await gatewayFor({ limits, allow: [origin.port] })
    const authority = `127.0.0.1:${origin.port}`
    const tunnels = [await connectVia(gateway, authority), await connectVia(gateway, authority)]
    await strangers(gateway.port, 20, "127.0.0.1")
    for (const { socket } of tunnels) await once(socket, "data")
    const third = await connectVia(gateway, authority)
    assert.deepStrictEqual([third.status, third.headers["retry-after"]], [429, "10"])
    tunnels[0]!.socket.destroy()
    await vi.waitFor(async () => assert.strictEqual((await connectVia(gateway, authority)).status, 200), patience)
  })

  it("are counted apart from clients; clients and destinations of all proxies together are limited too", async () => {
    const { gateway, origin } = await pair({ limits: { clients: 1 } })
    const authority = `127.0.0.1:${origin.port}`
    assert.strictEqual((await connectVia(gateway, authority)).status, 200)
    assert.strictEqual((await connectVia(gateway, authority)).status, 503)
    const other = await gatewayFor({ limits: { tunnels: 0 }, allow: [origin.port] })
    assert.strictEqual((await connectVia(other, authority)).status, 503)
  })

  it("are counted apart from customers; a customer with several proxies leaves slots for the others", async () => {
    const { gateway, origin } = await pair({ limits: { tunnels: 20 } })
    const authority = `127.0.0.1:${origin.port}`
    const statuses: Array<number> = []
    for (let index = 0; index < 20; index++) statuses.push((await connectVia(gateway, authority)).status)
    assert.strictEqual(statuses.filter((status) => status === 200).length, 16)
    assert.strictEqual(statuses.at(-1), 503)
  })

  it("from a customer's own address are limited too, over all proxies", async () => {
    const { gateway, url } = await pair({ limits: { strangersPerSource: 3 } })
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
    await becomeAtMost(await strangers(gateway.port, 20, "127.0.0.1"), 3)
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
  })

  it("from many networks do not push out a connection from a known source", async () => {
    const { gateway, url } = await pair({ limits: { strangersPerProxy: 4, strangers: 4 } })
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
    const [customer] = await strangers(gateway.port, 1, "127.0.0.1")
    for (let network = 1; network <= 20; network++) {
      await becomeAtMost(await strangers(gateway.port, 5, `127.0.${network}.1`), 4)
    }
    customer!.write(`GET ${url}/hello HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`)
    const [answer] = await once(customer!, "data")
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
  })

  it.each([{ known: 3 }, { knownPerProxy: 3 }])(
    "are not pushed out by known sources, with the limit %o",
    async (limits) => {
      const { gateway, url } = await pair({ limits: { strangersPerProxy: 4, strangers: 4, ...limits } })
      const addresses = ["127.0.1.1", "127.0.2.1"]
      for (const address of addresses) assert.notStrictEqual(await status(gateway.port, login, address), 407)
      const waiting = await strangers(gateway.port, 4, "127.0.3.1")
      const known: Array<Socket> = []
      for (const address of addresses) known.push(...(await strangers(gateway.port, 20, address)))
      await becomeAtMost(known, 3)
      assert.isFalse(known.at(-1)!.destroyed)
      assert.deepStrictEqual(
        waiting.filter(({ destroyed }) => destroyed),
        []
      )
      assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
    }
  )

  it("stay within the limit of open files, for every limit", () => {
    for (const openFiles of [256, 1_024, 4_096, 20_000, 1_048_576, Infinity]) {
      const limits = limitsFor(openFiles)
      assert.isAtMost(limits.strangers + limits.known + limits.clients + limits.tunnels, openFiles * 0.75)
      assert.isBelow(limits.strangersPerSource, limits.strangers)
      assert.isBelow(limits.strangersPerProxy, limits.strangers)
      for (const limit of Object.values(limits)) assert.isAbove(limit, 0)
    }
    assert.deepInclude(limitsFor(Infinity), { clients: 20_000, clientsPerProxy: 2_000, strangers: 10_000 })
  })
})

describe("Password guesses", () => {
  it("are limited over both protocols; a known login is not", async () => {
    onTestFinished(freeze())
    const { gateway, origin } = await pair()
    assert.notStrictEqual(await status(gateway.port, login, "127.0.1.1"), 407)
    const statuses: Array<number> = []
    for (let index = 0; index < 200; index++) statuses.push(await status(gateway.port, guess(index), "127.0.1.66"))
    assert.isAtMost(statuses.filter((status) => status === 407).length, 15)
    assert.strictEqual(statuses.at(-1), 429)
    assert.strictEqual(await status(gateway.port, login, "127.0.1.66"), 429, "not even the right one is judged")
    assert.notStrictEqual(await status(gateway.port, login, "127.0.1.2"), 429)

    await gateway.serve({ protocol: "SOCKS5" })
    for (let index = 0; index < 15; index++)
      assert.deepInclude(await socksVia({ ...gateway, login: guess(index) }, "127.0.0.1", origin.port), {
        _tag: "WrongLogin"
      })
    assert.deepInclude(await socksVia(gateway, "127.0.0.1", origin.port), { _tag: "WrongLogin" })
  })

  it("are all available again after the stated wait", async () => {
    onTestFinished(freeze())
    const { gateway, url } = await pair()
    const client = { ...gateway, login: guess(0) }
    let answer = await fetchPlain(client, url)
    for (let index = 0; index < 50 && answer.status !== 429; index++) answer = await fetchPlain(client, url)
    assert.strictEqual(answer.headers["retry-after"], "10")
    assert.include(answer.body, "wait 10 seconds")

    const guesses = new PasswordGuesses()
    const networks = { source: "192.0.2.1", network: "192.0.2.0/24" }
    const judged = (now: number) => {
      let count = 0
      for (; guesses.mayGuess(networks, "a proxy", now); count++) guesses.failed(networks, "a proxy", now)
      return count
    }
    assert.deepStrictEqual([judged(0), judged(0), judged(10_000)], [10, 0, 10])
  })

  it("of a neighbour do not limit a client that has authenticated from the same address", async () => {
    onTestFinished(freeze())
    const { gateway, url } = await pair()
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
    const judged: Array<number> = []
    for (let index = 0; index < 30; index++)
      judged.push((await fetchPlain({ ...gateway, login: guess(index) }, url)).status)
    assert.isAtMost(judged.filter((status) => status === 407).length, 15, "and are slowed down themselves")
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
  })

  it("do not count without a password", async () => {
    const { gateway, url } = await pair()
    for (let index = 0; index < 30; index++) {
      assert.strictEqual((await fetchPlain({ port: gateway.port }, url)).status, 407)
    }
    assert.strictEqual((await fetchPlain(gateway, url)).status, 200)
  })
})
