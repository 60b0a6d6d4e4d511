import { DateTime, Effect } from "effect"
import { ProviderUnavailable } from "../provider/ProviderErrors.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProxyProvider } from "../provider/ProxyProvider.ts"
import { AskedRepo, type Lease } from "./AskedRepo.ts"
import type { Tell } from "./Finding.ts"
import * as Questions from "./Questions.ts"

const section = "orders" as const
const callTimeout = "30 seconds"

/** What a provider has of a proxy. What it answers in a way that nobody foresaw is no answer. */
const asked = ({ get, name: provider }: ProxyProvider, id: string) =>
  get(id).pipe(
    Effect.timeoutOrElse({
      duration: callTimeout,
      orElse: () => new ProviderUnavailable({ provider, reason: "no answer in time" })
    }),
    Effect.catchDefect(() => Effect.fail(new ProviderUnavailable({ provider, reason: "the question failed" })))
  )

const checkOwnerless = (provider: ProxyProvider, tell: Tell) =>
  Effect.fnUntraced(function* ({ order_id, provider_proxy_id: id }: Lease) {
    const proxy = yield* asked(provider, id)
    if (proxy?.is_live !== true) return
    yield* tell({
      _tag: "Difference",
      section,
      subject: `proxy ${id} of ${provider.name}`,
      problem: `runs until ${DateTime.formatIso(proxy.expires_at)}; it was bought for order ${order_id}, which does not have it`,
      remedy: "nobody pays for it: give it back to the provider, or take its logins away there"
    })
  })

const idOf = ({ order_id }: Lease) => order_id

/** Every live order's proxy runs at its provider, and no proxy that was bought there is nobody's. */
export const make = Effect.gen(function* () {
  const repo = yield* AskedRepo
  const providers = yield* Providers

  /** The order is read once more: it may have ended while its provider was asked. */
  const checkLive = (provider: ProxyProvider, tell: Tell) =>
    Effect.fnUntraced(function* (lease: Lease) {
      const { order_id, provider_proxy_id: id } = lease
      const proxy = yield* asked(provider, id)
      if (proxy?.is_live === true || !(yield* repo.isLive(lease, yield* DateTime.now))) return
      yield* tell({
        _tag: "Difference",
        section,
        subject: `order ${order_id}`,
        problem: `is live; ${provider.name} ${proxy === undefined ? "does not know" : "has ended"} its proxy ${id}`,
        remedy:
          "the service ends the order within two hours, unrefunded; complain to the provider before, and see what the customer is owed"
      })
    })

  return Effect.fn("ProviderRecords.compare")(function* (tell: Tell) {
    const now = yield* DateTime.now
    const having = yield* repo.providers(now)
    for (const { name, total } of having) {
      const provider = providers.get(name)
      const subject = `${name}, live proxies`
      const next = (after: string, limit: number) => repo.live(name, after, now, limit)
      yield* provider === undefined
        ? tell({ _tag: "Unchecked", section, subject: `${subject}: ${total}`, reason: "PROVIDERS does not name it" })
        : Questions.askAll({ section, subject, total, next, idOf, ask: checkLive(provider, tell) }, tell)
    }
    for (const provider of providers.all) {
      const next = (after: string, limit: number) => repo.ownerless(provider.name, after, now, limit)
      const total = (yield* next(Questions.first, 1)).length
      const subject = `${provider.name}, purchases without an order`
      if (total > 0)
        yield* Questions.askAll({ section, subject, next, idOf, ask: checkOwnerless(provider, tell) }, tell)
    }
  })
})
