import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountLookUp, type AccountName } from "../accounts/AccountLookUp.ts"
import { UserId } from "../accounts/User.ts"
import type { AccountEvent } from "../oauth/OAuthEvent.ts"
import { OAuthEvents } from "../oauth/OAuthEvents.ts"
import * as AccountArgument from "./AccountArgument.ts"

const isId = Schema.is(UserId)

const user = Flag.String("user").pipe(
  Flag.filterMap(AccountArgument.decode, AccountArgument.expected),
  Flag.withMetavar("id|email"),
  Flag.optional,
  Flag.withDescription("Only events of the account with this id or email")
)

const client = Flag.String("client").pipe(
  Flag.optional,
  Flag.withDescription("Only events of the app with this client id")
)

const limit = Flag.Int("limit").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
  Flag.withDescription("Maximum number of events, 1 to 1000; default: 50"),
  Flag.withDefault(50)
)

/** Returns an id unchanged, because the events outlive their account. */
const found = Option.match({
  onNone: () => Effect.succeed(null),
  onSome: (name: AccountName) =>
    isId(name) ? Effect.succeed(name) : AccountLookUp.use((accounts) => accounts.find(name))
})

const line = (event: AccountEvent) =>
  [
    DateTime.formatIso(event.occurred_at),
    event.kind,
    event.email ?? event.user_id,
    event.client_id,
    event.connection_id ?? "",
    event.scopes?.join(" ") ?? "",
    event.reason ?? "",
    event.client_address ?? ""
  ].join("\t")

const events = Command.make(
  "events",
  { client, limit, user },
  Effect.fn(function* ({ client, limit, user }) {
    const events = yield* OAuthEvents
    const client_id = Option.getOrNull(client)
    const listed = yield* events.list({ user_id: yield* found(user), client_id, limit })
    if (listed.length === 0) yield* Console.log("No events")
    yield* Effect.forEach(listed, (event) => Console.log(line(event)), { discard: true })
  })
).pipe(
  Command.withDescription(
    "List the events between accounts and connected apps, newest first. Columns: time, kind, account, app, connection, scopes, reason, address"
  )
)

export const oauth = <E, R>(services: Layer.Layer<AccountLookUp | OAuthEvents, E, R>) =>
  Command.make("oauth").pipe(
    Command.withDescription("Show the activity of connected apps"),
    Command.withSubcommands([Command.provide(events, services)])
  )
