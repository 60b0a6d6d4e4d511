import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { DestinationRules } from "../../gateway/DestinationRules.ts"
import type { PlacedRule } from "../../gateway/PlacedRule.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { NewRule, RuleView } from "./DestinationRulesApi.ts"
import { RuleNotFound, RuleRefused } from "./RuleErrors.ts"

type By = Actor["Service"]

const encode = Schema.encodeSync(NewRule)

const shown = ({ action, first_port, host_suffix, last_port, network, scope, scope_id, until_at }: PlacedRule) => ({
  action,
  first_port,
  host_suffix,
  last_port,
  network,
  scope,
  scope_id,
  until_at: until_at === null ? null : DateTime.formatIso(until_at)
})

const attempt = (actor: By) =>
  ({ actor, subject: { kind: "destination_rule", id: "any" }, permission: "gateway.change" }) as const

/** The rules about destinations, for staff. Each change is in the audit log. */
export class RuleDesk extends Context.Service<
  RuleDesk,
  {
    readonly list: (
      actor: By,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<PlacedRule>; readonly next: string | null }, PermissionNeeded>
    /** A rule that blocks a destination for the whole platform needs a fresh confirmation. It is placed once for the key. */
    readonly place: (
      actor: By,
      key: string,
      rule: typeof NewRule.Type
    ) => Effect.Effect<
      { readonly answer: PlacedRule; readonly replayed: boolean },
      PermissionNeeded | ActionKeyReused | RuleRefused | StepUpNeeded
    >
    /** A rule that is on record. */
    readonly find: (actor: By, id: string) => Effect.Effect<PlacedRule, PermissionNeeded | RuleNotFound>
    readonly remove: (
      actor: By,
      id: string,
      reason: string | null
    ) => Effect.Effect<PlacedRule, PermissionNeeded | RuleNotFound>
  }
>()("app/staff/RuleDesk") {
  static readonly layerNoDeps = Layer.effect(
    RuleDesk,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const guard = yield* Guard.make
      const rules = yield* DestinationRules

      const recorded = <E>(
        actor: By,
        change: Effect.Effect<PlacedRule, E>,
        record: (rule: PlacedRule) => Pick<Parameters<Audit["Service"]["record"]>[0], "before" | "after" | "reason">
      ) =>
        Effect.tap(change, (rule) =>
          audit.record({
            actor,
            action: "gateway.change",
            subject: { kind: "destination_rule", id: rule.id },
            user_id: rule.scope === "account" ? rule.scope_id : null,
            ...record(rule)
          })
        )

      const place = Effect.fn("RuleDesk.place")(function* (actor: By, key: string, rule: typeof NewRule.Type) {
        const placed = Effect.mapError(
          rules.place({ ...rule, placed_by: actor.name.slice(0, 200) }),
          ({ message }) => new RuleRefused({ details: { why: message } })
        )
        const act = actions.once(
          { actor, key, operation: "placeDestinationRule", content: encode(rule), answer: RuleView },
          recorded(actor, placed, (done) => ({ after: shown(done), reason: done.reason }))
        )
        const isForAll = rule.scope === "platform" && rule.action === "deny"
        return yield* isForAll ? guard.allowFresh(attempt(actor), act) : guard.allow(attempt(actor), act)
      })

      return RuleDesk.of({
        list: Effect.fn("RuleDesk.list")((actor, { after, limit }) =>
          guard.allow(
            { actor, subject: { kind: "destination_rule", id: "all" }, permission: "gateway.read" },
            Effect.map(rules.list(limit + 1, after), (rows) => Keyset.pageOf(rows, limit))
          )
        ),
        place,
        find: Effect.fn("RuleDesk.find")(function* (actor, id) {
          yield* needs(actor, "gateway.read")
          const found = yield* rules.find(id)
          return found ?? (yield* new RuleNotFound())
        }),
        remove: Effect.fn("RuleDesk.remove")((actor, id, reason) =>
          guard.allow(
            attempt(actor),
            recorded(
              actor,
              Effect.mapError(rules.remove(id), () => new RuleNotFound()),
              (removed) => ({ before: shown(removed), reason })
            )
          )
        )
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, DestinationRules.layer, StaffActions.layer])
  )
}
