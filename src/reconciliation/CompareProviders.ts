import { DateTime, Effect } from "effect"
import { ProviderUnavailable } from "../provider/ProviderErrors.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProxyProvider } from "../provider/ProxyProvider.ts"
import type { Report } from "./Finding.ts"
import { OutsideRecordsRepo, type RentedProxy } from "./OutsideRecordsRepo.ts"
import * as Questions from "./Questions.ts"
import * as Remedies from "./Remedies.ts"

const section = "orders" as const
const callTimeout = "30 seconds"

/** Asks a provider for a proxy. A defect of the adapter counts as no answer, so that the other proxies are compared. */
const find = ({ get, name: provider }: ProxyProvider, id: string) =>
  get(id).pipe(
    Effect.timeoutOrElse({
      duration: callTimeout,
      orElse: () => new ProviderUnavailable({ provider, reason: "no answer in time" })
    }),
    Effect.catchDefect(() => Effect.fail(new ProviderUnavailable({ provider, reason: "the call failed" })))
  )

const checkOwnerless = (provider: ProxyProvider, report: Report) =>
  Effect.fnUntraced(function* ({ order_id, provider_proxy_id: id }: RentedProxy) {
    const proxy = yield* find(provider, id)
    if (proxy?.is_live !== true) return
    yield* report({
      _tag: "Difference",
      section,
      subject: `proxy ${id} of ${provider.name}`,
      problem: `runs until ${DateTime.formatIso(proxy.expires_at)}; it was bought for order ${order_id}, which does not have it`,
      remedy: "no customer pays for it; return it to the provider, or remove its logins there"
    })
  })

const idOf = ({ order_id }: RentedProxy) => order_id

/** Compares live orders with the proxies at their providers, and the proxies that were bought with their orders. */
export const make = Effect.gen(function* () {
  const repo = yield* OutsideRecordsRepo
  const providers = yield* Providers

  /** Reads the order again, because it may have ended while its provider was asked. */
  const checkLive = (provider: ProxyProvider, report: Report) =>
    Effect.fnUntraced(function* (rented: RentedProxy) {
      const { order_id, provider_proxy_id: id } = rented
      const proxy = yield* find(provider, id)
      if (proxy?.is_live === true || !(yield* repo.isLive(rented, yield* DateTime.now))) return
      yield* report({
        _tag: "Difference",
        section,
        subject: `order ${order_id}`,
        problem: `is live; ${provider.name} ${proxy === undefined ? "does not know" : "has ended"} its proxy ${id}`,
        remedy: `${Remedies.endsUnrefunded}; complain to the provider first, and decide what to refund to the customer`
      })
    })

  return Effect.fn("Reconciliation.compareProviders")(function* (report: Report) {
    const now = yield* DateTime.now
    for (const { name, total } of yield* repo.providers(now)) {
      const provider = providers.get(name)
      const subject = `${name}, live proxies`
      const next = (after: string, limit: number) => repo.live(name, after, now, limit)
      yield* provider === undefined
        ? report({ _tag: "Unchecked", section, subject: `${subject}: ${total}`, reason: "PROVIDERS does not name it" })
        : Questions.askAll({ section, subject, total, next, idOf, ask: checkLive(provider, report) }, report)
    }
    for (const provider of providers.all) {
      const next = (after: string, limit: number) => repo.ownerless(provider.name, after, now, limit)
      const total = (yield* next(Questions.first, 1)).length
      const subject = `${provider.name}, purchases without an order`
      if (total > 0)
        yield* Questions.askAll({ section, subject, next, idOf, ask: checkOwnerless(provider, report) }, report)
    }
  })
})
