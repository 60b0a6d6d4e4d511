import { Context, DateTime, Duration, Effect, Layer, Result, Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { getThroughProxy } from "../../platform/outbound/GetThroughProxy.ts"
import { canonical } from "../../platform/outbound/OwnAddresses.ts"
import { isPublicText } from "../../platform/outbound/PublicAddress.ts"
import { RateLimit, type RateLimited } from "../../platform/requests/RateLimit.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { anyKind, type NotAdmitted, OperationGuard } from "./OperationGuard.ts"
import { type ProviderDown, ProxyNotLive } from "./ProxyErrors.ts"
import type { ProxyTestView } from "./ProxyTestView.ts"

/** The limit of one proxy: a test uses the customer's traffic, and a connection of the service. */
const rule = { name: "proxy-tests", limit: 6, window: Duration.minutes(1) } as const

const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ ip: Schema.String })))

type Outcome = Pick<ProxyTestView, "failure" | "connect_ms" | "first_byte_ms" | "exit_ip">

const nothing = { first_byte_ms: null, exit_ip: null }

/** With a whitelist, the proxy refuses the service whatever login it sends. */
const failureFor = ({ whitelisted_ips }: LiveOrder, failure: NonNullable<Outcome["failure"]>) =>
  whitelisted_ips.length > 0 && (failure === "login_refused" || failure === "refused") ? "address_not_allowed" : failure

/** Compares the exit address that the service saw with that of the provider. A private one says nothing when it differs. */
export const isExpected = (exit: string | null, expected: string | null): boolean | null => {
  if (exit === null || expected === null) return null
  if (exit === canonical(expected)) return true
  return isPublicText(exit) ? false : null
}

/** Tests a proxy from the service's side: it asks the service for its own address, through the proxy. */
export class ProxyTests extends Context.Service<
  ProxyTests,
  {
    /** Takes at most 10 seconds. Fails with `RateLimited` after 6 tests of a proxy in a minute. */
    readonly run: (owner: UserId, id: OrderId) => Effect.Effect<ProxyTestView, NotAdmitted | ProviderDown | RateLimited>
  }
>()("app/orders/ProxyTests") {
  static readonly layerNoDeps = Layer.effect(
    ProxyTests,
    Effect.gen(function* () {
      const { base_url } = yield* Addresses
      const guard = yield* OperationGuard
      const live = yield* LiveProxies
      const rateLimit = yield* RateLimit
      const url = new URL(`${base_url}/ip`)

      const probe = Effect.fnUntraced(function* (order: LiveOrder) {
        const { host, password, port, protocol, username } = order
        if (host === null || port === null || username === null || password === null) return yield* new ProxyNotLive()
        const { isOwn = false } = yield* live.provider(order)
        const asked = getThroughProxy({ host, port, username, password, protocol, isOwn, url })
        const answered = yield* Effect.result(asked)
        if (Result.isFailure(answered)) {
          const { connect_ms, failure } = answered.failure
          return { ...nothing, failure: failureFor(order, failure), connect_ms } satisfies Outcome
        }
        const { body, connect_ms, first_byte_ms } = answered.success
        const seen = yield* Effect.result(decodeAnswer(body))
        if (Result.isFailure(seen)) return { ...nothing, failure: "no_answer", connect_ms } satisfies Outcome
        return { failure: null, connect_ms, first_byte_ms, exit_ip: canonical(seen.success.ip) } satisfies Outcome
      })

      const run = Effect.fn("ProxyTests.run")(function* (owner: UserId, id: OrderId) {
        const order = yield* guard.admit(owner, id, anyKind)
        yield* rateLimit.enforce(rule, id)
        const proxy = yield* Effect.orElseSucceed(live.read(order), () => undefined)
        const outcome = yield* probe(order)
        const expected_ip = proxy?.current_ip ?? null
        const { exit_ip } = outcome
        return {
          order_id: id,
          works: outcome.failure === null,
          ...outcome,
          expected_ip,
          is_expected: isExpected(exit_ip, expected_ip),
          tested_at: DateTime.formatIso(yield* DateTime.now)
        }
      })

      return ProxyTests.of({ run })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OperationGuard.layer, LiveProxies.layer]))
}
