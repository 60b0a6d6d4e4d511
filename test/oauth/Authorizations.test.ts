import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Authorizations } from "../../src/oauth/Authorizations.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import {
  answered,
  begin,
  decide,
  fromBrowser,
  issuer,
  layer as domain,
  newClient,
  newPerson,
  query
} from "./AuthorizationTesting.ts"
import { start } from "./DocumentServer.ts"

const loopback = "http://127.0.0.1:49152/cb"

const judge = (given: URLSearchParams) => Authorizations.use((all) => all.judge(given)).pipe(fromBrowser)

const find = (id: string, browser_hash: string) => Authorizations.use((all) => all.find(id, browser_hash))

const begun = (given: URLSearchParams) =>
  Authorizations.use((all) => all.begin(given, Secrets.digest("browser"))).pipe(fromBrowser)

/** The recipient of a fault, and its code. */
const judged = (given: URLSearchParams) =>
  Effect.map(judge(given), (told) =>
    told === null
      ? "nothing"
      : told._tag === "ErrorPage"
        ? `page ${told.error}`
        : `redirect ${answered(told.location)["error"]}`
  )

layer(domain)("An authorization request", (it) => {
  it.effect(
    "of an unknown client or with an unregistered redirect URI ends on an error page, whatever its other faults",
    () =>
      Effect.gen(function* () {
        const client = yield* newClient()
        const verified = yield* newClient({ id: "https://verified.example.com/app" })
        const wrong = { response_type: "token", prompt: "none", state: "x" }
        for (const [given, expected] of [
          [query(client, { client_id: undefined }), "page invalid_request"],
          [query(client, { client_id: "dcr_unknown", ...wrong }), "page invalid_client"],
          [query(client, { client_id: "dcr_unknown", redirect_uri: loopback, ...wrong }), "page invalid_client"],
          // The host does not exist, so its document cannot be fetched.
          [query(client, { client_id: "https://nowhere.test/app", ...wrong }), "page invalid_client"],
          [query(client, { redirect_uri: undefined, ...wrong }), "page invalid_request"],
          [query(verified, { redirect_uri: undefined, ...wrong }), "page invalid_request"],
          [query(verified, { redirect_uri: "https://evil.test/", ...wrong }), "page invalid_request"],
          [query(verified, { redirect_uri: "http://127.0.0.1:49152/other", ...wrong }), "page invalid_request"],
          [new URLSearchParams(`${query(verified)}&state=again`), "page invalid_request"]
        ] as const)
          assert.strictEqual(yield* judged(given), expected, String(given))
      })
  )

  it.effect(
    "with another fault ends on an error page too, unless the client is verified or the redirect URI is a loopback one",
    () =>
      Effect.gen(function* () {
        const client = yield* newClient()
        const verified = yield* newClient({ id: "https://verified2.example.com/app" })
        for (const [change, error] of [
          [{ response_type: "token" }, "unsupported_response_type"],
          [{ code_challenge: undefined }, "invalid_request"],
          [{ resource: "https://elsewhere.test" }, "invalid_target"],
          [{ scope: "openid" }, "invalid_scope"]
        ] as const) {
          assert.strictEqual(yield* judged(query(client, change)), `page ${error}`)
          const private_use = { ...change, redirect_uri: "com.example.app:/cb" }
          assert.strictEqual(yield* judged(query(client, private_use)), `page ${error}`)
          assert.strictEqual(yield* judged(query(verified, change)), `redirect ${error}`)
          assert.strictEqual(yield* judged(query(client, { ...change, redirect_uri: loopback })), `redirect ${error}`)
        }
        assert.strictEqual(yield* judged(query(client)), "nothing")
      })
  )

  it.effect("with a fault returns error, state and iss, in the characters of RFC 6749", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const told = yield* judge(query(client, { redirect_uri: loopback, scope: "openid", state: "a b" }))
      const location = told?._tag === "Redirect" ? told.location : ""
      assert.isTrue(location.startsWith(`${loopback}?error=invalid_scope&error_description=`))
      const { error_description, ...rest } = answered(location)
      assert.deepStrictEqual(rest, { error: "invalid_scope", state: "a b", iss: issuer })
      assert.match(error_description ?? "", /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      const without = yield* judge(query(client, { redirect_uri: loopback, scope: "openid", state: undefined }))
      assert.isFalse(without?._tag === "Redirect" && "state" in answered(without.location))
    })
  )

  it.effect("that ends on an error page explains the fault to the person and to the developer", () =>
    Effect.gen(function* () {
      const told = yield* judge(query(yield* newClient(), { code_challenge: undefined }))
      assert.include(
        told?._tag === "ErrorPage" ? told.detail : "",
        "send this to the app's developer: Send the parameter code_challenge."
      )
    })
  )

  it.effect("waits for its person in the browser that sent it, for ten minutes", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const id = yield* begin(person, client, { scope: "orders:write catalog:read", resource: `${issuer}/` })
      const pending = Option.getOrThrow(yield* find(id, person.browser_hash))
      assert.deepStrictEqual(
        [pending.id, pending.client.id, pending.redirect_uri, pending.resource, pending.scopes],
        [id, client, "https://app.test/cb", issuer, ["catalog:read", "orders:write"]]
      )
      assert.isTrue(Option.isNone(yield* find(id, Secrets.digest("another"))))
      assert.isTrue(Option.isNone(yield* find(randomUUID(), person.browser_hash)))
      assert.isTrue(Option.isNone(yield* find("../x", person.browser_hash)))
      yield* TestClock.adjust("599 seconds")
      assert.isTrue(Option.isSome(yield* find(id, person.browser_hash)))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isNone(yield* find(id, person.browser_hash)))
      assert.deepStrictEqual(yield* decide(person, id), { _tag: "Gone" })
    })
  )

  it.effect("is removed when the same browser has begun twenty more requests", () =>
    Effect.gen(function* () {
      const [person, other, client] = [yield* newPerson, yield* newPerson, yield* newClient()]
      const kept = yield* begin(other, client)
      const first = yield* begin(person, client)
      yield* TestClock.adjust("1 second")
      for (let n = 0; n < 20; n++) yield* begin(person, client)
      assert.deepStrictEqual(yield* decide(person, first), { _tag: "Gone" })
      assert.strictEqual((yield* decide(other, kept))._tag, "Redirect")
    })
  )

  it.effect("marks its client as used, so that the cleanup keeps the client while it waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* newClient()
      yield* TestClock.adjust("29 days")
      yield* begin(yield* newPerson, client)
      const [row] = yield* sql<{ day: number }>`
        SELECT extract(day FROM last_used_at - created_at)::int AS day FROM oauth_client WHERE id = ${client}
      `
      assert.strictEqual(row?.day, 29)
    })
  )

  it.effect("ends on an error page when its client is removed at the same moment", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* sql`
        CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN DELETE FROM oauth_client WHERE id = NEW.client_id; RETURN NEW; END $$
      `
      yield* sql`CREATE TRIGGER gone BEFORE INSERT ON oauth_authorization FOR EACH ROW EXECUTE FUNCTION gone()`
      const began = yield* Authorizations.use((all) => all.begin(query(client), person.browser_hash)).pipe(fromBrowser)
      yield* sql`DROP TRIGGER gone ON oauth_authorization`
      assert.strictEqual(began._tag === "ErrorPage" && began.error, "invalid_client")
    })
  )

  it.effect("stores the document of its client only when the request is valid", () =>
    Effect.gen(function* () {
      const { address } = yield* start()
      const document = (changes: Record<string, string | undefined>) =>
        query(address, { redirect_uri: loopback, ...changes })
      const known = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT FROM oauth_client WHERE id = ${address}`)
      assert.strictEqual(yield* judged(document({ redirect_uri: "http://127.0.0.1/callback" })), "nothing")
      assert.strictEqual((yield* begun(document({})))._tag, "ErrorPage")
      assert.isEmpty(yield* known)
      assert.strictEqual((yield* begun(document({ redirect_uri: "http://127.0.0.1/callback" })))._tag, "Pending")
      assert.lengthOf(yield* known, 1)
    })
  )
})
