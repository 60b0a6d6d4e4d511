import { Schema, SchemaGetter } from "effect"
import { Model } from "effect/schema"
import * as Money from "../platform/Money.ts"
import { Scope } from "./Scope.ts"
import { UserId } from "./User.ts"

export const ApiKeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** Decodes dollars, a JSON number, to whole micro-dollars. */
export const DailySpendLimit = Schema.Finite.check(
  Schema.isBetween({ minimum: 0.000_001, maximum: 1_000_000 }),
  Schema.makeFilter((dollars) => Math.round(dollars * 1e6) / 1e6 === dollars || "must have at most six decimals")
).pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((dollars) => BigInt(Math.round(dollars * 1e6))),
    encode: SchemaGetter.transform((micros) => Money.toNumber("USD", micros))
  })
)

const OptionalTime = Model.Field({
  select: Schema.NullOr(Schema.DateTimeUtcFromDate),
  insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
  json: Schema.NullOr(Schema.DateTimeUtcFromString)
})

/** The credential of a program. The service shows the key once and stores its SHA-256 hash. */
export class ApiKey extends Model.Class<ApiKey>("ApiKey")({
  id: Model.UuidV7Insert(ApiKeyId),
  user_id: Model.Sensitive(UserId),
  name: Schema.String.annotate({ examples: ["Nightly crawler"] }),
  prefix: Schema.String.annotate({ description: "The key's first characters", examples: ["prk_0mFf3cQ7"] }),
  key_hash: Model.Sensitive(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Scope)).annotate({ description: "Null means unrestricted" }),
  expires_at: OptionalTime,
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Addresses and CIDR networks from which the key may be used; null means any",
    examples: [["192.0.2.7", "2001:db8::/32"]]
  }),
  daily_spend_limit_usd: Model.Field({
    select: Schema.NullOr(Schema.BigInt),
    insert: Schema.NullOr(Schema.BigInt),
    json: Schema.NullOr(DailySpendLimit).annotate({
      description: "Dollars the key may spend per day; null means no limit",
      examples: [25_000_000n]
    })
  }),
  last_used_at: OptionalTime,
  created_at: Model.DateTimeInsertFromDate
}) {}

/**
 * A valid key, with what its owner's account says about it. A plain struct, because every request reads one: a class
 * instance would double the cost of decoding.
 */
export const LiveApiKey = Schema.Struct({
  ...ApiKey.fields,
  email_verified: Schema.Boolean,
  access_blocked: Schema.Boolean
})
export type LiveApiKey = typeof LiveApiKey.Type
