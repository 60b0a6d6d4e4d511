import { Context, DateTime, Effect, Layer, Option } from "effect"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Secrets from "../../platform/Secrets.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import { type Actor, may, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import { ofRole } from "../Permissions.ts"
import { StaffNotFound, StaffTokenNotFound, type StepUpNeeded } from "../StaffErrors.ts"
import type { StaffId } from "../StaffId.ts"
import { MembersRepo } from "./MembersRepo.ts"
import { type NewStaffToken, type StaffToken, StaffTokenId } from "./StaffToken.ts"
import { StaffTokensRepo } from "./StaffTokensRepo.ts"

type By = Actor["Service"]
type Refused = PermissionNeeded | StepUpNeeded

const prefixLength = 12
const daysAtMost = 365

const attempt = (actor: By, id: string) => ({
  actor,
  permission: "staff.change" as const,
  action: "staff.change" as const,
  subject: { kind: "staff_token", id }
})

/** The tokens of staff, for programs. A token ends with the role of its owner, and does nothing that the owner may not. */
export class StaffTokens extends Context.Service<
  StaffTokens,
  {
    /** Creates a token of a member; returns the secret, which is shown once. */
    readonly create: (
      actor: By,
      owner: StaffId,
      given: NewStaffToken
    ) => Effect.Effect<StaffToken & { readonly token: string }, Refused | StaffNotFound | RequestInvalid>
    readonly list: (
      actor: By,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<StaffToken>; readonly next: string | null }, PermissionNeeded>
    readonly revoke: (actor: By, id: StaffTokenId) => Effect.Effect<void, Refused | StaffTokenNotFound>
  }
>()("app/staff/StaffTokens") {
  static readonly layerNoDeps = Layer.effect(
    StaffTokens,
    Effect.gen(function* () {
      const audit = yield* Audit
      const guard = yield* Guard.make
      const members = yield* MembersRepo
      const repo = yield* StaffTokensRepo

      const checkEnd = Effect.fnUntraced(function* (expires_at: DateTime.Utc, now: DateTime.Utc) {
        const latest = DateTime.add(now, { days: daysAtMost })
        if (DateTime.isGreaterThan(expires_at, now) && DateTime.isLessThanOrEqualTo(expires_at, latest)) return
        return yield* RequestInvalid.at(["body", "expires_at"], "Must be in the future, at most a year from now")
      })

      const insert = Effect.fnUntraced(function* (actor: By, owner: StaffId, given: NewStaffToken, id: StaffTokenId) {
        const now = yield* DateTime.now
        yield* checkEnd(given.expires_at, now)
        // The lock keeps the role, which the token must not exceed.
        const member = yield* members.lock(owner)
        if (Option.isNone(member) || member.value.state !== "active") return yield* new StaffNotFound()
        const role = ofRole(member.value.role)
        const missing = given.permissions.find((permission) => !role.includes(permission) || !may(actor, permission))
        if (missing !== undefined) return yield* new PermissionNeeded({ details: { permission: missing } })
        const token = yield* Secrets.make("pst_")
        const { expires_at, name } = given
        const shown = { name, permissions: [...new Set(given.permissions)], allowed_ips: given.allowed_ips ?? null }
        const stored = yield* repo.insert({
          id,
          staff_id: owner,
          ...shown,
          prefix: token.slice(0, prefixLength),
          secret_hash: Secrets.digest(token),
          created_at: now,
          expires_at
        })
        yield* audit.record({
          ...attempt(actor, id),
          after: { ...shown, email: member.value.email, expires_at: DateTime.formatIso(expires_at), token }
        })
        return { ...stored, token }
      })

      const remove = Effect.fnUntraced(function* (actor: By, id: StaffTokenId) {
        const removed = yield* repo.remove(id)
        if (Option.isNone(removed)) return yield* new StaffTokenNotFound()
        const { name, permissions } = removed.value
        yield* audit.record({ ...attempt(actor, id), before: { name, permissions }, after: { token: null } })
      })

      return StaffTokens.of({
        create: Effect.fn("StaffTokens.create")((actor, owner, given) => {
          const id = StaffTokenId.make(UuidV7.make())
          return guard.allowFresh(attempt(actor, id), insert(actor, owner, given, id))
        }),
        list: Effect.fn("StaffTokens.list")((actor, page) =>
          guard.allow(
            { ...attempt(actor, "all"), permission: "staff.read" },
            Effect.flatMap(DateTime.now, (now) =>
              Effect.map(repo.list(page, now), (rows) => Keyset.pageOf(rows, page.limit))
            )
          )
        ),
        revoke: Effect.fn("StaffTokens.revoke")((actor, id) => guard.allowFresh(attempt(actor, id), remove(actor, id)))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, MembersRepo.layer, StaffTokensRepo.layer]))
}
