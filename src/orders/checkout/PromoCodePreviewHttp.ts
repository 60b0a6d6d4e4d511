import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { withPeriod } from "./OrderRequest.ts"
import * as PreviewPromoCode from "./PreviewPromoCode.ts"
import { promoCodePreviewView } from "./PromoCodePreviewView.ts"

/** Moves the faults of an order from its body to the query, whose fields have the same names. */
const inQuery = ({ detail }: RequestInvalid) =>
  new RequestInvalid({ detail: detail.map((fault) => ({ ...fault, loc: ["query", ...fault.loc.slice(1)] })) })

export const layer = HttpApiBuilder.group(
  Api,
  "promo-codes",
  Effect.fnUntraced(function* (handlers) {
    const preview = yield* PreviewPromoCode.make

    return handlers.handleAll({
      preview: Effect.fnUntraced(
        function* ({ query }) {
          const { user_id } = yield* Caller
          return promoCodePreviewView(yield* preview(user_id, withPeriod(query)))
        },
        Effect.catchTag("RequestInvalid", (error) => Effect.fail(inQuery(error)))
      )
    })
  })
)
