import { Console, DateTime, Effect, type Layer, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Blocklist } from "../ip-check/blocklists/Blocklist.ts"
import { BlocklistRegistry } from "../ip-check/blocklists/BlocklistRegistry.ts"
import { BlocklistSync, type SyncOutcome } from "../ip-check/blocklists/BlocklistSync.ts"

const ids = BlocklistRegistry.map(({ id }) => id)

class BlocklistsNotSynced extends Schema.TaggedError<BlocklistsNotSynced>()("BlocklistsNotSynced", {
  message: Schema.String
}) {}

const told = (outcome: SyncOutcome): string => {
  switch (outcome._tag) {
    case "Loaded": {
      const left = outcome.special === 0 ? "" : `; ${outcome.special} that are not public are left out`
      return `loaded, ${outcome.networks} networks${left}`
    }
    case "Unchanged":
      return `unchanged, ${outcome.networks} networks`
    case "Failed":
      return `failed: ${outcome.reason}`
    case "TooSoon":
      return outcome.failure !== null
        ? `skipped: the last try failed (${outcome.failure}), the next is at ${DateTime.formatIso(outcome.again_at)}; --force tries at once`
        : `skipped: its publisher wants to be left alone until ${DateTime.formatIso(outcome.again_at)}`
    case "Busy":
      return "skipped: another process is syncing it, or was stopped within the last ten minutes while it did"
  }
}

const host = ({ url }: Blocklist) => new URL(url).host

const noList = Console.log("BLOCKLISTS leaves out every list")

const sync = Command.make(
  "sync",
  {
    names: Argument.Literals("list", ids).pipe(
      Argument.variadic(),
      Argument.withDescription(`Which of them; all when absent: ${ids.join(", ")}`)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Download whole, at once, and accept a list that lost more than half of its networks")
    )
  },
  Effect.fn(function* ({ force, names }) {
    const { lists, sync } = yield* BlocklistSync
    const wanted = names.length === 0 ? lists : lists.filter(({ id }) => names.includes(id))
    const left = names.filter((name) => !lists.some(({ id }) => id === name))
    if (lists.length === 0 && names.length === 0) yield* noList
    if (left.length > 0) return yield* new BlocklistsNotSynced({ message: `BLOCKLISTS leaves out ${left.join(", ")}` })
    const outcomes = yield* Effect.forEach(wanted, (list) =>
      Effect.gen(function* () {
        const begin = Console.log(`${list.id}\tsyncing from ${host(list)}`)
        const outcome = yield* sync(list, force ? "forced" : "asked", begin)
        yield* Console.log(`${list.id}\t${told(outcome)}`)
        return outcome
      })
    )
    const failed = outcomes.filter(({ _tag }) => _tag === "Failed").length
    if (failed > 0)
      return yield* new BlocklistsNotSynced({
        message: `${failed} of ${wanted.length} blocklists could not be synced; their last copies stay`
      })
  })
).pipe(Command.withDescription("Download the published lists of addresses; a running service takes them up at once"))

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
        ? [`failures ${state.failures}, next try ${DateTime.formatIso(state.sync_at)}, the last: ${state.failure}`]
        : []
      const columns = [id, claim ?? "no claim", `${state?.networks ?? 0} networks`, age, ...failure, licence]
      yield* Console.log(columns.join("\t"))
    }
  })
).pipe(Command.withDescription("List the published lists, how far their copies are, and what their licences say"))

/** `services` are built for a command that uses them, and not to show help. */
export const blocklists = <E, R>(services: Layer.Layer<BlocklistSync, E, R>) =>
  Command.make("blocklists").pipe(
    Command.withDescription("Published lists of addresses"),
    Command.withSubcommands([Command.provide(sync, services), Command.provide(list, services)])
  )
