import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { audit } from "../../src/cli/AuditCommand.ts"
import { staff } from "../../src/cli/StaffCommand.ts"
import { AuditLog } from "../../src/staff/audit/AuditLog.ts"
import { Invites } from "../../src/staff/members/Invites.ts"
import { Members } from "../../src/staff/members/Members.ts"
import { StaffTokens } from "../../src/staff/members/StaffTokens.ts"
import { StaffId } from "../../src/staff/StaffId.ts"
import { runner } from "../cli/CommandTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

const run = runner(staff(Layer.mergeAll(Invites.layer, Members.layer, StaffTokens.layer)))
const runAudit = runner(audit(AuditLog.layer))

const world = (settings: Record<string, string> = {}) => Layer.merge(TestApp.layer(settings), NodeServices.layer)

const call = (method: "GET" | "POST" | "DELETE", path: string, secret: string, body?: unknown) =>
  request(method, `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` }, body })

layer(world())("Staff", (it) => {
  it.effect("are invited, changed and disabled by an owner, and every step is in the log", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const secret = yield* newSession(owner)
      const invited = yield* call("POST", "/invites", secret, {
        email: "Ada@Example.com",
        name: "Ada",
        role: "support"
      })
      assert.deepStrictEqual([invited.status, invited.body.email], [201, "ada@example.com"])
      assert.match(invited.body.link, /\/admin\/invite\?token=[\w-]{43}$/)
      const path = `/staff/${invited.body.staff_id}`
      const again = yield* call("POST", "/invites", secret, { email: "ada@example.com", name: "Ada", role: "owner" })
      assert.deepStrictEqual([again.status, again.body.details], [409, { reason: "email_taken" }])
      assert.strictEqual((yield* call("GET", path, secret)).body.state, "invited")
      assert.lengthOf((yield* call("GET", "/invites", secret)).body.items, 1)

      const token = new URL(invited.body.link).searchParams.get("token") ?? ""
      const invites = yield* Invites
      const renewed = yield* call("POST", `${path}/invite`, secret)
      assert.strictEqual(
        (yield* Effect.flip(invites.accept(token, "a good password", "192.0.2.1")))._tag,
        "InviteInvalid"
      )
      const other = new URL(renewed.body.link).searchParams.get("token") ?? ""
      yield* TestClock.adjust("47 hours")
      assert.strictEqual((yield* invites.accept(other, "a good password", "192.0.2.1")).name, "Ada")
      assert.strictEqual(
        (yield* Effect.flip(invites.accept(other, "a good password", "192.0.2.1")))._tag,
        "InviteInvalid"
      )

      const fresh = yield* newSession(owner)
      const change = (name: string, body?: unknown) => call("POST", `${path}/${name}`, fresh, body)
      assert.strictEqual((yield* change("role", { role: "finance" })).body.role, "finance")
      assert.strictEqual((yield* change("disable", { reason: "Left" })).body.state, "disabled")
      assert.strictEqual((yield* change("enable", { reason: "Is back" })).body.state, "active")
      assert.strictEqual((yield* change("reset-second-factor")).body.second_factor, false)
      const { body } = yield* call("GET", `/audit?subject_id=${invited.body.staff_id}`, fresh)
      assert.deepStrictEqual(
        body.items.map(({ action, after, before, reason }: any) => [
          action,
          before?.state,
          after?.state,
          after?.role,
          reason
        ]),
        [
          ["staff.change", "disabled", "active", "finance", "Is back"],
          ["staff.change", "active", "disabled", "finance", "Left"],
          ["staff.change", "active", "active", "finance", null],
          ["invite.accept", undefined, undefined, undefined, null],
          ["staff.change", undefined, undefined, "support", null],
          ["staff.change", undefined, undefined, "support", null]
        ]
      )
      assert.notInclude(JSON.stringify(body), other)
    })
  )

  it.effect("invitations end after 48 hours, and when they are revoked", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const invite = (email: string) =>
        Effect.flatMap(newSession(owner), (secret) =>
          call("POST", "/invites", secret, { email, name: "B", role: "viewer" })
        )
      const late = new URL((yield* invite("late@example.com")).body.link).searchParams.get("token") ?? ""
      yield* TestClock.adjust("48 hours")
      const invites = yield* Invites
      assert.strictEqual((yield* Effect.flip(invites.find(late)))._tag, "InviteInvalid")
      const { body } = yield* invite("revoked@example.com")
      const revoke = Effect.flatMap(newSession(owner), (secret) =>
        call("DELETE", `/staff/${body.staff_id}/invite`, secret)
      )
      assert.deepStrictEqual([(yield* revoke).status, (yield* revoke).status], [204, 404])
      const revoked = new URL(body.link).searchParams.get("token") ?? ""
      assert.strictEqual((yield* Effect.flip(invites.find(revoked)))._tag, "InviteInvalid")
    })
  )

  it.effect("roles and tokens need password and code of the last 5 minutes, so tokens cannot change them", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const other = yield* newStaff("viewer")
      const session = yield* newSession(owner)
      const token = yield* newToken(owner, ["staff.change", "staff.read"])
      const change = (secret: string) => call("POST", `/staff/${other}/role`, secret, { role: "support" })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* change(session)).status, 200)
      yield* TestClock.adjust("1 second")
      for (const secret of [session, token]) {
        const { body, status } = yield* change(secret)
        assert.deepStrictEqual([status, body.details], [403, { reason: "step_up_needed" }])
      }
    })
  )

  it.effect("create tokens with rights of their own, which they can see once and revoke", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      const given = { name: "Report", permissions: ["me.read", "audit.read"], expires_at: "1971-01-01T00:00:00Z" }
      const late = yield* call("POST", "/staff-tokens", secret, { ...given, expires_at: "1999-01-01T00:00:00Z" })
      assert.strictEqual(late.status, 422)
      const { body, status } = yield* call("POST", "/staff-tokens", secret, {
        ...given,
        expires_at: "1970-12-01T00:00:00Z"
      })
      assert.strictEqual(status, 201)
      assert.strictEqual((yield* call("GET", "/audit", body.token)).status, 200)
      assert.strictEqual((yield* call("GET", "/staff", body.token)).status, 403)
      const listed = yield* call("GET", "/staff-tokens", secret)
      assert.include(
        listed.body.items.map(({ id }: any) => id),
        body.id
      )
      assert.notInclude(JSON.stringify(listed.body), body.token)
      assert.strictEqual((yield* call("DELETE", `/staff-tokens/${body.id}`, secret)).status, 204)
      assert.strictEqual((yield* call("DELETE", `/staff-tokens/${body.id}`, secret)).status, 404)
      assert.strictEqual((yield* call("GET", "/audit", body.token)).status, 401)
    })
  )
})

