import { Schema } from "effect"
import { OfferId, ProxyKind } from "../../catalog/Offer.ts"
import * as Money from "../../platform/Money.ts"
import type { PriceCascade } from "../../shop/PriceCascade.ts"
import { Rule } from "../../shop/ShopFile.ts"
import type { ShownRule } from "../../shop/ShopOverview.ts"
import { ShownArticle } from "../../shop/ShownArticle.ts"

const Amounts = Schema.Struct({
  usd: Schema.NullOr(Schema.String),
  star: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "ShopAmounts",
  description: "Dollars and whole stars as decimal text; null when not sold for it"
})

const Period = Schema.Struct({
  days: Schema.Int,
  name: Schema.String,
  gb: Schema.NullOr(Schema.Finite),
  price: Amounts
})

const { country_code, ip_version, listed, max_connections, mode, name, open_at_most, pool, rate_mbps, running, state } =
  ShownArticle.fields

export const ArticleView = Schema.Struct({
  id: Schema.String,
  offer_id: Schema.NullOr(OfferId),
  name,
  kind: ProxyKind,
  country_code,
  mode,
  ip_version,
  pool,
  state,
  open_at_most,
  rate_mbps,
  max_connections,
  listed: listed.annotate({ description: "True while customers can order it" }),
  running: running.annotate({ description: "Its running orders" }),
  periods: Schema.Array(Period)
}).annotate({ identifier: "ShopArticle" })

/** A rule as the file has it. */
const FileRule = Schema.toEncoded(Rule).annotate({ identifier: "ShopPriceRule" })

export const RuleView = Schema.Struct({
  rule: FileRule,
  offers: Schema.Int.annotate({ description: "The offers of the catalog that it applies to" })
}).annotate({ identifier: "ShownPriceRule" })

const Part = Schema.Struct({
  part: Schema.String,
  value: Schema.String,
  rule: Schema.NullOr(FileRule).annotate({ description: "Null: the setting of the vendor" })
})

export const CascadeView = Schema.Struct({
  offer_id: OfferId,
  provider: Schema.String,
  external_id: Schema.String,
  name: Schema.String,
  listed: Schema.Boolean,
  parts: Schema.Array(Part).annotate({ description: "Of the whole offer: hidden, name, description" }),
  prices: Schema.Array(
    Schema.Struct({
      days: Schema.NullOr(Schema.Int).annotate({ description: "Null: the price of one more GB" }),
      name: Schema.NullOr(Schema.String),
      base: Amounts,
      price: Amounts,
      parts: Schema.Array(Part)
    })
  )
}).annotate({ identifier: "PriceCascade" })

export const encodeRule = Schema.encodeSync(Rule)

type Prices = ShownArticle["options"][number]["prices"]

const amounts = ({ STAR, USD }: Prices) => ({
  usd: USD === null ? null : Money.toDecimal("USD", USD),
  star: STAR === null ? null : Money.toDecimal("STAR", STAR)
})

export const articleView = ({ id, kind, offer_id, options, ...article }: ShownArticle): typeof ArticleView.Type => ({
  ...article,
  id,
  kind,
  offer_id,
  periods: options.map(({ bandwidth_gb, period_days, period_name, prices }) => ({
    days: period_days,
    name: period_name,
    gb: bandwidth_gb,
    price: amounts(prices)
  }))
})

export const ruleView = ({ offers, rule }: ShownRule): typeof RuleView.Type => ({ rule: encodeRule(rule), offers })

const partView = ({ part, rule, terms }: PriceCascade["parts"][number]) => ({
  part,
  value: String(encodeRule(terms)[part] ?? ""),
  rule: rule === null ? null : encodeRule(rule)
})

export const cascadeView = ({ offer, parts, prices }: PriceCascade): typeof CascadeView.Type => ({
  offer_id: offer.id,
  provider: offer.provider,
  external_id: offer.external_id,
  name: offer.name,
  listed: offer.listed,
  parts: parts.map(partView),
  prices: prices.map(({ base, parts, period, price }) => ({
    days: period?.period_days ?? null,
    name: period?.period_name ?? null,
    base: amounts(base),
    price: amounts(price),
    parts: parts.map(partView)
  }))
})
