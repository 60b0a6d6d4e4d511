import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { totalOf } from "../../../src/platform/outbound/KeptConnections.ts"
import { type Outbound, outbound, posted, receiver, type Serve } from "./PostReceiver.ts"

describe("A kept connection", () => {
  it.live("carries the next request to the same receiver", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver()
      const http = yield* outbound()
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* posted(http, url), 204)
      assert.deepStrictEqual(counts(), { connections: 1, requests: 3 })
    })
  )

  it.live("carries the next request to a host that is an address", () =>
    Effect.gen(function* () {
      const { counts, port } = yield* receiver()
      const http = yield* outbound()
      for (const host of ["127.0.0.1", "[::1]"]) {
        for (const _ of [1, 2]) assert.strictEqual(yield* posted(http, `http://${host}:${port}`), 204)
      }
      assert.deepStrictEqual(counts(), { connections: 2, requests: 4 })
    })
  )

  it.live("has a limit of bytes for each answer, not for all together", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver((response) => void response.end("x".repeat(16_000)))
      const http = yield* outbound()
      for (const _ of [1, 2, 3, 4, 5]) assert.strictEqual(yield* posted(http, url), 200)
      assert.strictEqual(counts().connections, 1)
      assert.strictEqual(yield* posted(http, url, 15_000), 200)
      assert.strictEqual(yield* posted(http, url), 200)
      assert.strictEqual(counts().connections, 2)
    })
  )

  it.live.each([
    ["an answer other than 2xx", (response) => void response.writeHead(503).end()],
    ["a redirect", (response) => void response.writeHead(307, { location: "/" }).end()],
    ["an answer with Connection: close", (response) => void response.writeHead(204, { connection: "close" }).end()],
    ["an answer with a time limit too short", (response) => void response.setHeader("keep-alive", "timeout=1").end()],
    ["an answer that is too long", (response) => void response.end("x".repeat(20_000))]
  ] as ReadonlyArray<[string, Serve]>)("does not follow %s", ([, serve]) =>
    Effect.gen(function* () {
      const { counts, openAre, url } = yield* receiver(serve)
      const http = yield* outbound()
      for (const _ of [1, 2]) yield* posted(http, url)
      assert.deepStrictEqual(counts(), { connections: 2, requests: 2 })
      yield* openAre(0)
    })
  )

  it.live("does not follow an answer that nobody read", () =>
    Effect.gen(function* () {
      const { counts, openAre, url } = yield* receiver((response) => void response.end("x".repeat(10_000)))
      const { post } = yield* outbound()
      for (const _ of [1, 2]) yield* Effect.scoped(post({ url, headers: {}, body: "" }))
      assert.deepStrictEqual(counts(), { connections: 2, requests: 2 })
      yield* openAre(0)
    })
  )
})

describe("A kept connection is used by no request", () => {
  it.live("to another scheme, host name or port, even at the same address", () =>
    Effect.gen(function* () {
      const first = yield* receiver()
      const second = yield* receiver()
      const http = yield* outbound()
      const urls = [first.url, `http://other.test:${first.port}`, `http://127.0.0.1:${first.port}`, second.url]
      for (const url of urls) assert.strictEqual(yield* posted(http, url), 204)
      assert.strictEqual(yield* posted(http, `https://receiver.test:${first.port}`), "The TLS handshake failed")
      assert.deepStrictEqual(first.counts(), { connections: 4, requests: 3 })
      assert.deepStrictEqual(second.counts(), { connections: 1, requests: 1 })
    })
  )

  it.live("to a name that leads elsewhere", () =>
    Effect.gen(function* () {
      const { counts, open, url } = yield* receiver()
      const answers = [["127.0.0.1", "::1"], ["::1", "127.0.0.1"], ["::1"], ["127.0.0.1"], ["127.0.0.1"]]
      const seen: Array<number> = []
      const http = yield* outbound({ resolve: async () => answers.shift() ?? [] })
      while (answers.length > 0) {
        assert.strictEqual(yield* posted(http, url), 204)
        seen.push(counts().connections)
      }
      assert.deepStrictEqual(seen, [1, 1, 2, 3, 3])
      const families = Array.from(open, ({ localAddress }) => (localAddress === "::1" ? 6 : 4))
      assert.deepStrictEqual(families, [4, 6, 4])
    })
  )

  it.live("to a name that leads to a forbidden address, to none, or not in time", () =>
    Effect.gen(function* () {
      const { counts, port, url } = yield* receiver()
      const answers = [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["10.0.0.1"], []]
      const http = yield* outbound({
        allow: new Set([`127.0.0.1:${port}`]),
        resolve: async () => {
          const next = answers.shift()
          if (next === undefined) throw Object.assign(new Error("No answer"), { code: "EAI_AGAIN" })
          return next
        }
      })
      assert.strictEqual(yield* posted(http, url), 204)
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* posted(http, url), "The URL must be an https URL")
      assert.strictEqual(yield* posted(http, url), "The service could not resolve the name")
      assert.deepStrictEqual(counts(), { connections: 1, requests: 1 })
    })
  )

  it.live("to an address that has become forbidden", () =>
    Effect.gen(function* () {
      const { counts, port } = yield* receiver()
      let isAllowed = true
      const http = yield* outbound({ allow: { has: () => isAllowed } })
      const url = `http://127.0.0.1:${port}`
      assert.strictEqual(yield* posted(http, url), 204)
      isAllowed = false
      assert.strictEqual(yield* posted(http, url), "The URL must be an https URL")
      assert.deepStrictEqual(counts(), { connections: 1, requests: 1 })
    })
  )

  it.live("whose URL is not acceptable", () =>
    Effect.gen(function* () {
      const { counts, port } = yield* receiver()
      const http = yield* outbound()
      const reason = yield* posted(http, `http://user@receiver.test:${port}`)
      assert.strictEqual(reason, "The URL must not contain a username or password")
      assert.strictEqual(counts().connections, 0)
    })
  )

  it.live("after the receiver has sent something that no request asked for", () =>
    Effect.gen(function* () {
      const { counts, open, openAre, url } = yield* receiver()
      const http = yield* outbound()
      assert.strictEqual(yield* posted(http, url), 204)
      for (const socket of open) socket.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
      yield* openAre(0)
      assert.strictEqual(yield* posted(http, url), 204)
      assert.strictEqual(counts().connections, 2)
    })
  )
})

