import { Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Money from "../../platform/Money.ts"
import { PromoCodeId } from "../../wallet/promo-codes/PromoCode.ts"
import {
  type PromoCodeEnded,
  type PromoCodeExists,
  type PromoCodeNeverValid,
  PromoCodeUnknown
} from "../../wallet/promo-codes/PromoCodeErrors.ts"
import { PromoCodeRegistry } from "../../wallet/promo-codes/PromoCodeRegistry.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import type { NewPromoCode, PromoCodeLimits } from "./NewPromoCode.ts"
import { promoCodeView, type PromoCodeUseView, PromoCodeView } from "./PromoCodeView.ts"

type By = Actor["Service"]
type View = typeof PromoCodeView.Type
type Use = typeof PromoCodeUseView.Type

interface Part<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

interface Outcome {
  readonly answer: View
  readonly replayed: boolean
}

type Refused = PermissionNeeded | ActionKeyReused

const reads = (actor: By) => needs(actor, "promo_code.read")

const isId = Schema.is(PromoCodeId)

const iso = (time: DateTime.Utc | null) => (time === null ? null : DateTime.formatIso(time))

const shown = ({ account_limit, expires_at, use_limit, ...code }: View, state: "active" | "disabled") => ({
  state,
  amount: `${code.value}${code.kind === "percent" ? "%" : " USD"}`,
  expires_at: iso(expires_at),
  use_limit,
  account_limit
})

/** Reads the discount: percent of 1 to 100, or dollars. */
const valueOf = ({ kind, value }: Pick<typeof NewPromoCode.Type, "kind" | "value">): bigint | undefined => {
  if (kind === "percent") return /^([1-9]\d?|100)$/.test(value) ? BigInt(value) : undefined
  const amount = Money.fromDecimal("USD", value)
  return amount !== undefined && amount > 0n ? amount : undefined
}

const makeTerms = Effect.map(Catalog, (catalog) => {
  const isUnknown = (id: number) => Effect.map(Effect.result(catalog.offer(id)), Result.isFailure)

  /** Reads the terms of a new code. Refuses offers that are not on sale, because no customer could use the code. */
  return Effect.fnUntraced(function* (wanted: typeof NewPromoCode.Type) {
    const {
      account_limit,
      code,
      expires_at = null,
      kind,
      offer_ids = null,
      use_limit = null,
      valid_from = null
    } = wanted
    const value = valueOf(wanted)
    if (value === undefined)
      return yield* RequestInvalid.at(["body", "value"], "Must be a percentage of 1 to 100, or dollars such as 2.50")
    const unknown = yield* Effect.filter(offer_ids ?? [], isUnknown)
    if (unknown.length > 0) {
      const named = `${unknown.length === 1 ? "offer" : "offers"} ${unknown.join(", ")}`
      return yield* RequestInvalid.at(
        ["body", "offer_ids"],
        `The catalog has no ${named}; GET /v1/catalog lists its offers`
      )
    }
    return { code, kind, value, valid_from, expires_at, use_limit, account_limit, offer_ids }
  })
})

const encodeNew = (wanted: typeof NewPromoCode.Type): Schema.Json => ({
  ...wanted,
  valid_from: iso(wanted.valid_from ?? null),
  expires_at: iso(wanted.expires_at ?? null),
  use_limit: wanted.use_limit ?? null,
  offer_ids: wanted.offer_ids ?? null
})

/** Makes the functions that run a change once for its key, and that record it. */
const makeActing = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const guard = yield* Guard.make

  const acting = <E>(
    keyed: {
      readonly actor: By
      readonly key: string
      readonly operation: string
      readonly subject: string
      readonly content: Schema.Json
    },
    act: Effect.Effect<View, E>
  ) => {
    const { actor, subject, ...named } = keyed
    const attempt = { actor, permission: "promo_code.change" as const, subject: { kind: "promo_code", id: subject } }
    return guard.allow(attempt, actions.once({ actor, ...named, answer: PromoCodeView }, act))
  }

  const record = (
    actor: By,
    view: View,
    change: { readonly before?: View; readonly state: "active" | "disabled"; readonly reason: string | null }
  ) =>
    audit.record({
      actor,
      action: "promo_code.change",
      subject: { kind: "promo_code", id: view.code },
      ...(change.before !== undefined && { before: shown(change.before, "active") }),
      after: shown(view, change.state),
      reason: change.reason
    })

  return { acting, record }
})

