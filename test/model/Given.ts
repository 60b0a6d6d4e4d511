import type { Order } from "./Account.ts"
import type { Model } from "./Model.ts"

const month = 30 * 24 * 3_600_000

/** Staff replaces a proxy: the refusal, or undefined when it was replaced. Nothing else changes. */
export const replace = (model: Model, order: Order) => {
  if (!model.isLive(order)) return "ProxyNotLive"
  return model.isSuspended ? "OwnerStopped" : undefined
}

/** Staff gives a month: at most one in 30 days. */
export const give = (model: Model, order: Order) => {
  const refusal = replace(model, order)
  if (refusal !== undefined) return refusal
  if (order.offer === "mobile") return "CannotExtend"
  if (order.given.some((at) => at > model.now - month)) return "TooMuchGiven"
  order.given = [...order.given, model.now]
  model.lengthen(order, 1)
  return undefined
}
