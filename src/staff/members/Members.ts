import { Context, Effect, Layer, Option } from "effect"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import type { Role } from "../Role.ts"
import { type LastOwner, StaffNotFound, type StepUpNeeded } from "../StaffErrors.ts"
import type { StaffId } from "../StaffId.ts"
import type { Member } from "./Member.ts"
import { MembersRepo } from "./MembersRepo.ts"

type Refused = PermissionNeeded | StepUpNeeded | StaffNotFound
type By = Actor["Service"]

const found = (member: Effect.Effect<Option.Option<Member>>) =>
  Effect.flatMap(member, Option.match({ onNone: () => new StaffNotFound(), onSome: Effect.succeed }))

const attempt = (actor: By, id: string) => ({ actor, subject: { kind: "staff", id } })

/** The staff members of the operator, and the changes that an owner makes to them. */
export class Members extends Context.Service<
  Members,
  {
    /** True as soon as somebody has been invited; before that the back office does not exist. */
    readonly exist: Effect.Effect<boolean>
    readonly list: (
      actor: By,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<Member>; readonly next: string | null }, PermissionNeeded>
    readonly find: (actor: By, id: StaffId) => Effect.Effect<Member, PermissionNeeded | StaffNotFound>
    readonly findByEmail: (actor: By, email: string) => Effect.Effect<Member, PermissionNeeded | StaffNotFound>
    /** Gives another role, and ends the sessions and tokens of the person. */
    readonly setRole: (actor: By, id: StaffId, role: Role) => Effect.Effect<Member, Refused | LastOwner>
    /** Ends the access of the person at once, with sessions, tokens and invitation. */
    readonly disable: (actor: By, id: StaffId, reason: string | null) => Effect.Effect<Member, Refused | LastOwner>
    readonly enable: (actor: By, id: StaffId, reason: string | null) => Effect.Effect<Member, Refused>
    /** Lets a person who has lost the authenticator app set up another at the next sign-in. */
    readonly resetSecondFactor: (actor: By, id: StaffId) => Effect.Effect<Member, Refused>
  }
>()("app/staff/Members") {
  static readonly layerNoDeps = Layer.effect(
    Members,
    Effect.gen(function* () {
      const audit = yield* Audit
      const guard = yield* Guard.make
      const repo = yield* MembersRepo

      const reading = <A, E>(actor: By, id: string, read: Effect.Effect<A, E>) =>
        guard.allow({ ...attempt(actor, id), permission: "staff.read" }, read)

      /** Changes a member under its lock, and records the fields that differ afterwards. */
      const changing = <E>(
        actor: By,
        id: StaffId,
        reason: string | null,
        change: (member: Member) => Effect.Effect<unknown, E>
      ) => {
        const act = Effect.gen(function* () {
          const before = yield* found(repo.lock(id))
          yield* change(before)
          const after = yield* found(repo.find(id))
          const [was, is] = [before, after].map(({ role, second_factor, state }) => ({ role, second_factor, state }))
          if (JSON.stringify(was) !== JSON.stringify(is))
            yield* audit.record({
              ...attempt(actor, id),
              action: "staff.change",
              before: { ...was, email: before.email },
              after: { ...is, email: after.email },
              reason
            })
          return after
        })
        return guard.allowFresh({ ...attempt(actor, id), permission: "staff.change" }, act)
      }

      return Members.of({
        exist: repo.exists,
        list: Effect.fn("Members.list")((actor, page) =>
          reading(
            actor,
            "all",
            Effect.map(repo.list(page), (rows) => Keyset.pageOf(rows, page.limit))
          )
        ),
        find: Effect.fn("Members.find")((actor, id) => reading(actor, id, found(repo.find(id)))),
        findByEmail: Effect.fn("Members.findByEmail")((actor, email) =>
          reading(actor, email, found(repo.findByEmail(email)))
        ),
        setRole: Effect.fn("Members.setRole")((actor, id, role) =>
          changing(actor, id, null, (member) => (member.role === role ? Effect.void : repo.setRole(id, role)))
        ),
        disable: Effect.fn("Members.disable")((actor, id, reason) =>
          changing(actor, id, reason, ({ state }) => (state === "disabled" ? Effect.void : repo.disable(id)))
        ),
        enable: Effect.fn("Members.enable")((actor, id, reason) => changing(actor, id, reason, () => repo.enable(id))),
        resetSecondFactor: Effect.fn("Members.resetSecondFactor")((actor, id) =>
          changing(actor, id, null, () => repo.removeSecondFactor(id))
        )
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, MembersRepo.layer]))
}
