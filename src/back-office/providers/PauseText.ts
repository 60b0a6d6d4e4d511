import { type Content, type Phrase, text } from "../../pages/Html.ts"
import type { SalesPauseView } from "../../staff/providers/SalesPauseView.ts"
import { methodText } from "../desk/StateText.ts"

type Scope = Pick<typeof SalesPauseView.Type, "scope" | "scope_id">

const kinds: Readonly<Record<string, Phrase>> = {
  datacenter: text("proxy.datacenter"),
  residential: text("proxy.residential"),
  mobile: text("proxy.mobile")
}

/** The kind of an offer in words. Other names stay as they are. */
export const kindText = (kind: string): Content => kinds[kind] ?? kind

/** The scope of a pause in words. */
export const pauseText = ({ scope, scope_id }: Scope): Phrase => {
  const name = scope_id ?? ""
  switch (scope) {
    case "all":
      return text("pause.all")
    case "provider":
      return text("pause.provider", { name })
    case "kind":
      return text("pause.kind", { name: kindText(name) })
    case "article":
      return text("pause.article", { name })
    case "offer":
      return text("pause.offer", { name })
    case "method":
      return text("pause.method", { name: methodText(name) })
  }
}
