import { Option, Schema } from "effect"
import { mostMonths } from "../../orders/changes/ProxyChangeRequest.ts"
import { select } from "../../pages/Field.ts"
import { counted, type Html, text } from "../../pages/Html.ts"

const all = Array.from({ length: mostMonths }, (_, index) => index + 1)

/** The months of an extension, as a form sends them: `1` to `24`. */
export const Months = Schema.Literals(all.map(String))

const decode = Schema.decodeUnknownOption(Months)

/** The chosen months; one month when none is chosen. */
export const monthsOf = (given: string | null | undefined): string => Option.getOrElse(decode(given), () => "1")

export const monthsText = (months: string) => counted("period.months", Number(months))

/** The choice of the months of an extension. */
export const monthsSelect: Html = select({
  name: "months",
  label: text("proxies.extend_by"),
  value: "1",
  options: all.map((months) => [String(months), monthsText(String(months))] as const)
})
