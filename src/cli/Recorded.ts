import { Effect } from "effect"
import { userInfo } from "node:os"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Actor from "../staff/Actor.ts"
import { Audit } from "../staff/audit/Audit.ts"

type Event = Omit<Parameters<Audit["Service"]["record"]>[0], "actor">

/** Makes a change and its event in the audit log in one transaction. The actor is the machine's user. */
export const recorded = Effect.fnUntraced(function* <A, E, R>(
  change: Effect.Effect<A, E, R>,
  eventOf: (changed: A) => Event
) {
  const atomically = yield* Atomically
  const audit = yield* Audit
  const event = (changed: A) => audit.record({ actor: Actor.cli(userInfo().username), ...eventOf(changed) })
  return yield* atomically(Effect.tap(change, event))
})
