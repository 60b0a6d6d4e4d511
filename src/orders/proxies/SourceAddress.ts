import { Result, Schema, SchemaGetter } from "effect"
import { NetAddress } from "effect/net"
import { listOf } from "../../platform/fields/ListOf.ts"
import { canonicalText } from "../../platform/outbound/PublicAddress.ts"

/** True for the text of an IPv4 or IPv6 address. */
export const isSourceAddress = (text: string): boolean => Result.isSuccess(NetAddress.ipFromString(text))

const SourceAddress = Schema.String.check(
  Schema.makeFilter((text) => isSourceAddress(text) || "must be an IPv4 or IPv6 address")
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => canonicalText(NetAddress.ipFromStringUnsafe(text))),
    encode: SchemaGetter.passthrough()
  })
)

/** Decodes at most `maximum` source addresses to their canonical form, without duplicates. */
export const sourceAddresses = (maximum: number, description: string) =>
  listOf(SourceAddress, { maximum, description, examples: [["192.0.2.7", "2001:db8::7"]] }).pipe(
    Schema.decodeTo(Schema.Array(Schema.String), {
      decode: SchemaGetter.transform((addresses) => [...new Set(addresses)]),
      encode: SchemaGetter.passthrough()
    })
  )
