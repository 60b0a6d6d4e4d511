import { Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { RateLimit } from "../../platform/requests/RateLimit.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"
import { Actor, needs } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import {
  MovesMoney,
  RequiredPermission,
  StaffAddressNotAllowed,
  StaffAuthentication,
  StaffUnauthorized
} from "../StaffAuthenticationApi.ts"
import { StaffCredentials } from "./StaffCredentials.ts"

/** Requests a minute: of a credential, of those that move money, and of an address without a valid credential. */
const limits = { all: 60, money: 10, unknown: 60 }

const make = Effect.gen(function* () {
  const audit = yield* Audit
  const client = yield* ClientAddress
  const credentials = yield* StaffCredentials
  const rateLimit = yield* RateLimit
  const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))

  const limit = (name: keyof typeof limits, key: string) =>
    rateLimit.enforce({ name: `admin-${name}`, limit: limits[name] * factor, window: Duration.minutes(1) }, key)

  const limitActor = Effect.fnUntraced(function* ({ id }: Actor["Service"], endpoint: HttpApiEndpoint.Top) {
    yield* limit("all", String(id))
    if (Context.get(endpoint.annotations, MovesMoney)) yield* limit("money", String(id))
  })

  const authenticate = Effect.fnUntraced(function* (secret: string, endpoint: HttpApiEndpoint.Top) {
    const found = yield* credentials.find(secret)
    if (Option.isNone(found)) {
      yield* limit("unknown", yield* client.limited)
      return yield* new StaffUnauthorized()
    }
    const { actor, isAddressAllowed } = found.value
    yield* limitActor(actor, endpoint)
    const permission = Context.get(endpoint.annotations, RequiredPermission)
    if (permission === undefined) return yield* Effect.die(new Error(`${endpoint.identifier} names no permission`))
    const attempt = { actor, action: permission, subject: { kind: "operation", id: endpoint.identifier } }
    if (!isAddressAllowed) {
      yield* audit.refused({ ...attempt, reason: "The address is not allowed" })
      return yield* new StaffAddressNotAllowed()
    }
    yield* Effect.tapError(needs(actor, permission), () =>
      audit.refused({ ...attempt, reason: "The permission is missing" })
    )
    return actor
  })

  return StaffAuthentication.of({
    bearer: (response, { credential, endpoint }) =>
      Effect.flatMap(authenticate(Redacted.value(credential), endpoint), (actor) =>
        Effect.provideService(response, Actor, actor)
      )
  })
})

/** Finds who calls an operation of the admin API, limits the requests, and refuses what the role does not allow. */
export const layer = Layer.effect(StaffAuthentication, make)
