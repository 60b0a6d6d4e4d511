import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { type SalesPause, SalesPauseId } from "../../catalog/SalesPause.ts"
import {
  type PauseSubjectNotFound,
  type SalesAlreadyPaused,
  type SalesPauseLifted,
  SalesPauseNotFound,
  type SalesPauseTooLong
} from "../../catalog/SalesPauseErrors.ts"
import { type NewPause, SalesPauses } from "../../catalog/SalesPauses.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { ProvidersRepo } from "./ProvidersRepo.ts"
import { SalesPauseView } from "./SalesPauseView.ts"

type By = Actor["Service"]
type Wanted = Pick<NewPause, "scope" | "scope_id" | "reason" | "hours">

interface Outcome {
  readonly answer: SalesPause
  readonly replayed: boolean
}

const openAtMost = 1_000

const isPauseId = Schema.is(SalesPauseId)

const shown = ({ scope, scope_id, until_at }: SalesPause) => ({
  scope,
  scope_id,
  until_at: DateTime.formatIso(until_at)
})

/** The pauses of sales, for staff: who may, the key, and the audit log. */
export class PauseDesk extends Context.Service<
  PauseDesk,
  {
    /** The pauses that stand, the newest first. */
    readonly open: (actor: By) => Effect.Effect<ReadonlyArray<SalesPause>, PermissionNeeded>
    /** A pause, also one that has ended. */
    readonly find: (actor: By, id: string) => Effect.Effect<SalesPause, PermissionNeeded | SalesPauseNotFound>
    readonly list: (
      actor: By,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<SalesPause>; readonly next: string | null }, PermissionNeeded>
    /** The number of offers on sale that a pause covers. */
    readonly covered: (
      actor: By,
      scope: Pick<SalesPause, "scope" | "scope_id">
    ) => Effect.Effect<number, PermissionNeeded>
    /** The key becomes the id of the pause. */
    readonly place: (
      actor: By,
      key: string,
      wanted: Wanted
    ) => Effect.Effect<Outcome, PermissionNeeded | ActionKeyReused | PauseSubjectNotFound | SalesAlreadyPaused>
    /** Moves the end of a pause that stands by some hours. */
    readonly extend: (
      actor: By,
      key: string,
      id: SalesPauseId,
      wanted: Pick<NewPause, "hours" | "reason">
    ) => Effect.Effect<
      Outcome,
      PermissionNeeded | ActionKeyReused | SalesPauseLifted | SalesPauseNotFound | SalesPauseTooLong
    >
    readonly lift: (
      actor: By,
      key: string,
      id: SalesPauseId,
      reason: string
    ) => Effect.Effect<Outcome, PermissionNeeded | ActionKeyReused | SalesPauseLifted | SalesPauseNotFound>
  }
>()("app/staff/PauseDesk") {
  static readonly layerNoDeps = Layer.effect(
    PauseDesk,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const guard = yield* Guard.make
      const pauses = yield* SalesPauses
      const repo = yield* ProvidersRepo

      const acting = <E>(
        keyed: {
          readonly actor: By
          readonly key: string
          readonly id: string
          readonly operation: string
          readonly content: Schema.Json
        },
        act: Effect.Effect<SalesPause, E>
      ) => {
        const { actor, id, ...named } = keyed
        const attempt = { actor, permission: "provider.pause" as const, subject: { kind: "sales_pause", id } }
        return guard.allow(attempt, actions.once({ actor, ...named, answer: SalesPauseView }, act))
      }

      const record = (actor: By, pause: SalesPause, reason: string, state: "paused" | "lifted") =>
        audit.record({
          actor,
          action: "provider.pause",
          subject: { kind: "sales_pause", id: pause.id },
          after: { ...shown(pause), state },
          reason
        })

      const open = (actor: By) => Effect.andThen(needs(actor, "provider.read"), pauses.open(openAtMost))

      return PauseDesk.of({
        open,
        find: Effect.fn("PauseDesk.find")(function* (actor, id) {
          yield* needs(actor, "provider.read")
          return yield* isPauseId(id) ? pauses.find(id) : new SalesPauseNotFound()
        }),
        list: (actor, { after, limit }) =>
          Effect.andThen(
            needs(actor, "provider.read"),
            Effect.map(pauses.list(limit + 1, after), (rows) => Keyset.pageOf(rows, limit))
          ),
        covered: (actor, scope) => Effect.andThen(needs(actor, "provider.read"), repo.covered(scope)),

        place: Effect.fn("PauseDesk.place")((actor, key, wanted) => {
          const id = SalesPauseId.make(key.toLowerCase())
          const placed = pauses.place({ ...wanted, id, placed_by: actor.name.slice(0, 200) })
          return acting(
            { actor, key, id, operation: "pauseSales", content: { ...wanted } },
            Effect.tap(placed, (pause) => record(actor, pause, wanted.reason, "paused"))
          )
        }),

        extend: Effect.fn("PauseDesk.extend")((actor, key, id, { hours, reason }) =>
          acting(
            { actor, key, id, operation: "extendPause", content: { id, hours, reason } },
            Effect.tap(pauses.extend(id, hours), (pause) => record(actor, pause, reason, "paused"))
          )
        ),

        lift: Effect.fn("PauseDesk.lift")((actor, key, id, reason) => {
          const lifted = pauses.lift(id, { by: actor.name.slice(0, 200), reason })
          return acting(
            { actor, key, id, operation: "resumeSales", content: { id, reason } },
            Effect.tap(lifted, (pause) => record(actor, pause, reason, "lifted"))
          )
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, ProvidersRepo.layer, SalesPauses.layer, StaffActions.layer])
  )
}
