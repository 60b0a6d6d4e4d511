import { Effect, Schema, SchemaGetter } from "effect"
import { HttpRouter } from "effect/http"
import { AccessChange } from "../../orders/proxies/AccessChange.ts"
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

/** Decodes lines such as `login:password`. A password may have colons, and spaces in it. */
const Logins = Schema.String.pipe(
  Schema.decodeTo(Schema.Struct({ passwords: AccessChange.fields.passwords }), {
    decode: SchemaGetter.transform((text) => ({
      passwords: text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const colon = line.indexOf(":")
          return { login: colon < 0 ? line : line.slice(0, colon), password: colon < 0 ? "" : line.slice(colon + 1) }
        })
    })),
    encode: SchemaGetter.transform(({ passwords }) =>
      (passwords ?? []).map(({ login, password }) => `${login}:${password}`).join("\n")
    )
  })
)

const most = 20

const OwnLogins = Schema.Struct({ logins: Logins })
const Whitelist = Schema.Struct({
  whitelisted_ips: Schema.optionalKey(Entries.pipe(Schema.decodeTo(sourceAddresses(most, "The allowed addresses"))))
})

const addressesFaults = addressFaults({
  most: most,
  isRight: isSourceAddress,
  hasNetworks: false,
  rule: text("proxies.addresses_wrong_mobile")
})

/** The forms that change the logins of a proxy, and the whitelist of a mobile rotating one. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const management = yield* ProxyManagement
    const pages = yield* Pages
    const { orderOf, show } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const setLogins = Effect.fnUntraced(function* (visit: Visit, { logins }: typeof OwnLogins.Type) {
      const { id } = yield* orderOf(visit)
      yield* management.setAccess(callerOf(visit), id, logins)
      return ShowProxy.done(visit, id, "logins")
    })

    const setAddresses = Effect.fnUntraced(function* (visit: Visit, { whitelisted_ips = [] }: typeof Whitelist.Type) {
      const { id } = yield* orderOf(visit)
      yield* management.setAccess(callerOf(visit), id, { ips: whitelisted_ips })
      return ShowProxy.done(visit, id, "whitelist")
    })

    const newPassword = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = yield* orderOf(visit)
      yield* management.newPassword(callerOf(visit), id)
      return ShowProxy.done(visit, id, "password")
    })

    yield* router.add(
      "POST",
      `${path}/addresses`,
      pages.take({
        fields: Whitelist,
        messages: { whitelisted_ips: addressesFaults },
        again,
        act: setAddresses
      })
    )
    yield* router.add(
      "POST",
      `${path}/logins`,
      pages.take({ fields: OwnLogins, messages: { logins: text("proxies.logins_wrong") }, again, act: setLogins })
    )
    yield* router.add(
      "POST",
      `${path}/password`,
      pages.take({ fields: Schema.Struct({}), messages: {}, again, act: newPassword })
    )
  })
)
