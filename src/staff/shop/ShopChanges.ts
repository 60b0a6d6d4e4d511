import { Context, Effect, Layer, Result, Schema } from "effect"
import { hash } from "node:crypto"
import type { ShopChange, ShopRefused } from "../../shop/ChangeShop.ts"
import { isDemo } from "../../shop/DemoShop.ts"
import type { ArticleFields, RuleFields } from "../../shop/EditShopFile.ts"
import type { ReadShop, ShopFault } from "../../shop/ReadShopFile.ts"
import { readAside, readEditedAside } from "../../shop/ReadShopAside.ts"
import { type PresentShop, Shop } from "../../shop/Shop.ts"
import { mostFaults } from "../../platform/errors/Faults.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { machineLacks } from "./MachineLacks.ts"
import * as SaleSettings from "./SaleSettings.ts"
import { auditedLines } from "./AuditedLines.ts"
import { ShopArticleNotFound, ShopFaulty, ShopOutdated } from "./ShopErrors.ts"

type By = Actor["Service"]

/** A change of the shop: by a whole file, by the rules of a file alone, or by one article or rule of the present shop. */
export type ShopEdit =
  | { readonly what: "file" | "prices"; readonly read: ReadShop }
  | { readonly what: "article"; readonly id: string; readonly fields: ArticleFields }
  | { readonly what: "rule"; readonly fields: RuleFields }

/** The effects of a change, as the commands print them. */
export interface ShopPlan {
  /** Identifies the effects. */
  readonly plan: string
  /** The version of the shop from which the change is made. */
  readonly version: string
  readonly lines: ReadonlyArray<string>
}

/** A plan that a person has seen. Undefined: the change is applied as it is. */
interface Agreed {
  readonly plan?: string | undefined
  readonly version?: string | undefined
  readonly reason: string | null
}

export const Applied = Schema.Struct({
  plan: Schema.String,
  version: Schema.String.annotate({ description: "The version of the shop after the change" })
}).annotate({ identifier: "AppliedShop" })

export interface AppliedShop {
  readonly answer: typeof Applied.Type
  readonly replayed: boolean
  /** The lines of the report. Empty for the repetition of a request. */
  readonly lines: ReadonlyArray<string>
}

type Refusal = ShopArticleNotFound | ShopFaulty | ShopOutdated

/** True when the change concerns price rules alone. */
const isOfPrices = ({ what }: ShopEdit) => what === "prices" || what === "rule"

const permissionOf = (edit: ShopEdit) => (isOfPrices(edit) ? "shop.price" : "shop.change")

