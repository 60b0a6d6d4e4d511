import type { Scope } from "../accounts/Scope.ts"

/** Describes each scope for the person who decides about an app (docs/contract.md, "API keys and scopes"). */
export const scopeText: Readonly<Record<Scope, { readonly title: string; readonly detail: string }>> = {
  "catalog:read": { title: "See the catalog", detail: "Proxies on offer, their locations and prices." },
  "account:read": {
    title: "See your profile",
    detail: "Name and email, referrals, promo codes, and past checks of IP addresses."
  },
  "orders:read": {
    title: "See your orders and proxies",
    detail: "This includes their traffic, and the logins and passwords of the proxies."
  },
  "wallet:read": { title: "See your wallet", detail: "Your balances and every transaction." },
  "orders:write": {
    title: "Spend money from your wallet",
    detail:
      "It can buy and extend proxies and change your paid services. It pays from your wallet without asking you again."
  }
}

/** Lower-cases the first letter of a title, for the middle of a sentence. */
export const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)
