import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as UuidV7 from "../platform/UuidV7.ts"
import { DestinationRulesRepo } from "./DestinationRulesRepo.ts"
import type { PlacedRule } from "./PlacedRule.ts"

/** The rules of one gateway database. Gateways compile all of them. */
const rulesAtMost = 10_000

export class DestinationRuleRefused extends Schema.TaggedError<DestinationRuleRefused>()("DestinationRuleRefused", {
  message: Schema.String
}) {}

const refuse = (message: string) => new DestinationRuleRefused({ message })

/** The operator's rules about the destinations of proxies. Gateways apply a change within a second. */
export class DestinationRules extends Context.Service<
  DestinationRules,
  {
    /** Lists the newest rules, at most `limit`; older ones than the rule `after`. */
    readonly list: (limit: number, after?: string) => Effect.Effect<ReadonlyArray<PlacedRule>>
    readonly find: (id: string) => Effect.Effect<PlacedRule | undefined>
    /** Places a rule. For `proxy`, `scope_id` is the id of the order or of the gateway's proxy. */
    readonly place: (rule: Omit<PlacedRule, "id" | "placed_at">) => Effect.Effect<PlacedRule, DestinationRuleRefused>
    readonly remove: (id: string) => Effect.Effect<PlacedRule, DestinationRuleRefused>
  }
>()("app/gateway/DestinationRules") {
  static readonly layerNoDeps = Layer.effect(
    DestinationRules,
    Effect.gen(function* () {
      const repo = yield* DestinationRulesRepo

      const place = Effect.fn("DestinationRules.place")(function* (rule: Omit<PlacedRule, "id" | "placed_at">) {
        const placed_at = yield* DateTime.now
        if (rule.until_at !== null && DateTime.isLessThanOrEqualTo(rule.until_at, placed_at))
          return yield* refuse("The end of the rule must be in the future")
        if (rule.first_port === null && rule.network === null && rule.host_suffix === null)
          return yield* refuse("Name a host, a network or ports: a rule without a condition closes everything")
        const scope_id = rule.scope === "platform" ? null : yield* repo.subject(rule.scope, rule.scope_id ?? "")
        if (rule.scope !== "platform" && scope_id === null)
          return yield* refuse(`The ${rule.scope} ${rule.scope_id ?? ""} is unknown`)
        if ((yield* repo.count) >= rulesAtMost)
          return yield* refuse(`There are ${rulesAtMost} rules already; remove some, or use wider ones`)
        return yield* repo.insert({ ...rule, scope_id, id: UuidV7.make(), placed_at })
      })

      const remove = Effect.fn("DestinationRules.remove")(function* (id: string) {
        const removed = yield* repo.remove(id)
        return removed ?? (yield* refuse(`There is no rule ${id}`))
      })

      return DestinationRules.of({ find: repo.find, list: repo.list, place, remove })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(DestinationRulesRepo.layer))
}