/** Identifies the change itself, so that its key stands for no other one. */
const digestOf = (edit: ShopEdit) => {
  const change = "read" in edit ? { what: edit.what, shop: edit.read.shop } : edit
  return hash(
    "sha256",
    JSON.stringify(change, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
  )
}

const faulty = (faults: ReadonlyArray<ShopFault>) =>
  new ShopFaulty({
    details: {
      count: faults.length,
      faults: faults.slice(0, mostFaults).map(({ field, line, reason }) => ({ field, line, reason }))
    }
  })

const refusalOf = ({ faults, outdated }: ShopRefused) =>
  outdated === undefined ? faulty(faults) : new ShopOutdated({ details: { reason: outdated } })

/** Reads the text of a shop file. */
export const readShop = Effect.fnUntraced(function* (text: string) {
  const found = yield* readAside(text.replaceAll("\r\n", "\n"))
  return Result.isSuccess(found) ? found.success : yield* faulty(found.failure)
})

const emptyShop: PresentShop["file"] = { version: 1, pools: {}, articles: {} }

/** Makes the function that turns an edit into the file that it stands for. */
const makeFileOf = Effect.map(Shop, (shop) =>
  Effect.fnUntraced(function* (edit: ShopEdit) {
    if ("read" in edit) return edit.read
    const { withArticle, withRule } = yield* Effect.promise(() => import("../../shop/EditShopFile.ts"))
    const { file } = (yield* shop.present) ?? { file: emptyShop }
    const edited = edit.what === "rule" ? withRule(file, edit.fields) : withArticle(file, edit.id, edit.fields)
    if (edited === undefined) return yield* new ShopArticleNotFound()
    const found = yield* readEditedAside(file, edited)
    return Result.isSuccess(found) ? found.success : yield* faulty(found.failure)
  })
)

/** Plans and applies changes of the shop for staff. Each change is in the audit log, with its effects. */
export class ShopChanges extends Context.Service<
  ShopChanges,
  {
    /** Returns what `apply` would change. It changes nothing. */
    readonly plan: (actor: By, edit: ShopEdit, version?: string) => Effect.Effect<ShopPlan, PermissionNeeded | Refusal>
    /** Makes the change in one transaction, once for the key. */
    readonly apply: (
      actor: By,
      key: string,
      edit: ShopEdit,
      agreed: Agreed
    ) => Effect.Effect<AppliedShop, PermissionNeeded | ActionKeyReused | Refusal>
  }
>()("app/staff/ShopChanges") {
  static readonly layerNoDeps = Layer.effect(
    ShopChanges,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const fileOf = yield* makeFileOf
      const guard = yield* Guard.make
      const { host, ...settings } = yield* SaleSettings.load
      const shop = yield* Shop

      const changeOf = Effect.fnUntraced(function* (
        edit: ShopEdit,
        file: ReadShop,
        { plan, version }: Omit<Agreed, "reason">
      ) {
        return {
          ...file,
          ...settings,
          is_demo: yield* isDemo(file.shop),
          isPricesOnly: isOfPrices(edit),
          ...(plan !== undefined && { plan }),
          ...(version !== undefined && { version })
        } satisfies ShopChange
      })

      /** The lines of a report, with what this machine lacks. */
      const linesOf = (edit: ShopEdit, { shop }: ReadShop, lines: ReadonlyArray<string>) =>
        isOfPrices(edit) ? lines : [...lines, ...machineLacks(shop, host)]

      const plan = Effect.fn("ShopChanges.plan")(function* (actor: By, edit: ShopEdit, version?: string) {
        yield* needs(actor, permissionOf(edit))
        // Read before the plan: a change in between makes the plan outdated, and is not undone unseen.
        const from = version ?? (yield* shop.version)
        const file = yield* fileOf(edit)
        const change = yield* changeOf(edit, file, { version: from })
        const { id, lines } = yield* Effect.mapError(shop.plan(change), refusalOf)
        return { plan: id, version: from, lines: linesOf(edit, file, lines) }
      })

      const apply = Effect.fn("ShopChanges.apply")(function* (actor: By, key: string, edit: ShopEdit, agreed: Agreed) {
        const permission = permissionOf(edit)
        const subject = { kind: "shop", id: isOfPrices(edit) ? "prices" : "shop" }
        const attempt = { actor, permission, subject } as const
        yield* guard.allow(attempt, Effect.void)
        const file = yield* fileOf(edit)
        const change = yield* changeOf(edit, file, agreed)
        let lines: ReadonlyArray<string> = []
        const act = Effect.gen(function* () {
          const before = yield* shop.version
          const applied = yield* Effect.mapError(shop.apply(change), refusalOf)
          const version = yield* shop.version
          lines = applied.lines
          yield* audit.record({
            actor,
            action: permission,
            subject,
            reason: agreed.reason,
            before: { version: before },
            after: { version, changes: auditedLines(lines) }
          })
          return { plan: applied.id, version }
        })
        const content = {
          change: digestOf(edit),
          plan: agreed.plan ?? null,
          version: agreed.version ?? null,
          reason: agreed.reason
        }
        const keyed = { actor, key, operation: `apply:${subject.id}`, content, answer: Applied }
        const done = yield* guard.allow(attempt, actions.once(keyed, act))
        return { ...done, lines: done.replayed ? [] : linesOf(edit, file, lines) }
      })

      return ShopChanges.of({ plan, apply })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, Shop.layer, StaffActions.layer]))
}
