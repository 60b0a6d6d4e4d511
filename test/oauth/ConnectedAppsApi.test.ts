import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { RequestValidation } from "../../src/http/RequestValidation.ts"
import { ConnectedAppsApi } from "../../src/oauth/ConnectedAppsApi.ts"
import * as ConnectedAppsHttp from "../../src/oauth/ConnectedAppsHttp.ts"
import { layerOf, request } from "../support/TestServer.ts"
import {
  approve,
  connectionsOf,
  eventsOf,
  issuer,
  layer as domain,
  newClient,
  newPerson
} from "./AuthorizationTesting.ts"

const api = HttpApi.make("proxy-rental").add(ConnectedAppsApi).middleware(RequestValidation).prefix("/v1")
const path = "/v1/users/me/connections"

const list = (user: string, search = "") => request("GET", `${path}${search}`, { user })
const limit = (user: string, id: string, body: object) => request("PATCH", `${path}/${id}`, { user, body })
const revoke = (user: string, id: string) => request("DELETE", `${path}/${id}`, { user })

const server = layerOf(api, ConnectedAppsHttp.layer).pipe(Layer.provideMerge(domain))

layer(server)("Connected apps", (it) => {
  it.effect("are listed once per resource, the newest first, with their scopes", () =>
    Effect.gen(function* () {
      const [person, client, verified] = [yield* newPerson, yield* newClient(), "https://app.example.com/client"]
      yield* newClient({ id: verified, name: "Assistant" })
      yield* approve(person, client)
      yield* TestClock.adjust("10 seconds")
      yield* approve(
        person,
        client,
        { scope: "catalog:read orders:write" },
        { spending: true, daily_spend_limit_usd: 12_500_000n }
      )
      yield* approve(person, verified, { resource: issuer, scope: "wallet:read" })
      yield* approve(yield* newPerson, client)
      const { body, status } = yield* list(person.user_id)
      const now = yield* DateTime.now
      const [newest, oldest, ...more] = body.connections
      assert.deepStrictEqual([status, body.total, body.limit, body.offset, more], [200, 2, 50, 0, []])
      assert.deepStrictEqual(newest, {
        id: newest.id,
        client_id: verified,
        client_name: "Assistant",
        is_verified: true,
        resource: issuer,
        scopes: ["wallet:read"],
        daily_spend_limit_usd: null,
        created_at: DateTime.formatIso(now),
        last_used_at: null
      })
      assert.deepStrictEqual(
        [
          oldest.client_id,
          oldest.is_verified,
          oldest.resource,
          oldest.scopes,
          oldest.daily_spend_limit_usd,
          oldest.created_at
        ],
        [
          client,
          false,
          `${issuer}/mcp`,
          ["catalog:read", "orders:write"],
          12.5,
          DateTime.formatIso(DateTime.subtract(now, { seconds: 10 }))
        ]
      )
      const { body: second } = yield* list(person.user_id, "?limit=1&offset=1")
      assert.deepStrictEqual([second.connections, second.total, second.limit, second.offset], [[oldest], 2, 1, 1])
    })
  )

  it.effect("are listed only while live, not when the code was never redeemed or the tokens expired", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* list(person.user_id)).body.total, 1)
      yield* TestClock.adjust("1 second")
      const { body } = yield* list(person.user_id)
      assert.deepStrictEqual([body.connections, body.total], [[], 0])
      const used = new Date("2001-01-01")
      yield* approve(person, client)
      const [, live] = yield* connectionsOf(person)
      yield* sql`UPDATE oauth_connection SET last_used_at = ${used} WHERE id = ${live?.id}`
      const { body: again } = yield* list(person.user_id)
      assert.deepStrictEqual(
        [again.connections[0].created_at, again.connections[0].last_used_at],
        [DateTime.formatIso(yield* DateTime.now), used.toISOString()]
      )
    })
  )

  it.effect("get, change and lose a daily limit, within the bounds of a key's limit", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client, { scope: "catalog:read orders:write" }, { spending: true })
      const [listed] = (yield* list(person.user_id)).body.connections
      assert.strictEqual(listed.daily_spend_limit_usd, null)
      for (const daily_spend_limit_usd of [0.000_001, 1_000_000, 12.5, null]) {
        const { body, status } = yield* limit(person.user_id, listed.id, { daily_spend_limit_usd })
        assert.deepStrictEqual([status, body], [200, { ...listed, daily_spend_limit_usd }])
        assert.deepStrictEqual((yield* list(person.user_id)).body.connections, [body])
      }
      yield* limit(person.user_id, listed.id, { daily_spend_limit_usd: 7 })
      for (const wrong of [0, -1, 1_000_000.000_001, 0.000_000_1, "25", [5], undefined]) {
        const { status } = yield* limit(person.user_id, listed.id, { daily_spend_limit_usd: wrong })
        assert.strictEqual(status, 422, String(wrong))
      }
      assert.strictEqual((yield* list(person.user_id)).body.connections[0].daily_spend_limit_usd, 7)
    })
  )

  it.effect("of another account or no longer connected have no limit to change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [person, other] = [yield* newPerson, yield* newPerson]
      yield* approve(person, yield* newClient(), { scope: "orders:write" }, { spending: true })
      const [{ id }] = (yield* list(person.user_id)).body.connections
      const change = { daily_spend_limit_usd: 5 }
      assert.strictEqual((yield* limit(other.user_id, id, change)).status, 403)
      assert.strictEqual((yield* limit(person.user_id, randomUUID(), change)).status, 404)
      assert.strictEqual((yield* limit(person.user_id, "x", change)).status, 422)
      yield* revoke(person.user_id, id)
      assert.strictEqual((yield* limit(person.user_id, id, change)).status, 404)
      const rows = yield* sql`SELECT daily_spend_limit_usd AS held FROM oauth_grant WHERE id = ${id}`
      assert.deepStrictEqual(rows, [{ held: null }])
    })
  )

  it.effect("are disconnected permanently with all their connections at that resource, and may connect again", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      for (const resource of [undefined, undefined, issuer]) yield* approve(person, client, { resource })
      const { body } = yield* list(person.user_id)
      const app = body.connections.find(({ resource }: any) => resource !== issuer)
      assert.deepInclude(yield* revoke(person.user_id, app.id), { status: 204, body: null })
      assert.deepStrictEqual(
        (yield* connectionsOf(person)).map(({ reason }) => reason).toSorted(),
        ["user", "user", null].toSorted()
      )
      const revoked = (yield* eventsOf(person)).filter(({ kind }) => kind === "revoked")
      assert.deepStrictEqual(
        revoked.map(({ reason }) => reason),
        ["user", "user"]
      )
      assert.strictEqual((yield* list(person.user_id)).body.total, 1)
      assert.strictEqual((yield* revoke(person.user_id, app.id)).status, 404)
      yield* approve(person, client)
      const { body: again } = yield* list(person.user_id)
      assert.strictEqual(again.total, 2)
      assert.strictEqual((yield* connectionsOf(person)).filter(({ reason }) => reason === "user").length, 2)
    })
  )

  it.effect("of another account cannot be disconnected, nor unknown ones", () =>
    Effect.gen(function* () {
      const [person, other] = [yield* newPerson, yield* newPerson]
      yield* approve(person, yield* newClient())
      const { body } = yield* list(person.user_id)
      const { id } = body.connections[0]
      assert.deepInclude(yield* revoke(other.user_id, id), { status: 403 })
      assert.strictEqual((yield* revoke(other.user_id, randomUUID())).status, 404)
      assert.strictEqual((yield* revoke(other.user_id, "x")).status, 422)
      assert.strictEqual((yield* list(person.user_id)).body.total, 1)
      assert.strictEqual((yield* request("GET", path, { key: person.user_id })).status, 401)
    })
  )
})
