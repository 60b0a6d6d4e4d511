import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import diagnostics from "node:diagnostics_channel"
import { once } from "node:events"
import { createConnection, type Socket } from "node:net"
import { closing, gatewayFor, pair, socks5 } from "../LocalGateway.ts"
import { rawOrigin } from "../Origin.ts"
import { basic, connectVia, drained, fetchPlain, patience, socksVia } from "../ProxyClient.ts"

const listenersOf = (socket: Socket) => socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0)

describe("The HTTP proxy", () => {
  it("forwards a request without the fields for the proxy", async () => {
    const { gateway, origin, url } = await pair()
    const answer = await fetchPlain(gateway, `${url}/path?q=1`, {
      method: "POST",
      headers: { "X-Keep": "1", Connection: "X-Drop", "X-Drop": "1", "Proxy-Connection": "keep-alive", TE: "trailers" },
      body: "a body"
    })
    const seen = JSON.parse(answer.body)
    assert.deepInclude(seen, { method: "POST", url: "/path?q=1", body: "a body" })
    const names = seen.raw.filter((_: string, index: number) => index % 2 === 0)
    assert.deepStrictEqual(names, ["Host", "X-Keep", "Content-Length", "Connection"])
    assert.include(seen.raw, `127.0.0.1:${origin.port}`)
    assert.isUndefined(answer.headers["x-hop"])
    assert.notStrictEqual(answer.headers.connection, "X-Hop")
  })

  it("forwards chunked bodies and keeps the client's connection for the next request", async () => {
    const { gateway, url } = await pair()
    const client = createConnection(gateway.port, "127.0.0.1")
    onTestFinished(() => void client.destroy())
    const head = `Host: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n`
    client.write(`POST ${url}/one HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`)
    let seen = ""
    client.on("data", (chunk) => (seen += chunk))
    while (!seen.includes('"body":"hello"')) await once(client, "data")
    client.write(`POST ${url}/two HTTP/1.1\r\n${head}Content-Length: 0\r\n\r\n`)
    while (!seen.includes('"url":"/two"')) await once(client, "data")
    assert.strictEqual(seen.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  })

  it.each([
    ["both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"],
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n"],
    ["a folded header", "X: a\r\n b\r\nContent-Length: zz\r\n"],
    ["an unknown coding", "Transfer-Encoding: gzip, chunked\r\n"]
  ])("refuses a request with %s, because two servers may read it differently", async (_name, fields) => {
    const { gateway, url } = await pair()
    const client = createConnection(gateway.port, "127.0.0.1")
    client.write(
      `POST ${url}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n${fields}\r\n0\r\n\r\n`
    )
    const [first] = await once(client, "data")
    assert.match(String(first), /^HTTP\/1\.1 400 /)
    client.destroy()
  })

  it("explains its use to a client that takes it for a web server", async () => {
    const { gateway } = await pair()
    for (const path of ["/", "https://example.com/", "http://user:pass@example.com/", "ftp://example.com/"]) {
      const answer = await fetchPlain(gateway, path, { headers: { Host: "x" } })
      assert.strictEqual(answer.status, 400)
      assert.match(answer.body, /This is a proxy/)
    }
  })

  it("answers 502 when no server listens, and cuts off an answer that was cut off", async () => {
    const { gateway, url } = await pair({ allow: [9] })
    assert.strictEqual((await fetchPlain(gateway, "http://127.0.0.1:9/")).status, 502)
    assert.strictEqual((await connectVia(gateway, "127.0.0.1:9")).status, 502)
    const cut = await fetchPlain(gateway, `${url}/abort`).catch((error: NodeJS.ErrnoException) => error.code)
    assert.strictEqual(cut, "ECONNRESET")
  })

  it.each([
    ["", "/"],
    ["/", "/"],
    ["?", "/?"],
    ["?q=/../x", "/?q=/../x"],
    ["/x?", "/x?"],
    ["/a/%2e%2e/b", "/a/%2e%2e/b"],
    ["/a/../b//c", "/a/../b//c"],
    ['/a\\b"<>^`{|}', '/a\\b"<>^`{|}']
  ])("forwards the path %j exactly as written", async (written, arrives) => {
    const { gateway, url } = await pair()
    assert.strictEqual(JSON.parse((await fetchPlain(gateway, url + written)).body).url, arrives)
  })

  it.each(["http://user@HOST/", "http://HOST\\@8.8.8.8/", "http://HOST/a#b", "http://HOST#b", "http:///x"])(
    "refuses the address %s",
    async (address) => {
      const { gateway, origin } = await pair()
      const url = address.replace("HOST", `127.0.0.1:${origin.port}`)
      assert.strictEqual((await fetchPlain(gateway, url, { headers: { Host: "x" } })).status, 400)
    }
  )

  it("refuses an answer in a transfer coding other than chunked", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
    const origin = await closing(rawOrigin((socket) => void socket.end(`${head}1\r\nx\r\n0\r\n\r\n`)))
    const gateway = await gatewayFor({ allow: [origin.port] })
    assert.strictEqual((await fetchPlain(gateway, `http://127.0.0.1:${origin.port}/`)).status, 502)
  })

  it("answers a client that has closed its sending side", async () => {
    const { gateway, url } = await pair()
    const client = createConnection({ port: gateway.port, host: "127.0.0.1", allowHalfOpen: true })
    client.end(`GET ${url}/bytes/5000 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n\r\n`)
    assert.isAbove((await drained(client)).bytes, 5_000)
  })

  it("tunnels the bytes that a client sent with its request before it closed its sending side", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.pipe(socket)))
    const gateway = await gatewayFor({ allow: [origin.port] })
    const client = createConnection({ port: gateway.port, host: "127.0.0.1", allowHalfOpen: true })
    const fields = `Host: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n`
    client.end(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n${fields}\r\n${"x".repeat(5_000)}`)
    assert.isAbove((await drained(client)).bytes, 5_000)
  })

  it("leaves no listener behind on a connection with many requests", async () => {
    const { gateway, url } = await pair()
    const sockets: Array<Socket> = []
    const noted = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket }
      if (socket.localPort === gateway.port) sockets.push(socket)
    }
    diagnostics.subscribe("net.server.socket", noted)
    onTestFinished(() => void diagnostics.unsubscribe("net.server.socket", noted))
    const client = createConnection(gateway.port, "127.0.0.1")
    onTestFinished(() => void client.destroy())
    const request = `GET ${url}/bytes/1 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n\r\n`
    const listeners: Array<number> = []
    for (let count = 0; count < 30; count++) {
      client.write(request)
      await once(client, "data")
      listeners.push(listenersOf(sockets[0]!))
    }
    assert.lengthOf(sockets, 1)
    // The last request is tidied up a moment after its answer.
    await vi.waitFor(() => assert.isAtMost(listenersOf(sockets[0]!), listeners[1]!), patience)
  })

  it("answers pipelined requests in their order, without a warning about leaks", async () => {
    const warnings: Array<Error> = []
    const noted = (warning: Error) => void warnings.push(warning)
    process.on("warning", noted)
    onTestFinished(() => void process.off("warning", noted))
    const { gateway, url } = await pair()
    const client = createConnection(gateway.port, "127.0.0.1")
    onTestFinished(() => void client.destroy())
    const head = `Host: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n`
    client.write(Array.from({ length: 16 }, (_, index) => `GET ${url}/${index} HTTP/1.1\r\n${head}\r\n`).join(""))
    let seen = ""
    client.on("data", (chunk) => (seen += chunk))
    while (!seen.includes('"url":"/15"')) await once(client, "data")
    const urls = Array.from(seen.matchAll(/"url":"\/(\d+)"/g), ([, index]) => Number(index))
    assert.deepStrictEqual(urls, [...urls.keys()])
    assert.deepStrictEqual(warnings, [])
  })

  it.each([
    ["", ""],
    [" that expect something", "Expect: something\r\n"]
  ])("disconnects a client that pipelines too many requests%s, before it starts them", async (_name, fields) => {
    let reached = 0
    const origin = await closing(rawOrigin(() => void reached++))
    const gateway = await gatewayFor({ allow: [origin.port] })
    const client = createConnection(gateway.port, "127.0.0.1").on("error", () => {})
    const head = `Host: x\r\nProxy-Authorization: ${basic(gateway.login)}\r\n${fields}`
    let seen = ""
    client.on("data", (chunk) => (seen += chunk))
    client.write(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n${head}\r\n`.repeat(1_000))
    await new Promise((settle) => client.once("close", settle))
    assert.isAtMost(reached, 16)
    assert.isAtMost(seen.split("HTTP/1.1 ").length - 1, 16)
  })

  it("relays both directions of a tunnel until both have ended", async () => {
    const origin = await closing(rawOrigin((socket) => void socket.pipe(socket)))
    const gateway = await gatewayFor({ ...socks5, allow: [origin.port] })
    const answer = await socksVia(gateway, "127.0.0.1", origin.port)
    assert.strictEqual(answer._tag, "Reply")
    if (answer._tag !== "Reply") return
    const echoed = drained(answer.socket)
    answer.socket.end(Buffer.alloc(3_000_000, "y"))
    assert.strictEqual((await echoed).bytes, 3_000_000)
    assert.strictEqual(gateway.lender.settle(), 6_000_000)
  })
})
