import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type HttpApiGroup, OpenApi } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { AdminApi } from "../../src/AdminApi.ts"
import { permissions } from "../../src/staff/Permissions.ts"
import { Role } from "../../src/staff/Role.ts"
import { RequiredPermission } from "../../src/staff/StaffAuthenticationApi.ts"
import { newPerson } from "../accounts/AccountsServer.ts"
import { connected } from "../oauth/TokenTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

const groups = Object.values(AdminApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>

/** The permission of each operation, by its name. */
const permissionOf = new Map(
  groups.flatMap(({ endpoints, identifier: group }) =>
    Object.values(endpoints).map(({ annotations, identifier }) => [
      `${group}.${identifier}`,
      Context.get(annotations, RequiredPermission)
    ])
  )
)

const document: any = OpenApi.fromApi(AdminApi)

/** Every operation of the admin document, with a path whose ids name nothing. */
const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, { operationId }]) => {
    const permission = permissionOf.get(String(operationId))
    assert.isDefined(permission, `${method} ${path} ${operationId}`)
    return {
      method: method.toUpperCase() as Method,
      path: path.replace(/\{\w+\}/g, randomUUID()),
      permission: permission!
    }
  })
)

const statusOf = ({ method, path }: (typeof operations)[number], headers: Record<string, string>) =>
  Effect.map(
    request(method, path, {
      headers: { "idempotency-key": randomUUID(), ...headers },
      ...(method !== "GET" && { body: {} })
    }),
    ({ status }) => status
  )

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** Who passes the check of rights meets the operation: it answers, or refuses an empty body or an unknown record. */
const passed = [200, 201, 204, 404, 409, 422]

layer(TestApp.layer())("Every operation of the admin document", (it) => {
  it.effect("answers a role exactly if the role has its permission", () =>
    Effect.gen(function* () {
      assert.isAbove(operations.length, 10)
      for (const role of Role.literals) {
        const secret = yield* newSession(yield* newStaff(role))
        for (const operation of operations) {
          const status = yield* statusOf(operation, bearer(secret))
          const name = `${role} ${operation.method} ${operation.path}`
          const isAllowed = (permissions[operation.permission] as ReadonlyArray<Role>).includes(role)
          if (isAllowed) assert.include(passed, status, name)
          else assert.strictEqual(status, 403, name)
        }
      }
    })
  )

  it.effect("answers a token exactly if the token has its permission, without a session's confirmation", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const own = [...new Set(operations.map(({ permission }) => permission))]
      for (const permission of own) {
        const secret = yield* newToken(owner, [permission])
        for (const operation of operations) {
          const status = yield* statusOf(operation, bearer(secret))
          const name = `${permission} ${operation.method} ${operation.path}`
          // An operation of weight refuses a token with 403 too, after the body.
          if (operation.permission === permission) assert.include([...passed, 403], status, name)
          else assert.strictEqual(status, 403, name)
        }
      }
      const reads = operations.filter(({ method }) => method === "GET")
      const reading = yield* newToken(owner, [...new Set(reads.map(({ permission }) => permission))])
      for (const operation of reads) assert.include(passed, yield* statusOf(operation, bearer(reading)), operation.path)
    })
  )

  it.effect("answers 403 to a token from another address", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const own = [...new Set(operations.map(({ permission }) => permission))]
      const far = yield* newToken(owner, own, { allowed_ips: ["192.0.2.0/24"] })
      for (const operation of operations)
        assert.strictEqual(yield* statusOf(operation, bearer(far)), 403, `${operation.method} ${operation.path}`)
    })
  )

  it.effect("answers 401 to a disabled member, to customers, and to nobody", () =>
    Effect.gen(function* () {
      const disabled = yield* newStaff("owner", { disabled_at: new Date(0) })
      const { access_token } = yield* newPerson
      const created = yield* request("POST", "/v1/api-keys", { user: access_token, body: { name: "mine" } })
      const app = yield* connected({ scopes: ["orders:write"] })
      const staffCookie = yield* newSession(yield* newStaff("owner"))
      const strangers: ReadonlyArray<Record<string, string>> = [
        bearer(yield* newSession(disabled)),
        bearer(yield* newToken(disabled, ["me.read"])),
        bearer(access_token),
        bearer(created.body.key),
        bearer(app.access_token),
        { "x-api-key": created.body.key },
        { cookie: `staff=${staffCookie}; __Host-staff=${staffCookie}` },
        { "x-api-key": staffCookie },
        bearer(""),
        {}
      ]
      for (const operation of operations)
        for (const headers of strangers)
          assert.strictEqual(yield* statusOf(operation, headers), 401, `${operation.path} ${JSON.stringify(headers)}`)
    })
  )
})
