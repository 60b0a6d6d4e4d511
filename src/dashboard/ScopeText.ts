import type { Scope } from "../accounts/Scope.ts"

/** What each scope lets an app do, for the person who is asked (specification section 5.2). */
export const scopeText: Readonly<Record<Scope, { readonly title: string; readonly detail: string }>> = {
  "catalog:read": { title: "See the catalog", detail: "What is on offer, where, and at what price." },
  "account:read": {
    title: "See your profile",
    detail: "Name and email, referrals, promo codes, and past checks of IP addresses."
  },
  "orders:read": {
    title: "See your orders and proxies",
    detail: "With traffic, and with the logins and passwords of the proxies."
  },
  "wallet:read": { title: "See your wallet", detail: "Balances and every transaction." },
  "orders:write": {
    title: "Spend money from your wallet",
    detail:
      "It can buy and extend proxies and change your paid services. It pays from your wallet without asking you again."
  }
}

/** A title inside a sentence. */
export const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)
