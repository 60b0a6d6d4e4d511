import type { IpVersion, ProxyKind } from "../../catalog/Offer.ts"
import { country } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"

/** The kinds of proxies, in words. */
export const kindText = {
  datacenter: text("proxy.datacenter"),
  residential: text("proxy.residential"),
  mobile: text("proxy.mobile")
} satisfies Record<typeof ProxyKind.Type, Content>

interface OfKind {
  readonly proxy_type: typeof ProxyKind.Type
  readonly ip_version: typeof IpVersion.Type
}

/** The kind of a proxy with its IP version, in words. */
export const kindName = ({ ip_version, proxy_type }: OfKind): Html => html`${kindText[proxy_type]} ${ip_version}`

export interface Named extends OfKind {
  readonly notes: string | null
  readonly country: string
}

/** The name of a proxy without markup, for titles and labels: what its owner noted, else its kind and its country. */
export const plainName = ({ country: code, notes, ...kind }: Named): Phrase | string =>
  notes ?? text("proxy.unnamed", { kind: kindName(kind), country: country(code) })

/** The name of a proxy. Notes keep their own direction of writing. */
export const proxyName = (proxy: Named): Html =>
  proxy.notes === null ? html`${plainName(proxy)}` : html`<bdi>${proxy.notes}</bdi>`

/** The address of a proxy behind its name. It tells apart proxies that were bought together and share their notes. */
export const addressBehind = ({
  host,
  port
}: {
  readonly host: string | null
  readonly port: number | null
}): Content => host !== null && html` <code>${host}:${port ?? ""}</code>`
