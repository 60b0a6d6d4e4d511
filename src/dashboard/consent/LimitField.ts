import { Schema } from "effect"
import { DailySpendLimit } from "../../accounts/ApiKey.ts"
import { field } from "../../pages/Field.ts"
import { Decimal, TypedAmount } from "../../pages/FormSchemas.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import * as Money from "../../platform/Money.ts"

/** The daily limit of an app in a form. An empty field means no limit. */
export const LimitForm = Schema.Struct({
  daily_spend_limit_usd: Schema.optionalKey(
    TypedAmount.pipe(Schema.decodeTo(Decimal), Schema.decodeTo(DailySpendLimit))
  )
})

export const limitMessages = { daily_spend_limit_usd: text("keys.limit_wrong") } as const

/** A limit in micro-dollars as a person types it. */
export const asTyped = (limit: bigint | null): string | undefined =>
  limit === null ? undefined : Money.toDecimal("USD", limit)

export const limitField = (value: string | undefined, error: Content): Html =>
  field({
    name: "daily_spend_limit_usd",
    label: text("keys.limit"),
    hint: text("connections.limit_hint"),
    optional: true,
    autocomplete: "off",
    more: html` inputmode="decimal"`,
    value,
    error
  })
