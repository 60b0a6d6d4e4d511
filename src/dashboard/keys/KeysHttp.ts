import { DateTime, Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { isAllowedAddress } from "../../accounts/AllowedAddress.ts"
import { ApiKeyId, DailySpendLimit } from "../../accounts/ApiKey.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { AllowedAddresses, KeyName } from "../../accounts/api-keys/NewApiKey.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { Scope } from "../../accounts/Scope.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { boxes, Decimal, Entries, Nonce, TypedAmount } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { addressFaults } from "../desk/AddressFaults.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { type Keys, keysPage } from "./KeysPage.ts"

const keysOnPage = 25

/** The days until a new key expires. */
const Expiry = Schema.Literals(["30", "90", "365", "never"])

const NewKey = Schema.Struct({
  name: KeyName,
  expires: Expiry,
  access: Schema.Literals(["full", "limited"]),
  scopes: Schema.optionalKey(boxes(Scope)),
  allowed_ips: Schema.optionalKey(Entries.pipe(Schema.decodeTo(AllowedAddresses))),
  daily_spend_limit_usd: Schema.optionalKey(
    TypedAmount.pipe(Schema.decodeTo(Decimal), Schema.decodeTo(DailySpendLimit))
  ),
  nonce: Nonce
}).check(
  Schema.makeFilter(({ access, scopes }) =>
    (access === "limited") === (scopes !== undefined)
      ? undefined
      : { path: ["scopes"], issue: "Contradicts the access" }
  )
)

const messages = {
  name: text("keys.name_wrong"),
  expires: text("keys.expires_wrong"),
  access: text("keys.access_wrong"),
  scopes: text("keys.scopes_wrong"),
  allowed_ips: addressFaults({
    most: 100,
    isRight: isAllowedAddress,
    hasNetworks: true,
    rule: text("keys.only_from_wrong")
  }),
  daily_spend_limit_usd: text("keys.limit_wrong"),
  nonce: text("form.not_confirmed")
} as const

/** The page of the API keys. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { base_url, docs_url } = yield* Addresses
    const apiKeys = yield* ApiKeys
    const changes = yield* CredentialChanges
    const idempotency = yield* Idempotency
    const pages = yield* Pages
    const path = yield* pathOf("keys")

    const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<Keys> = {}) {
      const part = { limit: keysOnPage, offset: offsetOf(visit.query) }
      const { api_keys, total } = yield* apiKeys.list(visit.user.id, part)
      // The last page may be empty after its keys were revoked.
      if (api_keys.length === 0 && part.offset > 0) return redirect(path)
      const notice = visit.query.get("outcome") === "revoked" ? text("keys.revoked") : undefined
      return keysPage(visit, {
        keys: api_keys,
        part: { ...part, total },
        nonce: randomUUID(),
        base_url,
        docs_url,
        notice,
        ...more
      })
    })

    /** Creates a key once for each form. A form that is sent again gets no key, because the first answer showed it. */
    const create = Effect.fnUntraced(function* (visit: Visit, given: typeof NewKey.Type) {
      const { expires, nonce } = given
      const settings = Struct.omit(given, ["access", "expires", "nonce"])
      const { user } = visit
      const expires_at = expires === "never" ? null : DateTime.add(visit.now, { days: Number(expires) })
      const caller = callerOf(visit)
      const limit = String(settings.daily_spend_limit_usd ?? "none")
      const wanted = { ...settings, expires, daily_spend_limit_usd: limit }
      let key: string | undefined
      yield* idempotency.perform(
        { user_id: user.id, operation: "create_api_key", key: nonce, body: wanted },
        {
          reference: [],
          charge: Effect.map(apiKeys.createBy(caller, { ...settings, expires_at }), (created) => {
            key = created.key
          }),
          // An answer of null would be no answer.
          finish: () => Effect.succeed(true)
        }
      )
      return yield* show(visit, { created: { name: settings.name, key } })
    })

    const again = (visit: Visit, faults: Keys["faults"], typed: Submission) =>
      show(visit, { typed, ...(faults !== undefined && { faults }) })

    const revoke = Effect.fnUntraced(function* (visit: Visit) {
      const id = yield* idInPath("key_id", ApiKeyId)
      yield* apiKeys.revoke(visit.user.id, id)
      yield* changes.caughtUp
      return redirect(`${path}?outcome=revoked`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: NewKey, messages, again, act: create }))
    yield* router.add("POST", `${path}/:key_id/revoke`, pages.press(revoke))
  })
)
