import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ClientDocuments } from "../../src/oauth/ClientDocuments.ts"
import * as TestOutbound from "../support/TestOutbound.ts"
import { type Asked, serve, start } from "./DocumentServer.ts"

const fetch = (client_id: string) => Effect.flatMap(ClientDocuments, (documents) => documents.fetch(client_id))

/** The reason why the document of a server with this answer is unusable. */
const reasonAt = Effect.fnUntraced(function* (answer: (asked: Asked) => void) {
  const { address } = yield* start(answer)
  return yield* reasonOf(address)
})

const reasonOf = (client_id: string) =>
  Effect.map(Effect.flip(fetch(client_id)), (error) => (error._tag === "ClientUnusable" ? error.reason : error._tag))

const sends =
  (status: number, headers: Record<string, string>, body = "{}") =>
  ({ response }: Asked): void =>
    void response.writeHead(status, headers).end(body)

const json = { "content-type": "application/json" }

layer(ClientDocuments.layer.pipe(Layer.provide(TestOutbound.layer)))("ClientDocuments", (it) => {
  it.effect("fetches a document with one GET request that accepts JSON", () =>
    Effect.gen(function* () {
      const heads: Array<string> = []
      const { address } = yield* start((asked) => {
        heads.push(`${asked.method} ${asked.accept}`)
        serve(asked, {}, { "cache-control": "max-age=600" })
      })
      const { freshFor, metadata } = yield* fetch(address)
      assert.strictEqual(metadata.name, "Acme")
      assert.isTrue(Duration.equals(freshFor, Duration.minutes(10)))
      assert.deepStrictEqual(heads, ["GET application/json"])
    })
  )

  it.effect.each(["application/json; charset=utf-8", "application/oauth-client-id-metadata+json", "Application/JSON"])(
    "accepts a document of the type %s",
    (type) =>
      Effect.gen(function* () {
        const { address } = yield* start((asked) => serve(asked, {}, { "content-type": type }))
        assert.isTrue(Exit.isSuccess(yield* Effect.exit(fetch(address))))
      })
  )

  it.effect("reaches a host by name when its address is allowed", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { metadata } = yield* fetch(`http://localhost:${port}/client.json`)
      assert.strictEqual(metadata.name, "Acme")
    })
  )

  describe("refuses without a request", () => {
    it.effect.each([
      ["a public IPv4 address as host", "https://93.184.216.34/client", /IP address/],
      ["a public IPv6 address as host", "https://[2606:4700:4700::1111]/client", /IP address/],
      ["a private address as host", "https://10.0.0.1/client", /IP address/],
      ["loopback as host", "https://127.0.0.1/client", /IP address/],
      ["the cloud's metadata address", "http://169.254.169.254/latest/meta-data", /IP address/],
      ["a name that leads to a private address", "https://private.test/client", /public address/],
      ["a name that leads there too", "https://mixed.test/client", /public address/],
      ["a name that leads to loopback", "https://localhost/client", /public address/],
      ["a name that is not there", "https://absent.test/client", /public address/],
      ["plain http", "http://example.com/client", /https URL/],
      ["a fragment", "https://example.com/client#", /fragment/],
      ["a username", "https://user@example.com/client", /username/],
      ["dot segments", "https://example.com/%2e%2e/client", /dot segments/],
      ["no path", "https://example.com", /path/]
    ] as const)("%s", ([, client_id, reason]) =>
      Effect.gen(function* () {
        assert.match(yield* reasonOf(client_id), reason)
      })
    )
  })

  describe("refuses the response", () => {
    it.effect.each([
      ["a redirect, which it does not follow", sends(302, { location: "/other.json" }), /answered 302/],
      ["not found", sends(404, json), /answered 404/],
      ["created", sends(201, json), /answered 201/],
      ["a page", sends(200, { "content-type": "text/html" }), /application\/json/],
      ["text", sends(200, { "content-type": "text/json" }), /application\/json/],
      ["no type", sends(200, {}), /application\/json/],
      ["no JSON", sends(200, json, "<html>"), /must be JSON/],
      ["nothing", sends(200, json, ""), /must be JSON/],
      ["a list", sends(200, json, "[]"), /JSON object/],
      ["more than 32 KiB", sends(200, json, JSON.stringify({ a: "a".repeat(33_000) })), /at most 32 KiB/],
      ["more than a connection may bring", sends(200, json, "a".repeat(1_000_000)), /at most 32 KiB/],
      [
        "another's client_id",
        (asked: Asked): void => serve(asked, { client_id: "https://example.com/client" }),
        /own URL/
      ],
      ["a declared secret", (asked: Asked): void => serve(asked, { client_secret: "secret" }), /client secret/],
      ["no none", (asked: Asked): void => serve(asked, { token_endpoint_auth_method: "private_key_jwt" }), /list none/],
      [
        "a redirect URI that is refused",
        (asked: Asked): void => serve(asked, { redirect_uris: ["file:///"] }),
        /redirect/
      ]
    ] as const)("%s", ([, answer, reason]) =>
      Effect.gen(function* () {
        assert.match(yield* reasonAt(answer), reason)
      })
    )

    it.effect("with an endless body, and reads no more than the limit", () =>
      Effect.gen(function* () {
        const reason = yield* reasonAt(({ response }) => {
          response.writeHead(200, json)
          const more = () => {
            while (!response.destroyed && response.write("a".repeat(8192)));
          }
          response.on("drain", more)
          more()
        })
        assert.match(reason, /at most 32 KiB/)
      })
    )

    it.effect("with an incomplete body", () =>
      Effect.gen(function* () {
        const reason = yield* reasonAt(({ response }) => {
          response.writeHead(200, { ...json, "content-length": "100" }).write("{}", () => response.destroy())
        })
        assert.match(reason, /must be complete/)
      })
    )
  })

  it.effect("waits at most 5 seconds for the whole document", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        reasonAt(({ response }) => {
          response.writeHead(200, json).write("{")
          Deferred.doneUnsafe(asked, Effect.void)
        })
      )
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 seconds")
      assert.match(yield* Fiber.join(fiber), /within 5 seconds/)
    })
  )

  it.effect("explains that no server answers", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(start(), ({ address }) => address))
      assert.match(yield* reasonOf(closed), /could not be fetched: Connection refused/)
    })
  )

  it.effect("fetches at most 32 documents at the same time, and refuses the next one without waiting", () =>
    Effect.gen(function* () {
      const all = yield* Deferred.make<void>()
      const waiting: Array<Asked> = []
      const { port } = yield* start((asked) => {
        if (waiting.push(asked) === 32) Deferred.doneUnsafe(all, Effect.void)
      })
      const fibers = yield* Effect.forEach(Array.from({ length: 32 }).keys(), (index) =>
        Effect.forkChild(fetch(`http://127.0.0.1:${port}/${index}`))
      )
      yield* Deferred.await(all)
      assert.strictEqual(yield* reasonOf(`http://127.0.0.1:${port}/next`), "DocumentFetchesBusy")
      for (const asked of waiting) serve(asked)
      assert.lengthOf(yield* Effect.forEach(fibers, Fiber.join), 32)
    })
  )
})
