import { Schema } from "effect"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Line } from "../../platform/fields/Line.ts"
import { AllowedAddress } from "../AllowedAddress.ts"
import { DailySpendLimit } from "../ApiKey.ts"
import { Scope } from "../Scope.ts"

export const KeyName = Line(1, 100).annotate({ examples: ["Nightly crawler"] })

/** The addresses from which a key may be used. */
export const AllowedAddresses = listOf(AllowedAddress, { minimum: 1, maximum: 100 })

/** The settings of a key that is created. An absent setting restricts nothing. */
export const NewApiKey = Schema.Struct({
  name: KeyName,
  scopes: optional(listOf(Scope, { minimum: 1, maximum: 20 }), {
    description: "Scopes of the key; null or absent means every scope",
    examples: [["catalog:read", "orders:read"]]
  }),
  expires_at: optional(Schema.DateTimeUtcFromString, { description: "Expiry of the key; null or absent means never" }),
  allowed_ips: optional(AllowedAddresses, {
    description: "Addresses and CIDR networks from which the key may be used; null or absent means any",
    examples: [["192.0.2.7", "2001:db8::/32"]]
  }),
  daily_spend_limit_usd: optional(DailySpendLimit, {
    description: "Dollars the key may spend per day; null or absent means no limit",
    examples: [25_000_000n]
  })
}).annotate({ examples: [{ name: "Nightly crawler", scopes: ["catalog:read", "orders:read"] }] })
