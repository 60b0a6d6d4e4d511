import { Context, DateTime, Effect, Layer } from "effect"
import type { UserNotFound } from "../accounts/AccountErrors.ts"
import type { Unauthorized } from "../accounts/Authentication.ts"
import type { Caller } from "../accounts/Caller.ts"
import { CallerLock } from "../accounts/CallerLock.ts"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { OutboundHttp } from "../platform/outbound/OutboundHttp.ts"
import type { Page } from "../platform/fields/Page.ts"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import { endpointsPerAccount, eventType, WebhookEndpoint, type WebhookEndpointId } from "./WebhookEndpoint.ts"
import { WebhookEndpointsRepo } from "./WebhookEndpointsRepo.ts"
import { TooManyWebhooks, type WebhookAlreadyEnabled, type WebhookNotFound } from "./WebhookErrors.ts"
import * as WebhookSecret from "./WebhookSecret.ts"

/** The part of an endpoint that its owner chooses. */
type Settings = Pick<WebhookEndpoint, "url" | "enabled">

type CreationError = UserNotFound | Unauthorized | TooManyWebhooks | WebhookAlreadyEnabled

/** An endpoint that is enabled or gets another URL starts again without failures. */
const configured = (endpoint: WebhookEndpoint, change: Partial<Settings>, now: DateTime.Utc): WebhookEndpoint => {
  const { enabled = endpoint.enabled, url = endpoint.url } = change
  const moves = url !== endpoint.url
  if (!moves && enabled === endpoint.enabled) return endpoint
  const record = moves || enabled ? { failing_since: null, failure_warned_at: null } : {}
  return new WebhookEndpoint({ ...endpoint, ...record, url, enabled, updated_at: now })
}

const newEndpoint = Effect.fnUntraced(function* (user_id: UserId, settings: Settings) {
  return yield* WebhookEndpoint.insert.makeEffect({
    ...settings,
    ...(yield* WebhookSecret.make),
    user_id,
    event_type: eventType,
    previous_secret: null,
    previous_secret_ends_at: null,
    last_test_at: null,
    last_delivery_at: null,
    failing_since: null,
    failure_warned_at: null
  })
}, Effect.orDie)

/** The endpoints of an account. Endpoints of other accounts are not found (docs/contract.md, "Webhooks"). */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly webhooks: ReadonlyArray<WebhookEndpoint>; readonly total: number }>
    readonly find: (owner: UserId, id: WebhookEndpointId) => Effect.Effect<WebhookEndpoint, WebhookNotFound>
    /** The caller's credential must still be valid when the endpoint is created. */
    readonly create: (
      caller: Caller["Service"],
      settings: Settings
    ) => Effect.Effect<WebhookEndpoint, RequestInvalid | CreationError>
    /** Resolves the host, and returns the creation itself, which is fit for a transaction of the caller. */
    readonly prepare: (
      caller: Caller["Service"],
      settings: Settings
    ) => Effect.Effect<Effect.Effect<WebhookEndpoint, CreationError>, RequestInvalid>
    /** Disabling an endpoint cancels its pending deliveries. */
    readonly change: (
      owner: UserId,
      id: WebhookEndpointId,
      change: Partial<Settings>
    ) => Effect.Effect<WebhookEndpoint, RequestInvalid | WebhookNotFound | WebhookAlreadyEnabled>
    readonly remove: (owner: UserId, id: WebhookEndpointId) => Effect.Effect<void, WebhookNotFound>
    /** The old secret stays valid for `overlapSeconds`. The secret before it ends immediately. */
    readonly rotateSecret: (
      owner: UserId,
      id: WebhookEndpointId,
      overlapSeconds: number
    ) => Effect.Effect<WebhookEndpoint, WebhookNotFound>
  }
>()("app/webhooks/Webhooks") {
  static readonly layerNoDeps = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const callers = yield* CallerLock
      const outbound = yield* OutboundHttp
      const repo = yield* WebhookEndpointsRepo
      const deliveries = yield* WebhookDeliveriesRepo

      const list = Effect.fn("Webhooks.list")(function* (owner: UserId, page: Page) {
        return { webhooks: yield* repo.list(owner, page), total: yield* repo.count(owner) }
      })

      const find = Effect.fn("Webhooks.find")(repo.find)

      const check = (url: string) =>
        Effect.mapError(outbound.check(url), ({ reason }) => RequestInvalid.at(["body", "url"], reason))

      const insert = Effect.fnUntraced(function* (caller: Caller["Service"], settings: Settings) {
        // The lock makes concurrent creations count one after the other.
        yield* callers.hold(caller)
        if ((yield* repo.count(caller.user_id)) >= endpointsPerAccount)
          return yield* new TooManyWebhooks({ details: {} })
        return yield* repo.insert(yield* newEndpoint(caller.user_id, settings))
      }, atomically)

      const prepare = Effect.fn("Webhooks.prepare")((caller: Caller["Service"], settings: Settings) =>
        Effect.as(check(settings.url), insert(caller, settings))
      )

      const create = Effect.fn("Webhooks.create")((caller: Caller["Service"], settings: Settings) =>
        Effect.flatten(prepare(caller, settings))
      )

      const configure = Effect.fnUntraced(function* (
        owner: UserId,
        id: WebhookEndpointId,
        settings: Partial<Settings>
      ) {
        const endpoint = yield* repo.lock(owner, id)
        const now = yield* DateTime.now
        const next = configured(endpoint, settings, now)
        if (next === endpoint) return endpoint
        yield* repo.configure(id, next)
        if (!next.enabled) yield* deliveries.cancelPending([id], now)
        return next
      }, atomically)

      /** Resolves the host only for the owner of the endpoint, outside the transaction. */

      const change = Effect.fn("Webhooks.change")(function* (
        owner: UserId,
        id: WebhookEndpointId,
        settings: Partial<Settings>
      ) {
        const { url } = yield* repo.find(owner, id)
        if (settings.url !== undefined && settings.url !== url) yield* check(settings.url)
        return yield* configure(owner, id, settings)
      })

      const remove = Effect.fn("Webhooks.remove")((owner: UserId, id: WebhookEndpointId) =>
        Effect.asVoid(repo.remove(owner, id))
      )

      const rotateSecret = Effect.fn("Webhooks.rotateSecret")(function* (
        owner: UserId,
        id: WebhookEndpointId,
        overlapSeconds: number
      ) {
        const now = yield* DateTime.now
        const ends_at = overlapSeconds === 0 ? null : DateTime.add(now, { seconds: overlapSeconds })
        return yield* repo.replaceSecret(yield* WebhookSecret.make, { owner, id, now, ends_at })
      })

      return Webhooks.of({ list, find, create, prepare, change, remove, rotateSecret })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([CallerLock.layer, WebhookEndpointsRepo.layer, WebhookDeliveriesRepo.layer])
  )
}
