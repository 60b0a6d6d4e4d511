import { Schema } from "effect"
import { AllowedAddresses, KeyName } from "../../accounts/api-keys/NewApiKey.ts"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Permission } from "../Permissions.ts"
import { StaffId } from "../StaffId.ts"

export const StaffTokenId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("StaffTokenId"))
export type StaffTokenId = typeof StaffTokenId.Type

const fields = {
  id: StaffTokenId,
  staff_id: StaffId,
  name: Schema.String.annotate({ examples: ["Nightly report"] }),
  prefix: Schema.String.annotate({ description: "The token's first characters", examples: ["pst_0mFf3cQ7"] }),
  permissions: Schema.Array(Schema.String).annotate({
    description: "What the token may do, as long as its owner may",
    examples: [["audit.read"]]
  }),
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Addresses and CIDR networks from which the token may be used; null means any",
    examples: [["192.0.2.7"]]
  })
}

/** A token of a staff member, for programs. The service shows it once and stores its hash. */
export const StaffToken = Schema.Struct({
  ...fields,
  created_at: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate,
  last_used_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type StaffToken = typeof StaffToken.Type

/** The wire form of a token. */
export const StaffTokenView = Schema.Struct({
  ...fields,
  created_at: Schema.DateTimeUtcFromString,
  expires_at: Schema.DateTimeUtcFromString,
  last_used_at: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "StaffToken" })

/** The choices of a person for a new token. */
export const NewStaffToken = Schema.Struct({
  name: KeyName,
  permissions: listOf(Permission, { minimum: 1, maximum: 100, examples: [["audit.read"]] }),
  allowed_ips: optional(AllowedAddresses, {
    description: "Addresses and CIDR networks from which the token may be used; null or absent means any",
    examples: [["192.0.2.7"]]
  }),
  expires_at: Schema.DateTimeUtcFromString.annotate({ description: "At most a year from now" })
})
export type NewStaffToken = typeof NewStaffToken.Type
