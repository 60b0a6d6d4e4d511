import { Console, DateTime, Effect, type Layer, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Blocklist } from "../ip-check/blocklists/Blocklist.ts"
import { BlocklistRegistry } from "../ip-check/blocklists/BlocklistRegistry.ts"
import { BlocklistSync, type SyncOutcome } from "../ip-check/blocklists/BlocklistSync.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import { recorded } from "./Recorded.ts"

const ids = BlocklistRegistry.map(({ id }) => id)

class BlocklistsNotSynced extends Schema.TaggedError<BlocklistsNotSynced>()("BlocklistsNotSynced", {
  message: Schema.String
}) {}

const outcomeLine = (outcome: SyncOutcome): string => {
  switch (outcome._tag) {
    case "Loaded": {
      const ignored = outcome.special === 0 ? "" : `; ignored ${outcome.special} that are not public`
      return `loaded, ${outcome.networks} networks${ignored}`
    }
    case "Unchanged":
      return `unchanged, ${outcome.networks} networks`
    case "Failed":
      return `failed: ${outcome.reason}`
    case "TooSoon":
      return outcome.failure !== null
        ? `skipped: the last attempt failed (${outcome.failure}), the next is at ${DateTime.formatIso(outcome.again_at)}; use --force to try immediately`
        : `skipped: its publisher allows no download before ${DateTime.formatIso(outcome.again_at)}`
    case "Busy":
      return "skipped: another process is downloading it, or stopped during a download within the last ten minutes"
  }
}

const host = ({ url }: Blocklist) => new URL(url).host

const noList = Console.log("BLOCKLISTS excludes every list")

const sync = Command.make(
  "sync",
  {
    names: Argument.Literals("list", ids).pipe(
      Argument.variadic(),
      Argument.withDescription(`Lists to download: ${ids.join(", ")}; default: every list in BLOCKLISTS`)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Download complete lists immediately, even after a failure or within the publisher's interval, and accept a list that lost more than half of its networks"
      )
    )
  },
  Effect.fn(function* ({ force, names }) {
    const { lists, sync } = yield* BlocklistSync
    const wanted = names.length === 0 ? lists : lists.filter(({ id }) => names.includes(id))
    const excluded = names.filter((name) => !lists.some(({ id }) => id === name))
    if (lists.length === 0 && names.length === 0) yield* noList
    if (excluded.length > 0)
      return yield* new BlocklistsNotSynced({ message: `BLOCKLISTS excludes ${excluded.join(", ")}` })
    const outcomes = yield* Effect.forEach(wanted, (list) =>
      Effect.gen(function* () {
        const begin = Console.log(`${list.id}\tdownloading from ${host(list)}`)
        const outcome = yield* sync(list, force ? "forced" : "asked", begin)
        yield* Console.log(`${list.id}\t${outcomeLine(outcome)}`)
        // A download must not keep a transaction open, so its event follows it.
        yield* recorded(Effect.void, () => ({
          action: "setting.change",
          subject: { kind: "blocklist", id: list.id },
          after: { state: outcomeLine(outcome) }
        }))
        return outcome
      })
    )
    const failed = outcomes.filter(({ _tag }) => _tag === "Failed").length
    if (failed > 0)
      return yield* new BlocklistsNotSynced({
        message: `Cannot download ${failed} of ${wanted.length} blocklists; the service keeps their last copies`
      })
  })
).pipe(Command.withDescription("Download the blocklists; a running service uses them immediately"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const { lists, states } = yield* BlocklistSync
    const found = new Map((yield* states).map((state) => [state.id, state]))
    if (lists.length === 0) yield* noList
    for (const { claim, id, licence } of lists) {
      const state = found.get(id)
      const age = state?.synced_at ? `synced ${DateTime.formatIso(state.synced_at)}` : "never loaded"
      const failure = state?.failure
        ? [
            `failures ${state.failures}, next attempt ${DateTime.formatIso(state.sync_at)}, last failure: ${state.failure}`
          ]
        : []
      const columns = [id, claim ?? "no claim", `${state?.networks ?? 0} networks`, age, ...failure, licence]
      yield* Console.log(columns.join("\t"))
    }
  })
).pipe(Command.withDescription("List the blocklists with the state of their copies and their licences"))

export const blocklists = <E, R>(services: Layer.Layer<Atomically | Audit | BlocklistSync, E, R>) =>
  Command.make("blocklists").pipe(
    Command.withDescription("Download and list the blocklists, which are published lists of addresses"),
    Command.withSubcommands([Command.provide(sync, services), Command.provide(list, services)])
  )
