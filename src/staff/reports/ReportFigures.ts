import * as Money from "../../platform/Money.ts"
import type { Cell, ColumnType, Group, Period, ReportName } from "./Report.ts"

/** The sums of a row, as whole numbers in text. */
export type Sums = Readonly<Record<string, string | null>>

interface Figure {
  readonly name: string
  readonly kind: ColumnType
  readonly of: (sums: Sums) => Cell
}

/** Where the sums of a report come from, the figures that follow from them, and how rows may be split. */
export interface Definition {
  readonly source: "money" | "recognised" | "unearned" | "liabilities" | "renewals" | "churn"
  readonly sums: ReadonlyArray<string>
  readonly figures: ReadonlyArray<Figure>
  readonly groups: ReadonlyArray<Group>
  /** The split of a report that is always split. */
  readonly defaultGroup?: Group
  readonly defaultPeriod: Period
  /** The sum by which rows are sorted, the largest first; absent: by period. */
  readonly largest?: string
}

const of = (sums: Sums, name: string): bigint => BigInt(sums[name] ?? 0)

const count = (name: string): Figure => ({ name, kind: "count", of: (sums) => Number(of(sums, name)) })

const usd = (name: string, value: (sums: Sums) => bigint): Figure => ({
  name,
  kind: "usd",
  of: (sums) => Money.toDecimal("USD", value(sums))
})

/** An amount in the currency of the row. */
const amount = (name: string, value: (sums: Sums) => bigint): Figure => ({
  name,
  kind: "amount",
  of: (sums) => Money.toDecimal(sums["currency"] === "STAR" ? "STAR" : "USD", value(sums))
})

/** A share with four decimals, rounded to the nearest; null of nothing. */
const rate = (name: string, part: (sums: Sums) => bigint, whole: (sums: Sums) => bigint): Figure => ({
  name,
  kind: "rate",
  of: (sums) => {
    const [given, all] = [part(sums), whole(sums)]
    if (all <= 0n) return null
    const [sign, size] = given < 0n ? [-1, -given] : [1, given]
    return (sign * Number((size * 20_000n + all) / (2n * all))) / 10_000
  }
})

const net = (sums: Sums) => of(sums, "gross") - of(sums, "reversed") - of(sums, "returned")
const kept = (sums: Sums) => of(sums, "gross") - of(sums, "reversed")
const margin = (sums: Sums) => of(sums, "costed_sales") - of(sums, "cost")

const costs: ReadonlyArray<Figure> = [
  count("deliveries"),
  count("costed"),
  rate(
    "coverage",
    (sums) => of(sums, "costed"),
    (sums) => of(sums, "deliveries")
  ),
  usd("costed_sales_usd", (sums) => of(sums, "costed_sales")),
  usd("cost_usd", (sums) => of(sums, "cost")),
  usd("margin_usd", margin),
  rate("margin_rate", margin, (sums) => of(sums, "costed_sales"))
]
const costSums = ["deliveries", "costed", "costed_sales", "cost"]

const sales: ReadonlyArray<Group> = ["provider", "kind", "country", "offer", "channel"]
const proxies: ReadonlyArray<Group> = ["provider", "kind"]

/** The reports. docs/reports.md says what each figure means. */
export const definitions: Readonly<Record<ReportName, Definition>> = {
  revenue: {
    source: "money",
    sums: ["sold", "gross", "reversed", "returned"],
    figures: [
      count("sold"),
      usd("gross_usd", (sums) => of(sums, "gross")),
      usd("reversed_usd", (sums) => of(sums, "reversed")),
      usd("returned_usd", (sums) => of(sums, "returned")),
      usd("net_usd", net),
      rate("refund_rate", (sums) => of(sums, "returned"), kept)
    ],
    groups: [...sales, "flow"],
    defaultPeriod: "month"
  },
  refunds: {
    source: "money",
    sums: ["refunds", "reversed", "returned", "goodwill"],
    figures: [
      count("refunds"),
      usd("reversed_usd", (sums) => of(sums, "reversed")),
      usd("returned_usd", (sums) => of(sums, "returned")),
      usd("goodwill_usd", (sums) => of(sums, "goodwill"))
    ],
    groups: [...sales, "flow"],
    defaultPeriod: "month"
  },
  margin: { source: "money", sums: costSums, figures: costs, groups: sales, defaultPeriod: "month" },
  sales: {
    source: "money",
    sums: ["sold", "gross", "reversed", "returned", ...costSums],
    figures: [count("sold"), usd("net_usd", net), ...costs],
    groups: sales,
    defaultGroup: "offer",
    defaultPeriod: "total",
    largest: "gross"
  },
  recognised: {
    source: "recognised",
    sums: ["before", "net", "after"],
    figures: [
      usd("unearned_before_usd", (sums) => of(sums, "before")),
      usd("net_sales_usd", (sums) => of(sums, "net")),
      usd("unearned_after_usd", (sums) => of(sums, "after")),
      usd("recognised_usd", (sums) => of(sums, "before") + of(sums, "net") - of(sums, "after"))
    ],
    groups: proxies,
    defaultPeriod: "month"
  },
  unearned: {
    source: "unearned",
    sums: ["unearned"],
    figures: [usd("unearned_usd", (sums) => of(sums, "unearned"))],
    groups: proxies,
    defaultPeriod: "month"
  },
  liabilities: {
    source: "liabilities",
    sums: ["paid", "granted"],
    figures: [
      amount("balance", (sums) => of(sums, "paid") + of(sums, "granted")),
      amount("paid", (sums) => of(sums, "paid")),
      amount("granted", (sums) => of(sums, "granted"))
    ],
    groups: ["currency"],
    defaultGroup: "currency",
    defaultPeriod: "month"
  },
  renewals: {
    source: "renewals",
    sums: ["due", "renewed", "auto_renewed", "ended_early"],
    figures: [
      count("due"),
      count("renewed"),
      count("auto_renewed"),
      count("ended_early"),
      rate(
        "renewal_rate",
        (sums) => of(sums, "renewed"),
        (sums) => of(sums, "due")
      )
    ],
    groups: proxies,
    defaultPeriod: "month"
  },
  churn: {
    source: "churn",
    sums: ["live", "live_before", "stayed"],
    figures: [
      count("live"),
      count("live_before"),
      count("stayed"),
      rate(
        "churn_rate",
        (sums) => of(sums, "live_before") - of(sums, "stayed"),
        (sums) => of(sums, "live_before")
      )
    ],
    groups: [],
    defaultPeriod: "month"
  },
  payments: {
    source: "money",
    sums: ["paid", "paid_amount", "failed", "expired", "left_amount"],
    figures: [
      { name: "currency", kind: "text", of: ({ currency }) => currency ?? null },
      count("paid"),
      amount("paid_amount", (sums) => of(sums, "paid_amount")),
      count("failed"),
      count("expired"),
      rate(
        "failure_rate",
        (sums) => of(sums, "failed"),
        (sums) => of(sums, "failed") + of(sums, "paid")
      ),
      amount("left_amount", (sums) => of(sums, "left_amount"))
    ],
    groups: ["method"],
    defaultGroup: "method",
    defaultPeriod: "month"
  }
}
