import { Effect, Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ComplaintTime } from "../../abuse/ComplaintTime.ts"
import { Line } from "../../platform/fields/Line.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { canonicalAddress } from "../../platform/outbound/PublicAddress.ts"
import * as Keyset from "../Keyset.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"

/** An address in any spelling; kept in its canonical one. */
const Address = Schema.String.check(
  Schema.makeFilter((text) => canonicalAddress(text) !== undefined || "must be an IPv4 or IPv6 address")
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => canonicalAddress(text) ?? text),
    encode: SchemaGetter.passthrough()
  })
)

export const LookUp = Schema.Struct({
  exit_ip: Address.annotate({ description: "The exit address that the complaint names", examples: ["203.0.113.6"] }),
  exit_port: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))).annotate({
    description: "The source port that the complaint names; null when it names none"
  }),
  at: ComplaintTime.annotate({
    description: "The time of the complaint, in ISO 8601 with its zone; at most 5 minutes in the future"
  }),
  tolerance_seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_600 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(120))
  ),
  destination: Schema.NullOr(Line(1, 253)).annotate({
    description: "The address or the name of the destination; null when the complaint names none"
  }),
  is_machine: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))).annotate({
    description:
      "True: the address is the gateway's machine's own, as the internet sees it; known addresses need no word"
  }),
  case_number: Line(1, 100).annotate({ description: "The report or the case that the look-up belongs to" }),
  reason: Line(1, 300)
}).annotate({ identifier: "AbuseLookUpRequest" })

const Connection = Schema.Struct({
  exit_ip: Schema.String,
  exit_port: Schema.Int,
  opened_at: Schema.DateTimeUtcFromString,
  seen_at: Schema.DateTimeUtcFromString.annotate({
    description: "Its end, or the last time that it was known to be open"
  }),
  destination_port: Schema.Int
})

const Answer = Schema.Struct({
  verdict: Schema.Literals(["exact", "narrowed", "not_ours", "unknown"]),
  total: Schema.Int.annotate({ description: "The proxies that fit, at most 1,000" }),
  because: Schema.String.annotate({ description: "What the answer rests on" }),
  destinations: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "The addresses that the destination was compared as; null when the complaint names none"
  }),
  candidates: Schema.Array(
    Schema.Struct({
      order_id: Schema.String,
      user_id: Schema.NullOr(Schema.String),
      email: Schema.NullOr(Schema.String),
      proxy_id: Schema.String,
      from_at: Schema.DateTimeUtcFromString,
      until_at: Schema.NullOr(Schema.DateTimeUtcFromString),
      connections: Schema.Array(Connection)
    })
  ).annotate({ description: "The first 20 of them, each with up to 5 recorded connections" })
}).annotate({ identifier: "AbuseLookUpAnswer" })

/** A look-up as the audit log has it. */
export const LookUpView = Schema.Struct({
  id: Schema.String,
  looked_up_at: Schema.DateTimeUtcFromString,
  looked_up_by: Schema.String,
  case: Schema.NullOr(Schema.String).annotate({ description: "The case and the reason" }),
  exit_ip: Schema.String,
  exit_port: Schema.NullOr(Schema.Int),
  time: Schema.String,
  destination: Schema.NullOr(Schema.String),
  verdict: Schema.String,
  user_id: Schema.NullOr(Schema.String).annotate({ description: "The account, when the answer was `exact`" })
}).annotate({ identifier: "AbuseLookUp" })

export class AbuseApi extends HttpApiGroup.make("adminAbuse")
  .add(
    HttpApiEndpoint.get("listAbuseLookUps", "/abuse/look-ups", {
      query: Keyset.query,
      success: Keyset.view(LookUpView).annotate({ identifier: "AbuseLookUpPage" })
    })
      .annotate(RequiredPermission, "abuse.read")
      .annotate(OpenApi.Summary, "List the look-ups")
      .annotate(OpenApi.Description, "Every look-up of staff with its case and its verdict, the newest first."),
    HttpApiEndpoint.post("lookUpAbuse", "/abuse/look-up", { payload: LookUp, success: Answer, error: RequestInvalid })
      .annotate(RequiredPermission, "abuse.act")
      .annotate(OpenApi.Summary, "Find who used an exit address")
      .annotate(
        OpenApi.Description,
        "Finds the orders and accounts behind a complaint about one moment. It never guesses: an answer from incomplete records is not `exact`. Every look-up is in the audit log."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Abuse")
  .annotate(OpenApi.Description, "Answers to complaints about exit addresses.") {}
