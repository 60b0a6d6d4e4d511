import { Data, Schema } from "effect"
import { text } from "../../pages/Html.ts"
import { OutboundUrl } from "../../platform/outbound/OutboundUrl.ts"

/** A URL as people paste it, with spaces around it. */
export const Url = Schema.Trim.pipe(Schema.decodeTo(OutboundUrl))

interface Refusal {
  readonly status: 422
  readonly detail: string
  readonly field: "url"
}

/** The service cannot send to the URL. A page says so at the field. */
class WebhookUrlRefused extends Data.TaggedError("WebhookUrlRefused")<Refusal> {}

/** The service cannot send to the URL, because it is not `https`. */
class WebhookUrlInsecure extends Data.TaggedError("WebhookUrlInsecure")<Refusal> {}

const refusal: Refusal = { status: 422, detail: "The service cannot send to this address", field: "url" }

/** Tells the refusal of a URL at its field, in the language of the page. */
export const refusedUrl = (url: string) =>
  /^http:/i.test(url) ? new WebhookUrlInsecure(refusal) : new WebhookUrlRefused(refusal)

export const messages = {
  url: text("webhooks.url_wrong"),
  enabled: text("webhooks.enabled_wrong"),
  overlap_seconds: text("webhooks.overlap_wrong"),
  nonce: text("form.not_confirmed")
} as const