describe("Kept connections are bounded", () => {
  /** Makes so many posts at once: the receiver answers when all have arrived. */
  const together = Effect.fnUntraced(function* (count: number) {
    const waiting: Array<() => void> = []
    const held = yield* receiver((response) => {
      waiting.push(() => response.writeHead(204).end())
      if (waiting.length === count) for (const answer of waiting.splice(0)) answer()
    })
    const posts = (http: Outbound) =>
      Effect.forEach(Array.from({ length: count }), () => posted(http, held.url), { concurrency: "unbounded" })
    return { ...held, posts }
  })

  it.live("for each receiver", () =>
    Effect.gen(function* () {
      const http = yield* outbound({ kept: { perReceiver: 2 } })
      const { counts, openAre, posts } = yield* together(5)
      yield* posts(http)
      yield* openAre(2)
      yield* posts(http)
      assert.deepStrictEqual(counts(), { connections: 8, requests: 10 })
      yield* openAre(2)
    })
  )

  it.live("in total", () =>
    Effect.gen(function* () {
      const http = yield* outbound({ kept: { total: 3 } })
      const first = yield* together(2)
      const second = yield* together(4)
      yield* first.posts(http)
      yield* second.posts(http)
      yield* second.openAre(1)
      yield* first.openAre(2)
      for (const socket of first.open) socket.destroy()
      yield* second.posts(http)
      yield* second.openAre(3)
    })
  )

  it("to a sixteenth of the files that the process may open", () => {
    const totals = [1024, 4096, 65_536, Infinity].map(totalOf)
    assert.deepStrictEqual(totals, [64, 256, 1024, 1024])
  })

  it.live("in the time without a request", () =>
    Effect.gen(function* () {
      const { counts, openAre, url } = yield* receiver()
      const http = yield* outbound({ kept: { idleMillis: 100 } })
      assert.strictEqual(yield* posted(http, url), 204)
      yield* openAre(0)
      assert.strictEqual(yield* posted(http, url), 204)
      assert.strictEqual(counts().connections, 2)
    })
  )

  it.live("in their age", () =>
    Effect.gen(function* () {
      const { openAre, url } = yield* receiver()
      const http = yield* outbound({ kept: { ageMillis: 50, idleMillis: 600_000 } })
      assert.strictEqual(yield* posted(http, url), 204)
      yield* Effect.sleep(60)
      assert.strictEqual(yield* posted(http, url), 204)
      yield* openAre(0)
    })
  )

  it.live("by the life of the service", () =>
    Effect.gen(function* () {
      const { openAre, url } = yield* receiver()
      const scope = yield* Scope.make()
      const http = yield* outbound().pipe(Effect.provideService(Scope.Scope, scope))
      assert.strictEqual(yield* posted(http, url), 204)
      yield* openAre(1)
      yield* Scope.close(scope, Exit.void)
      yield* openAre(0)
    })
  )
})
