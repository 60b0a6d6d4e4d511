import { DateTime, Effect, Layer, Schema, SchemaIssue } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Email } from "../accounts/Email.ts"
import { NewPassword } from "../accounts/passwords/Password.ts"
import { reading } from "../accounts/Scope.ts"
import { Name } from "../accounts/User.ts"
import { choose } from "../brand/LanguageCode.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Cors from "../platform/requests/Cors.ts"
import * as FlatError from "../platform/errors/FlatError.ts"
import { optional } from "../platform/fields/Optional.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import { Text } from "../platform/fields/Text.ts"
import { AgentRefused, statuses } from "./AgentErrors.ts"
import { AgentLimits } from "./AgentLimits.ts"
import { AgentRegistration, enabled } from "./AgentRegistration.ts"

const credential_type = "api_key"

const Registering = Schema.Struct({
  type: Schema.Literal("anonymous"),
  /** Optional, because there is only one type. */
  requested_credential_type: optional(Schema.String)
})

const Claiming = Schema.Struct({
  claim_token: Text(1, 200),
  email: Email,
  password: NewPassword,
  name: optional(Name)
})

const Revoking = Schema.Struct({ credential: optional(Schema.String) })

const answer = (status: number, body: object) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })

const invalid = (message: string) => new AgentRefused({ error: "invalid_request", message })

const notEnabled = new AgentRefused({
  error: "anonymous_not_enabled",
  message: "Agents cannot register themselves here; ask a person for an API key"
})

const unsupportedCredentialType = new AgentRefused({
  error: "unsupported_credential_type",
  message: "The requested_credential_type must be api_key"
})

const invalidClaimToken = new AgentRefused({
  error: "invalid_claim_token",
  message: "The claim token is unknown, expired or already used"
})

const emailTaken = new AgentRefused({
  error: "email_taken",
  message: "An account with this email already exists; claim with another email"
})

const faults = SchemaIssue.makeFormatterStandardSchemaV1()

/** Lists every invalid field with its fault. */
const faultsText = (issue: SchemaIssue.Issue) =>
  faults(issue)
    .issues.map(({ message, path = [] }) => [path.join("."), message].filter((part) => part !== "").join(": "))
    .join("; ")

const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

/** Reads the JSON body, with any content type. An empty body counts as `empty`. */
const bodyAs = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(schema: S, empty = "") {
  const { text } = yield* HttpServerRequest.HttpServerRequest
  const json = yield* Effect.orDie(text)
  const body = yield* Effect.mapError(decodeJson(json === "" ? empty : json), () => invalid("Send a JSON object"))
  return yield* Effect.mapError(Schema.decodeUnknownEffect(schema, { errors: "all" })(body), ({ issue }) =>
    invalid(faultsText(issue))
  )
})

/** Adds an operation that answers refusals with the error codes of `auth.md`. */
const add = <R>(
  router: HttpRouter.HttpRouter,
  path: HttpRouter.PathInput,
  operation: Effect.Effect<object, AgentRefused | RateLimited, R>
) =>
  Cors.add(
    router,
    "POST",
    path,
    operation.pipe(
      Effect.map((body) => answer(200, body)),
      Effect.catchTag("RateLimited", ({ detail }) => new AgentRefused({ error: "rate_limited", message: detail })),
      Effect.catch(({ error, message }) => Effect.succeed(answer(statuses[error], { error, message }))),
      Effect.catchDefect((defect) =>
        Effect.map(FlatError.ofDefect(defect), ({ error, status, text }) => answer(status, { error, message: text }))
      )
    )
  )

const registration = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { app_url } = yield* Addresses
    const agents = yield* AgentRegistration
    const isEnabled = yield* enabled
    const limits = yield* AgentLimits

    yield* add(
      router,
      "/agent/auth",
      Effect.gen(function* () {
        const { requested_credential_type: asked = credential_type } = yield* bodyAs(Registering)
        if (!isEnabled) return yield* notEnabled
        if (asked !== credential_type) return yield* unsupportedCredentialType
        const { claim_token_expires, ...registered } = yield* limits.registration(agents.register)
        return {
          ...registered,
          registration_type: "anonymous",
          credential_type,
          credential_expires: null,
          claim_url: `${app_url}/claim`,
          claim_token_expires: DateTime.formatIso(claim_token_expires),
          post_claim_scopes: reading
        }
      })
    )
  })
)

const claiming = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const agents = yield* AgentRegistration
    const limits = yield* AgentLimits

    yield* add(
      router,
      "/agent/claim",
      Effect.gen(function* () {
        const claim = yield* bodyAs(Claiming)
        yield* limits.address("claim")
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const language = choose(undefined, headers["accept-language"])
        const { registration_id, scopes, user } = yield* agents
          .claim({ ...claim, language })
          .pipe(Effect.catchTags({ ClaimTokenInvalid: () => invalidClaimToken, EmailTaken: () => emailTaken }))
        return { registration_id, status: "claimed", user: { id: user.id, email: user.email }, scopes }
      })
    )
  })
)

const revocation = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const agents = yield* AgentRegistration
    const limits = yield* AgentLimits

    yield* add(
      router,
      "/agent/revoke",
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const { credential = headers["x-api-key"] } = yield* bodyAs(Revoking, "{}")
        if (credential === undefined)
          return yield* invalid("Send the API key as credential in the body or in the header X-API-Key")
        yield* limits.address("revoke")
        yield* agents.revoke(credential)
        return { revoked: true }
      })
    )
  })
)

/** The endpoints to register an agent, to claim its account and to revoke its key (docs/contract.md, "Agents"). */
export const layer = Layer.mergeAll(registration, claiming, revocation)
