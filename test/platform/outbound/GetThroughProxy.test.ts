import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { getThroughProxy, type ThroughProxy } from "../../../src/platform/outbound/GetThroughProxy.ts"
import { closing, gatewayFor, pair, socks5 } from "../../gateway/LocalGateway.ts"
import { freePort, rawOrigin, webOrigin } from "../../gateway/Origin.ts"

interface Way extends Partial<ThroughProxy> {
  readonly port: number
}

const through = (url: string, way: Way) =>
  Effect.runPromise(
    Effect.result(
      getThroughProxy({
        host: "127.0.0.1",
        username: "customer",
        password: "correct horse",
        protocol: "HTTP",
        isOwn: true,
        url: new URL(url),
        ...way
      })
    )
  )

const failureOf = async (url: string, way: Way) => {
  const result = await through(url, way)
  if (result._tag === "Success") throw new Error("it succeeded")
  return [result.failure.failure, result.failure.connect_ms !== null]
}

/** A proxy that answers every connection with some bytes. */
const answering = (bytes: string) =>
  closing(
    new Promise<{ readonly port: number; readonly close: () => void }>((settle) => {
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => socket.write(bytes))
      }).listen(0, "127.0.0.1", () => {
        const address = server.address()
        settle({ port: typeof address === "object" ? (address?.port ?? 0) : 0, close: () => server.close() })
      })
    })
  )

/** A name with a public and a private address. */
const resolve = async () => ["93.184.216.34", "127.0.0.1"]

describe("A request through a proxy", () => {
  it.each([
    ["HTTP", {}],
    ["SOCKS5", socks5]
  ] as const)("arrives by %s with the login, and is measured", async (protocol, options) => {
    const { gateway, url } = await pair(options)
    const answered = await through(`${url}/bytes/10`, { port: gateway.port, protocol })
    if (answered._tag === "Failure") throw new Error(answered.failure.failure)
    const { body, connect_ms, first_byte_ms } = answered.success
    assert.strictEqual(body, "xxxxxxxxxx")
    assert.isAtMost(connect_ms, first_byte_ms)
    assert.isAbove(gateway.lender.settle(), 10)
  })

  it.each([
    ["HTTP", {}],
    ["SOCKS5", socks5]
  ] as const)("says by %s what the proxy refuses", async (protocol, options) => {
    const { gateway, url } = await pair(options)
    const { port } = gateway
    assert.deepStrictEqual(await failureOf(url, { port, protocol, password: "wrong" }), ["login_refused", true])
    const closed = `http://127.0.0.1:${await freePort()}/`
    assert.deepStrictEqual(await failureOf(closed, { port, protocol }), ["refused", true])
    assert.deepStrictEqual(await failureOf(`${url}/abort`, { port, protocol }), ["no_answer", true])
    assert.deepStrictEqual(await failureOf(`${url}/bytes/5000`, { port, protocol }), ["no_answer", true])
    assert.deepStrictEqual(await failureOf(`${url.replace("http:", "https:")}/`, { port, protocol }), [
      "no_answer",
      true
    ])
  })

  it("tells that the destination has answered, but with an error", async () => {
    for (const [status, has_answer] of [
      ["403 Forbidden", true],
      ["nonsense", false]
    ] as const) {
      const serve = (socket: Socket) => {
        const answers = ["HTTP/1.1 200 OK\r\n\r\n", `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`]
        socket.on("data", () => socket.write(answers.shift() ?? ""))
      }
      const { port } = await closing(rawOrigin(serve))
      const result = await through("http://127.0.0.1/", { port })
      if (result._tag === "Success") throw new Error("it succeeded")
      assert.deepInclude(result.failure, { failure: "no_answer", has_answer })
    }
  })

  it("ends when a proxy answers nonsense, closes the connection, or is not there", async () => {
    const origin = await closing(webOrigin())
    const url = `http://127.0.0.1:${origin.port}/`
    for (const protocol of ["HTTP", "SOCKS5"] as const) {
      const { port } = await answering("nonsense\r\n\r\n")
      assert.match(String((await failureOf(url, { port, protocol }))[0]), /^(no_answer|login_refused)$/)
      assert.deepStrictEqual(await failureOf(url, { port: await freePort(), protocol }), ["unreachable", false])
    }
    const { port } = await answering("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")
    assert.deepStrictEqual(await failureOf(url, { port }), ["refused", true])
  })

  it("connects to no private address of a proxy that the operator does not run", async () => {
    const gateway = await gatewayFor()
    const { port } = gateway
    for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"])
      assert.deepStrictEqual(await failureOf("http://example.com/", { host, port, isOwn: false }), [
        "unreachable",
        false
      ])
    assert.deepStrictEqual(
      await failureOf("http://example.com/", { host: "proxy.test", port, isOwn: false, resolve }),
      ["unreachable", false]
    )
    assert.strictEqual(gateway.lender.settle(), 0)
  })

  it("takes at most ten seconds", { timeout: 15_000 }, async () => {
    const started = Date.now()
    const { port } = await answering("")
    assert.deepStrictEqual(await failureOf("http://127.0.0.1/", { port }), ["timeout", true])
    assert.isBelow(Date.now() - started, 11_000)
  })
})
