import { DateTime, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AllowedAddress } from "../../accounts/AllowedAddress.ts"
import { KeyName } from "../../accounts/api-keys/NewApiKey.ts"
import { boxes, Lines } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { StaffTokenId } from "../../staff/members/StaffToken.ts"
import { StaffTokens } from "../../staff/members/StaffTokens.ts"
import { Permission } from "../../staff/Permissions.ts"
import { StaffNotFound } from "../../staff/StaffErrors.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { tokenPage, tokensPage } from "./TokenPages.ts"

const perPage = 100

const isId = Schema.is(StaffTokenId)

const Days = Schema.FiniteFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 })))
)

const NewToken = Schema.Struct({
  name: KeyName,
  permissions: boxes(Permission),
  days: Days,
  allowed_ips: Schema.optionalKey(
    Lines.pipe(Schema.decodeTo(Schema.Array(AllowedAddress).check(Schema.isMaxLength(100))))
  )
})

/** The pages of the tokens for programs. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const tokens = yield* StaffTokens

    const showList = (visit: AdminVisit, typed: Parameters<typeof tokensPage>[2] = {}) => {
      const after = visit.query.get("after")
      const read = tokens.list(visit.actor, { limit: perPage, ...(isId(after) && { after }) })
      return Effect.map(read, (list) => tokensPage(visit, list, typed))
    }

    yield* router.add(
      "GET",
      pathTo("tokens"),
      show((visit) => showList(visit))
    )
    yield* router.add(
      "POST",
      pathTo("tokens"),
      take({
        fields: NewToken,
        messages: {
          name: text("admin.name_wrong"),
          permissions: text("admin.permissions_wrong"),
          days: text("admin.days_wrong"),
          allowed_ips: text("admin.addresses_wrong")
        },
        again: (visit, faults, { all, field }) => showList(visit, { faults, all, field }),
        act: Effect.fnUntraced(function* (visit, { allowed_ips = [], days, name, permissions }) {
          const { actor } = visit
          if (actor.staff_id === null) return yield* new StaffNotFound()
          const expires_at = DateTime.add(visit.now, { days })
          const given = { name, permissions, expires_at, ...(allowed_ips.length > 0 && { allowed_ips }) }
          return tokenPage(visit, (yield* tokens.create(actor, actor.staff_id, given)).token)
        })
      })
    )
    yield* router.add(
      "POST",
      pathTo("tokens/revoke"),
      take({
        fields: Schema.Struct({ id: StaffTokenId }),
        messages: { id: text("admin.action_wrong") },
        again: (visit, faults) => showList(visit, { faults }),
        act: (visit, { id }) =>
          Effect.andThen(tokens.revoke(visit.actor, id), showList(visit, { notice: text("admin.token_revoked") }))
      })
    )
  })
)
