import { Effect, Option, Queue, Schedule, Stream } from "effect"
import * as UuidV5 from "../../platform/UuidV5.ts"
import type { DestinationRule } from "../DestinationRule.ts"
import type { GatewayNodeId } from "../GatewayNode.ts"
import type { NodeControl } from "../NodeControl.ts"
import type { NodeEvent } from "../NodeRpcs.ts"
import type { NodeSessionsRepo } from "./NodeSessionsRepo.ts"

/** A change is sent at most this often, so that many changes make few messages. */
const pause = "50 millis"
/** The time after which changes are looked for without a notification, because it may be lost. */
const lookInterval = "10 seconds"
const batch = 500

interface Source {
  readonly node: GatewayNodeId
  readonly repo: NodeSessionsRepo["Service"]
  readonly control: NodeControl["Service"]
  /** Has an entry when something may have changed. */
  readonly wakes: Queue.Dequeue<void>
}

/** Replaces the account of a rule by the alias that proxies of this node have. */
const withAlias =
  (node: GatewayNodeId) =>
  (rule: DestinationRule): DestinationRule =>
    rule.scope === "account" && rule.scope_id !== null ? { ...rule, scope_id: UuidV5.make(node, rule.scope_id) } : rule

const makeRules = ({ control, node }: Source, send: (event: NodeEvent) => Effect.Effect<unknown>) => {
  let known: string | undefined
  return Effect.gen(function* () {
    const { rules, version } = yield* control.rules(known)
    if (rules === null) return
    known = version
    yield* send({ _tag: "Rules", version, rules: rules.map(withAlias(node)) })
  })
}

/** Sends all open proxies. The version is read first: later changes are sent again as changes. */
const snapshot = Effect.fnUntraced(function* (
  { node, repo }: Source,
  version: bigint,
  regressed: boolean,
  send: (event: NodeEvent) => Effect.Effect<unknown>
) {
  for (let after: string | undefined; ;) {
    const proxies = yield* repo.open(node, after)
    const end = proxies.length < batch
    yield* send({ _tag: "Snapshot", version, proxies, end, regressed })
    if (end) return
    after = proxies.at(-1)?.id
  }
})

/** Reads the next changes after a version. Undefined: there are none. */
const next = Effect.fnUntraced(function* ({ node, repo }: Source, from: bigint) {
  const rows = yield* repo.changed(node, from)
  const gone = yield* repo.departed(node, from)
  // When one list is full, what follows its last row comes with the next changes.
  const limits = [rows, gone].flatMap((list) => (list.length === batch ? (list.at(-1)?.version ?? []) : []))
  const fits = ({ version }: { readonly version: bigint }) => limits.every((limit) => version <= limit)
  const changed = rows.filter(fits)
  const departed = gone.filter(fits)
  const version = [...changed, ...departed].reduce((last, row) => (row.version > last ? row.version : last), from)
  if (version === from) return undefined
  const here = new Set(changed.map(({ id }) => id))
  const open = changed.filter(({ status }) => status === "open")
  const closed = changed.filter(({ status }) => status === "closed").map(({ id }) => id)
  const moved = departed.map(({ proxy_id }) => proxy_id).filter((id) => !here.has(id))
  return { _tag: "Delta", from, version, changed: open, removed: [...closed, ...moved] } as const
})

/** What a node serves: the rules, all proxies or the changes since the version `have`, and every later change. */
export const watch = (source: Source, have: bigint | null): Stream.Stream<NodeEvent> =>
  Stream.callback<NodeEvent>(
    Effect.fnUntraced(function* (queue) {
      const send = (event: NodeEvent) => Queue.offer(queue, event)
      const sendRules = makeRules(source, send)
      // Rules come first, so that no connection of a proxy precedes them.
      yield* sendRules
      const standing = Option.getOrThrow(yield* source.repo.standing(source.node))
      const isKnown = have !== null && have <= standing.version
      let sent = isKnown ? have : standing.version
      if (!isKnown) yield* snapshot(source, sent, have !== null, send)
      const sendChanges = Effect.gen(function* () {
        for (let delta = yield* next(source, sent); delta !== undefined; delta = yield* next(source, sent)) {
          yield* send(delta)
          sent = delta.version
        }
      })
      yield* sendChanges
      // Tells a node that knows an older version that it has every change since.
      if (isKnown) yield* send({ _tag: "Delta", from: sent, version: sent, changed: [], removed: [] })
      yield* sendChanges.pipe(
        Effect.andThen(sendRules),
        Effect.andThen(Effect.sleep(pause)),
        Effect.andThen(Effect.timeoutOption(Queue.takeAll(source.wakes), lookInterval)),
        Effect.repeat(Schedule.forever)
      )
    }),
    { bufferSize: 1 }
  )
