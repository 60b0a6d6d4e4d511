import { Console, DateTime, Effect, type Layer } from "effect"
import { Command } from "effect/cli"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"

const rotate = Command.make(
  "rotate",
  {},
  Effect.fn(function* () {
    const { kid } = yield* SigningKeys.use((keys) => keys.rotate)
    yield* Console.log(`Tokens are signed with ${kid}; those that are out stay good until they expire`)
  })
).pipe(Command.withDescription("Sign with another key; a running service takes it up at once"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    for (const { created_at, kid, retired_at } of yield* SigningKeys.use((keys) => keys.list)) {
      const state = retired_at === null ? "active" : `retired ${DateTime.formatIso(retired_at)}`
      yield* Console.log(`${kid}\t${state}\tcreated ${DateTime.formatIso(created_at)}`)
    }
  })
).pipe(Command.withDescription("List the keys that tokens are signed with, and those that were within the last day"))

/** `services` are built for a command that uses them, and not to show help. */
export const signingKeys = <E, R>(services: Layer.Layer<SigningKeys, E, R>) =>
  Command.make("signing-keys").pipe(
    Command.withDescription("Keys that the service's tokens are signed with"),
    Command.withSubcommands([Command.provide(rotate, services), Command.provide(list, services)])
  )
