import { Console, DateTime, Effect, type Layer, Option, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { open } from "node:fs/promises"
import { userInfo } from "node:os"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import * as Actor from "../staff/Actor.ts"
import { CustomerCare } from "../staff/customers/CustomerCare.ts"
import { CustomerRecords } from "../staff/customers/CustomerRecords.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<AccountLookUp | CustomerCare | CustomerRecords, E, R>

const listLimit = 1000

const actor = Effect.sync(() => Actor.cli(userInfo().username))

class FileNotWritten extends Schema.TaggedError<FileNotWritten>()("FileNotWritten", { message: Schema.String }) {}

const account = Argument.String("account").pipe(
  Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
  Argument.withMetavar("id|email"),
  Argument.withDescription("Id or email of the account")
)

const idOf = (name: typeof account extends Argument.Argument<infer A> ? A : never) =>
  AccountLookUp.use((accounts) => accounts.find(name))

const reason = Flag.String("reason").pipe(
  Flag.withSchema(Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(500))),
  Flag.withDescription("Why, in 3 to 500 characters; the audit log keeps it")
)

const note = Command.make(
  "note",
  {
    account,
    text: Argument.String("text").pipe(
      Argument.withSchema(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))),
      Argument.withDescription("The note, 1 to 2,000 characters")
    )
  },
  Effect.fn(function* ({ account, text }) {
    const id = yield* idOf(account)
    const { answer } = yield* tellFailure((yield* CustomerCare).note(yield* actor, randomUUID(), id, text))
    yield* Console.log(answer.id)
  })
).pipe(Command.withDescription("Write a note about a customer; nobody can change it"))

const notes = Command.make(
  "notes",
  { account },
  Effect.fn(function* ({ account }) {
    const records = yield* CustomerRecords
    const { items } = yield* tellFailure(records.notes(yield* actor, yield* idOf(account), { limit: listLimit }))
    for (const { created_at, text, written_by } of items)
      yield* Console.log([DateTime.formatIso(created_at), written_by, text.replaceAll(/\s+/g, " ")].join("\t"))
  })
).pipe(Command.withDescription("Print the notes about a customer, the newest first"))

const mails = Command.make(
  "mails",
  { account },
  Effect.fn(function* ({ account }) {
    const records = yield* CustomerRecords
    const { items } = yield* tellFailure(records.mails(yield* actor, yield* idOf(account), { limit: listLimit }))
    for (const { created_at, failure, kind, status, subject, to_address } of items)
      yield* Console.log(
        [DateTime.formatIso(created_at), kind, to_address, failure ?? status, subject ?? ""].join("\t")
      )
  })
).pipe(Command.withDescription("Print the mails to a customer of the last 180 days, the newest first"))

const resend = Command.make(
  "resend-verification",
  { account },
  Effect.fn(function* ({ account }) {
    const id = yield* idOf(account)
    yield* tellFailure((yield* CustomerCare).resendVerification(yield* actor, randomUUID(), id))
    yield* Console.log("The verification mail is on its way")
  })
).pipe(Command.withDescription("Mail another link that verifies the email of a customer"))

const endSessions = Command.make(
  "end-sessions",
  { account, reason },
  Effect.fn(function* ({ account, reason }) {
    const id = yield* idOf(account)
    yield* tellFailure((yield* CustomerCare).endSessions(yield* actor, randomUUID(), id, reason))
    yield* Console.log("All sessions have ended")
  })
).pipe(Command.withDescription("Sign a customer out everywhere, and end the connections of apps"))

const written = (path: string, file: Stream.Stream<string>) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => open(path, "wx", 0o600),
      catch: (error) => new FileNotWritten({ message: `Cannot write ${path}: ${String(error)}` })
    }),
    (handle) => Stream.runForEach(file, (part) => Effect.promise(() => handle.write(part))),
    (handle) => Effect.promise(() => handle.close())
  )

const exportAll = Command.make(
  "export",
  {
    account,
    reason,
    file: Flag.String("file").pipe(Flag.withDescription("The file to write, which must not exist"))
  },
  Effect.fn(function* ({ account, file, reason }) {
    const id = yield* idOf(account)
    yield* written(file, yield* tellFailure((yield* CustomerCare).export(yield* actor, id, reason)))
    yield* Console.log(`Everything about the customer is in ${file}`)
  })
).pipe(Command.withDescription("Write everything about a customer to a file, logins of proxies included"))

const erase = Command.make(
  "erase",
  {
    account,
    reason,
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Really erase; without it nothing is done"), Flag.optional)
  },
  Effect.fn(function* ({ account, reason, yes }) {
    const id = yield* idOf(account)
    if (!Option.getOrElse(yes, () => false))
      return yield* Console.log(
        `Would erase ${id}: proxies end without a refund, the money of the wallet is lost. Repeat with --yes; nobody can undo it`
      )
    yield* tellFailure((yield* CustomerCare).erase(yield* actor, randomUUID(), id, reason))
    yield* Console.log(`${id} is erased`)
  })
).pipe(Command.withDescription("Erase a customer for good, as the owner of the account would"))

/** The commands that help one customer. */
export const careCommands = <E, R>(services: Services<E, R>) =>
  [
    Command.provide(note, services),
    Command.provide(notes, services),
    Command.provide(mails, services),
    Command.provide(resend, services),
    Command.provide(endSessions, services),
    Command.provide(exportAll, services),
    Command.provide(erase, services)
  ] as const
