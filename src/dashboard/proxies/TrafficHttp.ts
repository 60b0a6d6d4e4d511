import { Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpRouter } from "effect/http"
import { BandwidthRequest } from "../../orders/changes/ProxyChangeRequest.ts"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import type { Faults } from "../../pages/Field.ts"
import { gigabytes } from "../../pages/Format.ts"
import { Decimal } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ReviewChange from "./ReviewChange.ts"
import * as ShowProxy from "./ShowProxy.ts"

const Gigabytes = Schema.Trim.check(Schema.isPattern(/^\d{1,4}$/)).pipe(
  Schema.decodeTo(BandwidthRequest.fields.bandwidth_gb, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)
const Purchase = Schema.Struct({
  bandwidth_gb: Gigabytes,
  expected_bandwidth_total_gb: Decimal,
  ...ReviewChange.confirmed
})

const wrong = text("proxies.traffic_wrong")

const decodeAmount = Schema.decodeUnknownOption(Gigabytes)

/** The price of more traffic, and its purchase. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const changes = yield* ProxyChanges
    const pages = yield* Pages
    const reviewed = yield* ReviewChange.make
    const { orderOf, show } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id/traffic` as const

    interface Sent {
      readonly amount: string | undefined
      readonly nonce?: string | undefined
      readonly faults?: Faults
    }

    const review = Effect.fnUntraced(function* (visit: Visit, { amount = "", faults, nonce }: Sent) {
      const order = yield* orderOf(visit)
      const bandwidth_gb = Option.getOrUndefined(decodeAmount(amount))
      if (bandwidth_gb === undefined) {
        const typed = { field: (name: string) => (name === "bandwidth_gb" ? amount : undefined) }
        return yield* answer(422, yield* show(visit, { faults: { bandwidth_gb: wrong }, typed }))
      }
      const agreed = yield* changes.quoteTraffic(order, { bandwidth_gb })
      return yield* reviewed(visit, {
        order,
        agreed,
        nonce,
        page: "traffic",
        title: text("proxies.traffic_review_title"),
        what: text("proxies.more_traffic", { amount: gigabytes(bandwidth_gb) }),
        field: ["bandwidth_gb", String(bandwidth_gb)],
        ...(faults !== undefined && { faults })
      })
    })

    const buy = Effect.fnUntraced(function* (visit: Visit, { nonce, ...wanted }: typeof Purchase.Type) {
      const order = yield* orderOf(visit)
      return yield* changes.addTraffic(callerOf(visit), order, wanted, nonce).pipe(
        Effect.as(ShowProxy.done(visit, order.id, "traffic")),
        // The change goes on without this request.
        Effect.catchTag("RequestStillRunning", () => Effect.succeed(ShowProxy.done(visit, order.id, "under-way")))
      )
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => review(visit, { amount: visit.query.get("bandwidth_gb") ?? undefined }))
    )
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: Purchase,
        messages: {
          bandwidth_gb: wrong,
          expected_bandwidth_total_gb: text("form.not_confirmed"),
          ...ReviewChange.messages
        },
        again: (visit, faults, { field }) =>
          review(visit, { amount: field("bandwidth_gb"), nonce: field("nonce"), faults }),
        act: buy,
        told: ReviewChange.told
      })
    )
  })
)