const makeChanges = Effect.gen(function* () {
  const { acting, record } = yield* makeActing
  const registry = yield* PromoCodeRegistry
  const terms = yield* makeTerms

  const create = Effect.fn("PromoCodeDesk.create")((actor: By, key: string, wanted: typeof NewPromoCode.Type) =>
    acting(
      { actor, key, operation: "createPromoCode", subject: wanted.code, content: encodeNew(wanted) },
      Effect.gen(function* () {
        const added = yield* registry.add(yield* terms(wanted))
        const view = promoCodeView({ ...added, uses: 0 })
        yield* record(actor, view, { state: "active", reason: null })
        return view
      })
    )
  )

  const limit = Effect.fn("PromoCodeDesk.limit")(
    (actor: By, key: string, id: PromoCodeId, { reason, ...limits }: typeof PromoCodeLimits.Type) =>
      acting(
        {
          actor,
          key,
          operation: "limitPromoCode",
          subject: id,
          content: { id, ...limits, expires_at: iso(limits.expires_at), reason }
        },
        Effect.gen(function* () {
          const before = promoCodeView(yield* registry.get(id))
          const view = promoCodeView(yield* registry.limit(id, limits))
          yield* record(actor, view, { before, state: "active", reason })
          return view
        })
      )
  )

  const end = Effect.fn("PromoCodeDesk.end")((actor: By, key: string, id: PromoCodeId, reason: string | null) =>
    acting(
      { actor, key, operation: "endPromoCode", subject: id, content: { id, reason } },
      Effect.gen(function* () {
        const view = promoCodeView(yield* registry.end(id))
        yield* record(actor, view, { state: "disabled", reason })
        return view
      })
    )
  )

  return { create, limit, end }
})

/** The promo codes, for staff: who may, the key, and the audit log. */
export class PromoCodeDesk extends Context.Service<
  PromoCodeDesk,
  {
    readonly list: (actor: By, page: Keyset.Keyset) => Effect.Effect<Part<View>, PermissionNeeded>
    /** Finds by any text that may be an id. */
    readonly get: (actor: By, id: string) => Effect.Effect<View, PermissionNeeded | PromoCodeUnknown>
    /** The id of a code in any case. */
    readonly named: (actor: By, code: string) => Effect.Effect<PromoCodeId, PermissionNeeded | PromoCodeUnknown>
    /** The orders that used a code, the newest first. */
    readonly uses: (
      actor: By,
      id: PromoCodeId,
      page: Keyset.Keyset
    ) => Effect.Effect<Part<Use>, PermissionNeeded | PromoCodeUnknown>
    readonly create: (
      actor: By,
      key: string,
      wanted: typeof NewPromoCode.Type
    ) => Effect.Effect<Outcome, Refused | PromoCodeExists | PromoCodeNeverValid | RequestInvalid>
    readonly limit: (
      actor: By,
      key: string,
      id: PromoCodeId,
      limits: typeof PromoCodeLimits.Type
    ) => Effect.Effect<Outcome, Refused | PromoCodeEnded | PromoCodeNeverValid | PromoCodeUnknown>
    readonly end: (
      actor: By,
      key: string,
      id: PromoCodeId,
      reason: string | null
    ) => Effect.Effect<Outcome, Refused | PromoCodeUnknown>
  }
>()("app/staff/PromoCodeDesk") {
  static readonly layerNoDeps = Layer.effect(
    PromoCodeDesk,
    Effect.gen(function* () {
      const changes = yield* makeChanges
      const registry = yield* PromoCodeRegistry

      return PromoCodeDesk.of({
        ...changes,
        list: Effect.fn("PromoCodeDesk.list")(function* (actor, { after, limit }) {
          yield* reads(actor)
          return Keyset.pageOf((yield* registry.list(limit + 1, after)).map(promoCodeView), limit)
        }),
        get: Effect.fn("PromoCodeDesk.get")(function* (actor, id) {
          yield* reads(actor)
          return isId(id) ? promoCodeView(yield* registry.get(id)) : yield* new PromoCodeUnknown()
        }),
        named: (actor, code) =>
          Effect.andThen(
            reads(actor),
            Effect.map(registry.named(code.trim().toUpperCase()), ({ id }) => id)
          ),
        uses: Effect.fn("PromoCodeDesk.uses")(function* (actor, id, { after, limit }) {
          yield* reads(actor)
          yield* registry.get(id)
          const rows = yield* registry.uses(id, limit + 1, after)
          const items = rows.slice(0, limit).map(({ discount, total, user_id, ...use }) => ({
            ...use,
            customer_id: user_id,
            total: Money.toDecimal(use.currency, total),
            discount: Money.toDecimal(use.currency, discount)
          }))
          return { items, next: rows.length > limit ? (items.at(-1)?.order_id ?? null) : null }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, PromoCodeRegistry.layer, StaffActions.layer])
  )
}