const demote = (secret: string, id: string) => call("POST", `/staff/${id}/role`, secret, { role: "viewer" })

layer(world())("The last active owner", (it) => {
  it.effect("cannot be disabled or demoted; two owners who demote each other leave one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [yield* newStaff("owner"), yield* newStaff("owner")]
      const secrets = [yield* newSession(one), yield* newSession(two)] as const
      yield* Effect.all([demote(secrets[0], two), demote(secrets[1], one)], { concurrency: 2 })
      const [owner, ...more] = yield* sql<{ id: string }>`SELECT id FROM staff WHERE role = 'owner'`
      assert.isEmpty(more)
      const id = StaffId.make(owner?.id ?? "")
      const secret = yield* newSession(id)
      for (const answer of [
        yield* demote(secret, id),
        yield* call("POST", `/staff/${id}/disable`, secret, { reason: "x" })
      ])
        assert.deepStrictEqual([answer.status, answer.body.details], [409, { reason: "last_owner" }])
      // An owner who has not accepted the invitation does not count.
      yield* newStaff("owner", { password_hash: null })
      assert.strictEqual((yield* demote(secret, id)).status, 409)
      assert.strictEqual((yield* Effect.flip(sql`DELETE FROM staff WHERE id = ${id}`)).reason._tag, "ConstraintError")
    })
  )
})

layer(world())("The commands", (it) => {
  it.effect("begin a back office and keep it going", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run("list"), "No staff")
      const [email, role, , link = ""] = (yield* run("add --email Owner@example.com --role owner")).split("\t")
      assert.deepStrictEqual([email, role], ["owner@example.com", "owner"])
      assert.include(
        yield* run("add --email owner@example.com --role owner"),
        "failed: A staff member with this email exists"
      )
      assert.include(yield* run("add --email x@example.com --role king"), "failed:")
      assert.include(yield* run("role nobody@example.com viewer"), "failed: There is no such staff member")
      const token = new URL(link).searchParams.get("token") ?? ""
      yield* (yield* Invites).accept(token, "a good password", "192.0.2.1")
      assert.match(yield* run("list"), /^owner@example.com\towner\tactive\tno second factor\t/)
      assert.include(yield* run("disable owner@example.com --reason Gone"), "failed: One active owner must remain")
      assert.include(yield* run("role owner@example.com viewer"), "failed: One active owner must remain")
      assert.match(yield* run("invite owner@example.com"), /\tuntil .*\thttp/)

      const secret = yield* run(
        "token owner@example.com --name Ops --permission me.read --permission audit.read --days 7"
      )
      assert.match(secret, /^pst_/)
      assert.strictEqual((yield* call("GET", "/audit", secret)).status, 200)
      assert.include(yield* run("token owner@example.com --name Ops --permission all"), "failed:")
      yield* run("add --email Second@example.com --role support --name Second")
      assert.include(
        yield* run("token second@example.com --name Ops --permission audit.read"),
        "failed: There is no such staff member"
      )
      assert.match(yield* run("disable second@example.com"), /\tdisabled\t/)
      assert.match(yield* run("enable second@example.com"), /\tinvited\t/)
      assert.match(yield* run("reset-totp owner@example.com"), /no second factor/)

      const lines = (yield* runAudit("list --action staff.change")).split("\n")
      assert.match(lines.at(-1) ?? "", /\tdone\tstaff.change\tcli:\w+\tstaff /)
      assert.notInclude(lines.join("\n"), secret)
      assert.match(yield* runAudit("verify"), /^\d+\t[0-9a-f]{64}$/)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.andThen(
        sql`SET LOCAL session_replication_role = replica`,
        sql`UPDATE audit_event SET actor_name = 'nobody'`
      ).pipe(sql.withTransaction)
      assert.match(yield* runAudit("verify"), /^failed: The audit log was changed at \d+ places/)
    })
  )
})
