import type { Scope } from "../../accounts/Scope.ts"
import { text } from "../../pages/Html.ts"

/** Describes each scope for the person who decides about an app (docs/contract.md, "API keys and scopes"). */
export const scopeText = {
  "catalog:read": {
    title: text("scope.catalog_read"),
    inSentence: text("scope.catalog_read_in_sentence"),
    detail: text("scope.catalog_read_detail")
  },
  "account:read": {
    title: text("scope.account_read"),
    inSentence: text("scope.account_read_in_sentence"),
    detail: text("scope.account_read_detail")
  },
  "orders:read": {
    title: text("scope.orders_read"),
    inSentence: text("scope.orders_read_in_sentence"),
    detail: text("scope.orders_read_detail")
  },
  "wallet:read": {
    title: text("scope.wallet_read"),
    inSentence: text("scope.wallet_read_in_sentence"),
    detail: text("scope.wallet_read_detail")
  },
  "orders:write": {
    title: text("scope.orders_write"),
    inSentence: text("scope.orders_write_in_sentence"),
    detail: text("scope.orders_write_detail")
  }
} satisfies Readonly<Record<Scope, unknown>>
