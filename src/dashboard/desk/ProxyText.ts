import type { ProxyKind } from "../../catalog/Offer.ts"
import { country } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"

/** The kinds of proxies, in words. */
export const kindText = {
  datacenter: text("proxy.datacenter"),
  residential: text("proxy.residential"),
  mobile: text("proxy.mobile")
} satisfies Record<typeof ProxyKind.Type, Content>

interface Named {
  readonly notes: string | null
  readonly proxy_type: typeof ProxyKind.Type
  readonly country: string
}

/** The name of a proxy: what its owner noted, else its kind and its country. */
export const proxyName = ({ country: code, notes, proxy_type }: Named): Html =>
  notes === null ? html`${kindText[proxy_type]}, ${country(code)}` : html`<bdi>${notes}</bdi>`
