import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import { Email } from "../accounts/Email.ts"
import { AllowedAddress } from "../accounts/AllowedAddress.ts"
import { KeyName } from "../accounts/api-keys/NewApiKey.ts"
import { Line } from "../platform/fields/Line.ts"
import * as Actor from "../staff/Actor.ts"
import { type InviteWithLink, Invites } from "../staff/members/Invites.ts"
import type { Member } from "../staff/members/Member.ts"
import { Members } from "../staff/members/Members.ts"
import { StaffTokens } from "../staff/members/StaffTokens.ts"
import { Permission } from "../staff/Permissions.ts"
import { Role } from "../staff/Role.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<Invites | Members | StaffTokens, E, R>

/** The user of the machine who runs the command. */
const actor = Effect.sync(() => Actor.cli(userInfo().username))

const email = Argument.String("email").pipe(
  Argument.withSchema(Email),
  Argument.withDescription("Email of the staff member")
)

const role = Flag.Literals("role", Role.literals)

const memberOf = (email: string) =>
  Effect.flatMap(actor, (by) => Members.use((members) => members.findByEmail(by, email)))

const line = ({ created_at, email, name, role, second_factor, state }: Member) =>
  [email, role, state, second_factor ? "second factor" : "no second factor", DateTime.formatIso(created_at), name].join(
    "\t"
  )

const printLink = ({ email, ends_at, link, role }: InviteWithLink) =>
  Console.log([email, role, `until ${DateTime.formatIso(ends_at)}`, link].join("\t"))

const add = Command.make(
  "add",
  {
    email: Flag.String("email").pipe(
      Flag.withSchema(Email),
      Flag.withDescription("Email with which the person signs in")
    ),
    role: role.pipe(Flag.withDescription("What the person may do; see docs/back-office.md")),
    name: Flag.String("name").pipe(
      Flag.withSchema(Line(1, 100)),
      Flag.withDescription("Name of the person; default: the email"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ email, name, role }) {
    const by = yield* actor
    const given = { email, role, name: Option.getOrElse(name, () => email.slice(0, 100)) }
    yield* printLink(yield* Invites.use((invites) => invites.create(by, given)))
  }, tellFailure)
).pipe(
  Command.withDescription(
    "Add a staff member, and print a link with which the person chooses a password once within 48 hours"
  )
)

const invite = Command.make(
  "invite",
  { email },
  Effect.fn(function* ({ email }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    yield* printLink(yield* Invites.use((invites) => invites.renew(by, id)))
  }, tellFailure)
).pipe(Command.withDescription("Print another link, also for a member who has forgotten the password"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const by = yield* actor
    const read = (after?: string) =>
      Members.use((members) => members.list(by, { limit: 100, ...(after !== undefined && { after }) }))
    let page = yield* read()
    if (page.items.length === 0) yield* Console.log("No staff")
    for (;;) {
      for (const member of page.items) yield* Console.log(line(member))
      if (page.next === null) return
      page = yield* read(page.next)
    }
  }, tellFailure)
).pipe(Command.withDescription("List all staff, the newest first"))

const setRole = Command.make(
  "role",
  { email, role: Argument.Literals("role", Role.literals) },
  Effect.fn(function* ({ email, role }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    yield* Console.log(line(yield* Members.use((members) => members.setRole(by, id, role))))
  }, tellFailure)
).pipe(Command.withDescription("Give another role; ends the sessions and tokens of the member"))

const disable = Command.make(
  "disable",
  {
    email,
    reason: Flag.String("reason").pipe(
      Flag.withSchema(Line(1, 500)),
      Flag.withDescription("Why, for the audit log"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ email, reason }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    yield* Console.log(line(yield* Members.use((members) => members.disable(by, id, Option.getOrNull(reason)))))
  }, tellFailure)
).pipe(Command.withDescription("End the access of a member at once, with all sessions and tokens"))

const enable = Command.make(
  "enable",
  { email },
  Effect.fn(function* ({ email }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    yield* Console.log(line(yield* Members.use((members) => members.enable(by, id, null))))
  }, tellFailure)
).pipe(Command.withDescription("Let a disabled member sign in again"))

const resetTotp = Command.make(
  "reset-totp",
  { email },
  Effect.fn(function* ({ email }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    yield* Console.log(line(yield* Members.use((members) => members.resetSecondFactor(by, id))))
  }, tellFailure)
).pipe(Command.withDescription("Let a member who has lost the authenticator app set up another at the next sign-in"))

const token = Command.make(
  "token",
  {
    email,
    name: Flag.String("name").pipe(Flag.withSchema(KeyName), Flag.withDescription("What the token is for")),
    permissions: Flag.Literals("permission", Permission.literals).pipe(
      Flag.between(1, 100),
      Flag.withDescription("A permission such as audit.read; repeat the flag for more")
    ),
    allowed: Flag.String("allow-ip").pipe(
      Flag.withSchema(AllowedAddress),
      Flag.between(0, 100),
      Flag.withDescription("An address or CIDR network that may use the token; repeat the flag for more; default: any")
    ),
    days: Flag.Int("days").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 }))),
      Flag.withDefault(90),
      Flag.withDescription("Days until the token expires, 1 to 365; default: 90")
    )
  },
  Effect.fn(function* ({ allowed, days, email, name, permissions }) {
    const [by, { id }] = [yield* actor, yield* memberOf(email)]
    const expires_at = DateTime.add(yield* DateTime.now, { days })
    const given = { name, permissions, expires_at, ...(allowed.length > 0 && { allowed_ips: allowed }) }
    yield* Console.log((yield* StaffTokens.use((tokens) => tokens.create(by, id, given))).token)
  }, tellFailure)
).pipe(Command.withDescription("Create a token of a member for programs, and print it once"))

export const staff = <E, R>(services: Services<E, R>) =>
  Command.make("staff").pipe(
    Command.withDescription("Add and change the people who work in the back office"),
    Command.withSubcommands([
      Command.provide(add, services),
      Command.provide(invite, services),
      Command.provide(list, services),
      Command.provide(setRole, services),
      Command.provide(disable, services),
      Command.provide(enable, services),
      Command.provide(resetTotp, services),
      Command.provide(token, services)
    ])
  )
