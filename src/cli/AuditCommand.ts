import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Text } from "../platform/fields/Text.ts"
import type { AuditEvent } from "../staff/audit/AuditEvent.ts"
import { AuditLog } from "../staff/audit/AuditLog.ts"

class AuditChainBroken extends Schema.TaggedError<AuditChainBroken>()("AuditChainBroken", {
  message: Schema.String
}) {}

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withSchema(Text(1, 300)), Flag.withDescription(description), Flag.optional)

const optionalId = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Schema.String.check(Schema.isUUID())),
    Flag.withDescription(description),
    Flag.optional
  )

const line = (event: AuditEvent) =>
  [
    DateTime.formatIso(event.occurred_at),
    event.outcome,
    event.action,
    event.actor_name,
    `${event.subject_kind} ${event.subject_id}`,
    event.address ?? "",
    JSON.stringify({ before: event.before, after: event.after, reason: event.reason })
  ].join("\t")

const list = Command.make(
  "list",
  {
    limit: Flag.Int("limit").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
      Flag.withDefault(100),
      Flag.withDescription("Number of events, 1 to 1000; default: 100")
    ),
    action: optionalText("action", "Only this action, such as staff.change"),
    subject: optionalText("subject", "Only events about the record with this id"),
    staff: optionalId("staff", "Only what this staff member did, by id"),
    user: optionalId("user", "Only events about this customer, by id")
  },
  Effect.fn(function* ({ action, limit, staff, subject, user }) {
    const log = yield* AuditLog
    const { items } = yield* log.list({
      limit,
      ...Option.match(action, { onNone: () => ({}), onSome: (action) => ({ action }) }),
      ...Option.match(subject, { onNone: () => ({}), onSome: (subject_id) => ({ subject_id }) }),
      ...Option.match(staff, { onNone: () => ({}), onSome: (staff_id) => ({ staff_id }) }),
      ...Option.match(user, { onNone: () => ({}), onSome: (user_id) => ({ user_id }) })
    })
    if (items.length === 0) yield* Console.log("No events")
    yield* Effect.forEach(items, (event) => Console.log(line(event)), { discard: true })
  })
).pipe(Command.withDescription("List what staff did, the newest first"))

const verify = Command.make(
  "verify",
  {},
  Effect.fn(function* () {
    const log = yield* AuditLog
    const { faults, head } = yield* log.verify
    yield* Console.log([head.seq, head.hash].join("\t"))
    for (const { place, problem } of faults) yield* Console.log([place, problem].join("\t"))
    if (faults.length > 0)
      return yield* new AuditChainBroken({ message: `The audit log was changed at ${faults.length} places or more` })
  })
).pipe(
  Command.withDescription(
    "Check the chain of the audit log, and print its last number and hash. Keep them elsewhere: they show later that nothing was cut off. Exit code 1: the log was changed"
  )
)

export const audit = <E, R>(services: Layer.Layer<AuditLog, E, R>) =>
  Command.make("audit").pipe(
    Command.withDescription("Read and check the log of what staff did"),
    Command.withSubcommands([Command.provide(list, services), Command.provide(verify, services)])
  )
