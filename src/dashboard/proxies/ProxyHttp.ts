import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { SwitchableProtocol } from "../../catalog/Offer.ts"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { ProxyManagement } from "../../orders/proxies/ProxyManagement.ts"
import { isSourceAddress, sourceAddresses } from "../../orders/proxies/SourceAddress.ts"
import type { Faults } from "../../pages/Field.ts"
import { Entries } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { addressFaults } from "../desk/AddressFaults.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ShowProxy from "./ShowProxy.ts"

const most = 100

const Whitelist = Schema.Struct({
  whitelisted_ips: Schema.optionalKey(Entries.pipe(Schema.decodeTo(sourceAddresses(most, "The allowed addresses"))))
})
const Protocol = Schema.Struct({ protocol: SwitchableProtocol })
const whitelistFaults = addressFaults({
  most: most,
  isRight: isSourceAddress,
  hasNetworks: false,
  rule: text("proxies.addresses_wrong")
})
const AutoRenew = Schema.Struct({ enabled: Schema.Literals(["on", "off"]) })

/** A button sends these fields, so a person cannot get them wrong. */
const unread = text("form.not_confirmed")

/** The page of a proxy, and the forms that change it for free. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* ProxyChanges
    const management = yield* ProxyManagement
    const pages = yield* Pages
    const { orderOf, show } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const setWhitelist = Effect.fnUntraced(function* (visit: Visit, { whitelisted_ips = [] }: typeof Whitelist.Type) {
      const { id } = yield* orderOf(visit)
      yield* management.setWhitelist(callerOf(visit), id, whitelisted_ips)
      return ShowProxy.done(visit, id, "whitelist")
    })

    const setProtocol = Effect.fnUntraced(function* (visit: Visit, { protocol }: typeof Protocol.Type) {
      const { id } = yield* orderOf(visit)
      yield* management.setProtocol(callerOf(visit), id, protocol)
      return ShowProxy.done(visit, id, "protocol")
    })

    const setAutoRenew = Effect.fnUntraced(function* (visit: Visit, { enabled }: typeof AutoRenew.Type) {
      const order = yield* orderOf(visit)
      yield* changes.setAutoRenew(callerOf(visit), order, enabled === "on")
      return ShowProxy.done(visit, order.id, "auto-renew")
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add(
      "POST",
      `${path}/whitelist`,
      pages.take({
        fields: Whitelist,
        messages: { whitelisted_ips: whitelistFaults },
        again,
        act: setWhitelist
      })
    )
    yield* router.add(
      "POST",
      `${path}/protocol`,
      pages.take({ fields: Protocol, messages: { protocol: unread }, again, act: setProtocol })
    )
    yield* router.add(
      "POST",
      `${path}/auto-renew`,
      pages.take({ fields: AutoRenew, messages: { enabled: unread }, again, act: setAutoRenew })
    )
  })
)
