import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Option, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Clients } from "../../src/oauth/Clients.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import { type Asked, serve, start } from "./DocumentServer.ts"
import { register, find, resolve, use, nameOf, reasonOf, all } from "./KnownClients.ts"

layer(all)("Clients", (it) => {
  describe("a registered client", () => {
    it.effect("has an id that begins with dcr_, is not verified, and can be found", () =>
      Effect.gen(function* () {
        const { client, secret } = yield* register({ token_endpoint_auth_method: "none", client_name: "Acme" })
        assert.match(client.id, /^dcr_[\w-]{43}$/)
        assert.isFalse(client.is_verified)
        assert.isNull(secret)
        assert.deepStrictEqual(yield* find(client.id), Option.some(client))
        assert.deepStrictEqual(yield* resolve(client.id), Option.some(client))
      })
    )

    it.effect.each(["client_secret_post", "client_secret_basic"])("of %s has a secret, which is not stored", (method) =>
      Effect.gen(function* () {
        const { client, secret } = yield* register({ token_endpoint_auth_method: method })
        assert.match(secret ?? "", /^pcs_[\w-]{43}$/)
        assert.strictEqual(client.secret_hash, Secrets.digest(secret ?? ""))
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql`SELECT * FROM oauth_client WHERE id = ${client.id}`
        assert.notInclude(JSON.stringify(row), secret ?? "")
      })
    )

    it.effect("is not stored when its metadata is refused", () =>
      Effect.gen(function* () {
        const { error } = yield* Effect.flip(register({ redirect_uris: ["javascript:alert(1)"] }))
        assert.strictEqual(error, "invalid_redirect_uri")
      })
    )
  })

  it.effect.each([
    ["no text", ""],
    ["an unknown id", "dcr_unknown"],
    ["a NUL", "\u0000"],
    ["half a character", "\ud800"],
    ["5000 characters", "a".repeat(5000)]
  ] as const)("knows no client by %s", ([, id]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find(id), Option.none())
      assert.deepStrictEqual(yield* resolve(id), Option.none())
    })
  )

  describe("a client with a document", () => {
    it.effect("is verified, is known after it was stored, and is found without another fetch of its document", () =>
      Effect.gen(function* () {
        const { address, asked } = yield* start()
        assert.deepStrictEqual(yield* find(address), Option.none())
        const client = Option.getOrThrow(yield* resolve(address))
        assert.deepStrictEqual(Struct.pick(client, ["id", "is_verified", "name", "secret_hash", "redirect_uris"]), {
          id: address,
          is_verified: true,
          name: "Acme",
          secret_hash: null,
          redirect_uris: ["http://127.0.0.1/callback"]
        })
        assert.deepStrictEqual(yield* find(address), Option.none())
        assert.deepStrictEqual(yield* use(address), client)
        assert.deepStrictEqual(yield* find(address), Option.some(client))
        yield* TestClock.adjust("31 seconds")
        assert.deepStrictEqual(yield* resolve(address), Option.some(client))
        assert.lengthOf(asked, 1)
      })
    )

    it.effect("is fetched once for concurrent requests", () =>
      Effect.gen(function* () {
        const { address, asked } = yield* start()
        yield* Effect.all(
          Array.from({ length: 32 }, () => resolve(address)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(asked, 1)
      })
    )

    it.effect("is still fetched for the other requests when the first one is interrupted", () =>
      Effect.gen(function* () {
        const waiting = yield* Deferred.make<Asked>()
        const { address, asked } = yield* start((first) => Deferred.doneUnsafe(waiting, Effect.succeed(first)))
        const gone = yield* Effect.forkChild(resolve(address))
        const request = yield* Deferred.await(waiting)
        const other = yield* Effect.forkChild(nameOf(address), { startImmediately: true })
        yield* Fiber.interrupt(gone)
        serve(request)
        assert.strictEqual(yield* Fiber.join(other), "Acme")
        assert.lengthOf(asked, 1)
      })
    )

    it.effect("is fetched again when its document is no longer fresh", () =>
      Effect.gen(function* () {
        let name = "Acme"
        const { address, asked } = yield* start((request) => serve(request, { client_name: name }))
        const { created_at } = yield* use(address)
        name = "Acme Tools"
        yield* TestClock.adjust("59 minutes")
        assert.strictEqual(yield* nameOf(address), "Acme")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* nameOf(address), "Acme Tools")
        assert.lengthOf(asked, 2)
        assert.deepStrictEqual(Option.getOrThrow(yield* find(address)).created_at, created_at)
      })
    )

    it.effect("cannot begin a request while its document is unusable, and can again afterwards", () =>
      Effect.gen(function* () {
        let changes: object = {}
        const { address, asked } = yield* start((request) => serve(request, changes))
        yield* use(address)
        changes = { redirect_uris: [] }
        yield* TestClock.adjust("1 hour")
        assert.match(yield* reasonOf(address), /redirect_uris/)
        assert.isTrue(Option.isSome(yield* find(address)))
        changes = { client_name: "Acme Tools" }
        yield* TestClock.adjust("29 seconds")
        assert.match(yield* reasonOf(address), /redirect_uris/)
        assert.lengthOf(asked, 2)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* nameOf(address), "Acme Tools")
      })
    )

    it.effect("is fetched at most 30 times per hour for one address when it is unknown or no longer fresh", () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const { address, asked, port } = yield* start((request) => serve(request))
        yield* use(address)
        const other = (n: number) => resolve(`http://127.0.0.1:${port}/limit/${n}`, "192.0.2.9")
        for (let n = 0; n < 60; n++) yield* Effect.result(other(n))
        const refused = yield* Effect.flip(other(60))
        assert.deepStrictEqual([refused._tag, asked.length], ["RateLimited", 61])
        // A known or just fetched document needs no fetch, and another address has a limit of its own.
        yield* Effect.result(other(59))
        assert.isTrue(Option.isSome(yield* resolve(address, "192.0.2.9")))
        assert.isTrue(Option.isSome(yield* resolve(`http://127.0.0.1:${port}/limit/60`, "192.0.2.10")))
      })
    )

    it.effect("is not stored when its document is unusable", () =>
      Effect.gen(function* () {
        const { address } = yield* start((request) => serve(request, { client_id: "https://example.com/client" }))
        assert.match(yield* reasonOf(address), /its own URL/)
        assert.deepStrictEqual(yield* find(address), Option.none())
      })
    )

    it.effect("is refused while too many documents are being fetched, and accepted soon afterwards", () =>
      Effect.gen(function* () {
        const full = yield* Deferred.make<void>()
        const waiting: Array<Asked> = []
        const { address, port } = yield* start((asked) => {
          if (waiting.length >= 32) return serve(asked)
          if (waiting.push(asked) === 32) Deferred.doneUnsafe(full, Effect.void)
        })
        const fibers = yield* Effect.forEach(Array.from({ length: 32 }).keys(), (index) =>
          Effect.forkChild(resolve(`http://127.0.0.1:${port}/${index}`))
        )
        yield* Deferred.await(full)
        assert.match(yield* reasonOf(address), /try again/)
        for (const asked of waiting) serve(asked)
        yield* Effect.forEach(fibers, Fiber.join)
        assert.strictEqual(yield* nameOf(address), "Acme")
      })
    )
  })

  it.effect("the last use of a client is recorded to the hour", () =>
    Effect.gen(function* () {
      const clients = yield* Clients
      const { client } = yield* register()
      const lastUsed = Effect.map(find(client.id), (found) => Option.getOrThrow(found).last_used_at)
      yield* TestClock.adjust("1 hour")
      yield* clients.markUsed(client)
      assert.deepStrictEqual(yield* lastUsed, client.last_used_at)
      yield* TestClock.adjust("1 second")
      yield* clients.markUsed(client)
      assert.deepStrictEqual(yield* lastUsed, yield* DateTime.now)
    })
  )
})
