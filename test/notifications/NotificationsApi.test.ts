import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as Fixtures from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"
import { tell, world } from "./NotificationTesting.ts"

const at = "/v1/notifications"

/** An account with three notifications, a second apart: first, second, third. */
const told = Effect.gen(function* () {
  const user = yield* Fixtures.newUser
  for (const message of ["first", "second", "third"]) {
    yield* TestClock.adjust("1 second")
    yield* tell(user, { message: () => message })
  }
  const { body } = yield* request("GET", at, { user })
  const ids: ReadonlyArray<string> = body.notifications.map(({ id }: { id: string }) => id)
  return { user, ids }
})

const messages = (body: any) => body.notifications.map(({ message }: { message: string }) => message)

layer(world)("The notifications API", (it) => {
  it.effect("lists newest first, with exactly the documented fields", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const order_id = randomUUID()
      yield* tell(yield* Fixtures.newUser)
      yield* tell(user)
      yield* TestClock.adjust("1 second")
      yield* tell(user, { kind: "proxy_expiring", order_id, message: () => "Your proxy expires" })
      const { body, status } = yield* request("GET", at, { user })
      assert.strictEqual(status, 200)
      const [{ created_at, id, ...newest }, oldest] = body.notifications
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(newest, {
        kind: "proxy_expiring",
        order_id,
        payment_intent_id: null,
        endpoint_id: null,
        message: "Your proxy expires",
        read_at: null
      })
      assert.deepInclude(oldest, { kind: "proxy_renewed", order_id: null, message: "Renewed" })
      const { notifications: _notifications, ...counted } = body
      assert.deepStrictEqual(counted, { total: 2, limit: 50, offset: 0, unread: 2 })
    })
  )

  it.effect("pages through notifications and counts all that match", () =>
    Effect.gen(function* () {
      const { user } = yield* told
      const { body } = yield* request("GET", `${at}?limit=1&offset=1`, { user })
      assert.deepStrictEqual(
        [messages(body), body.total, body.limit, body.offset, body.unread],
        [["second"], 3, 1, 1, 3]
      )
      const beyond = yield* request("GET", `${at}?offset=3`, { user })
      assert.deepStrictEqual([messages(beyond.body), beyond.body.total], [[], 3])
    })
  )

  it.effect("marks a notification as read; a repeated call changes nothing", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* told
      yield* TestClock.adjust("1 minute")
      const first = yield* request("POST", `${at}/${ids[1]}/read`, { user })
      assert.deepStrictEqual([first.status, first.body.id, first.body.message], [200, ids[1], "second"])
      assert.isAbove(Date.parse(first.body.read_at), Date.parse(first.body.created_at))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* request("POST", `${at}/${ids[1]}/read`, { user })).body, first.body)

      const lists = [
        ["?unread=true", ["third", "first"], 2],
        ["?unread=false", ["second"], 1],
        ["", ["third", "second", "first"], 3]
      ] as const
      for (const [query, expected, total] of lists) {
        const { body } = yield* request("GET", `${at}${query}`, { user })
        assert.deepStrictEqual([messages(body), body.total, body.unread], [[...expected], total, 2])
      }
    })
  )

  it.effect("refuses invalid requests and other accounts", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* told
      const stranger = yield* Fixtures.newUser
      const read = `${at}/${ids[0]}/read`
      const cases = [
        ["GET", `${at}?limit=0`, { user }, 422],
        ["GET", `${at}?limit=101`, { user }, 422],
        ["GET", `${at}?offset=-1`, { user }, 422],
        ["GET", `${at}?unread=1`, { user }, 422],
        ["GET", at, {}, 401],
        ["GET", at, { key: user }, 401],
        ["GET", at, { user: "nobody" }, 401],
        ["POST", read, {}, 401],
        ["POST", read, { key: user }, 401],
        ["POST", read, { user: stranger }, 403],
        ["POST", `${at}/${randomUUID()}/read`, { user }, 404],
        ["POST", `${at}/7/read`, { user }, 422],
        ["POST", `${at}/${ids[0]}%00/read`, { user }, 422]
      ] as const
      for (const [method, path, credential, expected] of cases) {
        const { body, status } = yield* request(method, path, credential)
        assert.deepStrictEqual([method, path, status], [method, path, expected])
        assert.isDefined(body.code)
      }
      const { body } = yield* request("GET", at, { user })
      assert.strictEqual(body.unread, 3, "a stranger reads nothing")
    })
  )
})
