import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Passwords } from "../../accounts/passwords/Passwords.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { AdminUrl } from "../../platform/settings/Addresses.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { ofRole } from "../Permissions.ts"
import {
  InviteInvalid,
  InviteNotFound,
  type StaffEmailTaken,
  StaffNotFound,
  type StepUpNeeded
} from "../StaffErrors.ts"
import { StaffId } from "../StaffId.ts"
import type { Invite } from "./Invite.ts"
import { InvitesRepo } from "./InvitesRepo.ts"
import { MembersRepo } from "./MembersRepo.ts"
import type { NewMember } from "./NewMember.ts"

type By = Actor["Service"]
type Refused = PermissionNeeded | StepUpNeeded

/** An invitation with its link, which is shown once. */
export type InviteWithLink = Invite & { readonly link: string }

const attempt = (actor: By, id: string) => ({
  actor,
  permission: "staff.change" as const,
  action: "staff.change" as const,
  subject: { kind: "staff", id }
})

/** The actions of an owner on invitations. */
const makeManagement = Effect.gen(function* () {
  const adminUrl = yield* AdminUrl
  const audit = yield* Audit
  const guard = yield* Guard.make
  const members = yield* MembersRepo
  const repo = yield* InvitesRepo

  const put = Effect.fnUntraced(function* (actor: By, id: StaffId) {
    const token = yield* Secrets.make("")
    const invite = yield* repo.put(id, Secrets.digest(token), actor.staff_id)
    const { email, ends_at, name, role } = invite
    const after = { email, name, role, ends_at: DateTime.formatIso(ends_at), token }
    yield* audit.record({ ...attempt(actor, id), after })
    return { ...invite, link: `${adminUrl}/invite?token=${token}` }
  })

  const create = Effect.fn("Invites.create")((actor: By, given: NewMember) => {
    const id = StaffId.make(UuidV7.make())
    return guard.allowFresh(
      attempt(actor, id),
      Effect.andThen(members.insert(id, given, actor.staff_id), put(actor, id))
    )
  })

  const putAgain = Effect.fnUntraced(function* (actor: By, id: StaffId) {
    const member = yield* members.lock(id)
    if (Option.isNone(member) || member.value.state === "disabled") return yield* new StaffNotFound()
    return yield* put(actor, id)
  })

  const remove = Effect.fnUntraced(function* (actor: By, id: StaffId) {
    if (!(yield* repo.remove(id))) return yield* new InviteNotFound()
    yield* audit.record({ ...attempt(actor, id), before: { token: "" }, after: { token: null } })
  })

  return {
    create,
    renew: Effect.fn("Invites.renew")((actor: By, id: StaffId) =>
      guard.allowFresh(attempt(actor, id), putAgain(actor, id))
    ),
    list: Effect.fn("Invites.list")((actor: By) =>
      guard.allow({ ...attempt(actor, "all"), permission: "staff.read" }, Effect.flatMap(DateTime.now, repo.list))
    ),
    revoke: Effect.fn("Invites.revoke")((actor: By, id: StaffId) =>
      guard.allowFresh(attempt(actor, id), remove(actor, id))
    )
  }
})

/** The actions of the invited person. */
const makeAcceptance = Effect.gen(function* () {
  const atomically = yield* Atomically
  const audit = yield* Audit
  const passwords = yield* Passwords
  const repo = yield* InvitesRepo

  const find = Effect.fn("Invites.find")(function* (token: string) {
    const invite = yield* repo.find(Secrets.digest(token), yield* DateTime.now)
    return Option.isSome(invite) ? invite.value : yield* new InviteInvalid()
  })

  const store = Effect.fnUntraced(function* (token: string, password_hash: string, address: string) {
    const invite = yield* find(token)
    if (!(yield* repo.accept(Secrets.digest(token), password_hash, yield* DateTime.now)))
      return yield* new InviteInvalid()
    const { name, role, staff_id: id } = invite
    const permissions = new Set(ofRole(role))
    const actor: By = { kind: "staff", id, staff_id: id, name, role, address, permissions, confirmed_at: null }
    yield* audit.record({ ...attempt(actor, id), action: "invite.accept" })
    return invite
  }, atomically)

  const accept = Effect.fn("Invites.accept")(function* (token: string, password: string, address: string) {
    // A stranger without a link costs no hash.
    yield* find(token)
    return yield* store(token, yield* passwords.hash(password), address)
  })

  return { find, accept }
})

/** Invitations: links with which staff choose a password, once, within 48 hours. */
export class Invites extends Context.Service<
  Invites,
  {
    /** Adds a member, who has access after the link was used. */
    readonly create: (actor: By, given: NewMember) => Effect.Effect<InviteWithLink, Refused | StaffEmailTaken>
    /** Makes another link for a member, also for one who has forgotten the password. */
    readonly renew: (actor: By, id: StaffId) => Effect.Effect<InviteWithLink, Refused | StaffNotFound>
    readonly list: (actor: By) => Effect.Effect<ReadonlyArray<Invite>, PermissionNeeded>
    readonly revoke: (actor: By, id: StaffId) => Effect.Effect<void, Refused | InviteNotFound>
    /** Finds the invitation of a link. */
    readonly find: (token: string) => Effect.Effect<Invite, InviteInvalid>
    /** Sets the password of the invited person, who signs in with it. */
    readonly accept: (
      token: string,
      password: string,
      address: string
    ) => Effect.Effect<Invite, InviteInvalid | RateLimited>
  }
>()("app/staff/Invites") {
  static readonly layerNoDeps = Layer.effect(
    Invites,
    Effect.map(Effect.all([makeManagement, makeAcceptance]), ([management, acceptance]) =>
      Invites.of({ ...management, ...acceptance })
    )
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, InvitesRepo.layer, MembersRepo.layer, Passwords.layer])
  )
}
