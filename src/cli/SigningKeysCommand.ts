import { Console, DateTime, Effect, type Layer } from "effect"
import { Command } from "effect/cli"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import { recorded } from "./Recorded.ts"

const rotate = Command.make(
  "rotate",
  {},
  Effect.fn(function* () {
    const rotation = SigningKeys.use((keys) => keys.rotate)
    const { kid } = yield* recorded(rotation, ({ kid }) => ({
      action: "setting.change",
      subject: { kind: "signing_key", id: kid }
    }))
    yield* Console.log(`Key ${kid} signs new tokens; issued tokens stay valid until they expire`)
  })
).pipe(Command.withDescription("Sign new tokens with a new key; a running service uses it immediately"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    for (const { created_at, kid, retired_at } of yield* SigningKeys.use((keys) => keys.list)) {
      const state = retired_at === null ? "active" : `retired ${DateTime.formatIso(retired_at)}`
      yield* Console.log(`${kid}\t${state}\tcreated ${DateTime.formatIso(created_at)}`)
    }
  })
).pipe(Command.withDescription("List the active signing key, and the keys retired within the last day"))

export const signingKeys = <E, R>(services: Layer.Layer<Atomically | Audit | SigningKeys, E, R>) =>
  Command.make("signing-keys").pipe(
    Command.withDescription("Show and rotate the keys that sign tokens"),
    Command.withSubcommands([Command.provide(rotate, services), Command.provide(list, services)])
  )
