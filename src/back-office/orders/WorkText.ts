import { type Phrase, text } from "../../pages/Html.ts"
import type { OrderWorkView } from "../../staff/orders/OrderWork.ts"

export type WorkAction = OrderWorkView["action"]

/** The names of the actions on an order, what they do, and their paths below that of the order. */
export const workText = {
  retry: { name: text("work.retry"), about: text("work.retry_about"), path: "retry", look: "primary" },
  look_up: { name: text("work.look_up"), about: text("work.look_up_about"), path: "look-up", look: "primary" },
  replace: { name: text("work.replace"), about: text("work.replace_about"), path: "replace", look: "danger" },
  extend: { name: text("work.extend"), about: text("work.extend_about"), path: "extend", look: "primary" },
  release: { name: text("work.release"), about: text("work.release_about"), path: "release", look: "danger" }
} as const satisfies Record<
  WorkAction,
  { readonly name: Phrase; readonly about: Phrase; readonly path: string; readonly look: "primary" | "danger" }
>
