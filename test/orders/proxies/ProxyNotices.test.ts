import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { UserId } from "../../../src/accounts/User.ts"
import { builtIn } from "../../../src/brand/Brand.ts"
import { ofBrand } from "../../../src/brand/Language.ts"
import { say } from "../../../src/brand/LocalText.ts"
import type { Notice } from "../../../src/notifications/Notifications.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import * as ProxyNotices from "../../../src/orders/proxies/ProxyNotices.ts"

const { de, en } = ofBrand(builtIn)

const order = {
  id: OrderId.make("0190b3c2-7c1e-7000-8000-000000000001"),
  user_id: UserId.make("0190b3c2-7c1e-7000-8000-000000000002"),
  proxy_type: "mobile" as const,
  country: "DE",
  expires_at: DateTime.makeUnsafe("2026-02-01T10:00:00Z"),
  auto_renew: false,
  bandwidth_gb: 1.5
}

const notices: ReadonlyArray<readonly [name: string, notice: Notice, english: string, german: string]> = [
  [
    "the end of a proxy",
    ProxyNotices.expiring(order),
    "Your proxy (Mobile, Germany) expires on 1 Feb 2026, 10:00 UTC. Extend it to keep it.",
    "Ihr Proxy (Mobilfunk, Deutschland) läuft am 01.02.2026, 10:00 UTC ab. Verlängern Sie ihn, um ihn zu behalten."
  ],
  [
    "a proxy without a known end",
    ProxyNotices.renewed({ ...order, expires_at: null }),
    "Your proxy (Mobile, Germany) was renewed and expires soon.",
    "Ihr Proxy (Mobilfunk, Deutschland) wurde verlängert und läuft bald ab."
  ],
  [
    "a dearer renewal",
    ProxyNotices.renewalPrice(
      order,
      { currency: "USD", total: 1_500_000n },
      { currency: "USD", total: 1_950_000n, renews_from: DateTime.makeUnsafe("2026-01-31T10:00:00Z") }
    ),
    "Your proxy (Mobile, Germany) costs $1.95 to renew. The same time cost $1.50 before. The service renews it from your wallet on 31 Jan 2026, 10:00 UTC, at this price or less. To decline, switch auto-renew off before then; the proxy then expires on 1 Feb 2026, 10:00 UTC.",
    "Die Verlängerung kostet 1,95\u00a0$: Ihr Proxy (Mobilfunk, Deutschland). Dieselbe Zeit kostete bisher 1,50\u00a0$. Der Dienst verlängert den Proxy am 31.01.2026, 10:00 UTC aus Ihrem Guthaben, höchstens zu diesem Preis. Wenn Sie das nicht möchten, schalten Sie vorher die automatische Verlängerung aus; der Proxy läuft dann am 01.02.2026, 10:00 UTC ab."
  ],
  [
    "a failed renewal",
    ProxyNotices.renewalFailed(order, say("notice.why_refused")),
    "Your proxy (Mobile, Germany) could not be renewed: the provider refused. The service tries again every hour until the proxy expires on 1 Feb 2026, 10:00 UTC.",
    "Ihr Proxy (Mobilfunk, Deutschland) konnte nicht verlängert werden: Der Anbieter hat abgelehnt. Der Dienst versucht es jede Stunde wieder, bis der Proxy am 01.02.2026, 10:00 UTC abläuft."
  ],
  [
    "a reduced proxy",
    ProxyNotices.reduced(order),
    "Your proxy (Mobile, Germany) was reduced by its provider: it expires on 1 Feb 2026, 10:00 UTC and has 1.5 GB of traffic. There is no automatic refund: please contact support.",
    "Ihr Proxy (Mobilfunk, Deutschland) wurde vom Anbieter eingeschränkt: Er läuft am 01.02.2026, 10:00 UTC ab und hat 1,5 GB Datenvolumen. Eine automatische Erstattung gibt es nicht: Bitte wenden Sie sich an den Support."
  ]
]

describe("Notices about proxies", () => {
  it.each(notices)("say %s in English and in German", (_, { message, order_id, user_id }, english, german) => {
    assert.deepStrictEqual([message(en), message(de)], [english, german])
    assert.deepStrictEqual([order_id, user_id], [order.id, order.user_id])
  })
})
