import { Schema } from "effect"
import type { Permission } from "../Permissions.ts"

interface Kind {
  /** Roles with this permission are notified of an item. */
  readonly permission: Permission
  /** True: a person says when it is settled. False: it ends with its cause. */
  readonly isByHand: boolean
}

/** The kinds of what waits for a person. docs/back-office.md explains them. */
export const todoKinds = {
  orphan: { permission: "order.work", isByHand: true },
  unknown_order: { permission: "order.work", isByHand: true },
  late_order: { permission: "order.work", isByHand: false },
  late_change: { permission: "order.work", isByHand: false },
  proxy_stop: { permission: "order.work", isByHand: false },
  proxy_release: { permission: "order.work", isByHand: false },
  unknown_refund: { permission: "refund.return", isByHand: false },
  callback: { permission: "payment.look_up", isByHand: true },
  credit_request: { permission: "adjustment.approve", isByHand: false },
  refund_request: { permission: "refund.approve", isByHand: false },
  payout: { permission: "payout.settle", isByHand: false },
  dispute: { permission: "dispute.settle", isByHand: true },
  webhook: { permission: "customer.help", isByHand: true },
  mail: { permission: "customer.help", isByHand: true },
  vendor_balance: { permission: "provider.pause", isByHand: false },
  pause_ended: { permission: "provider.pause", isByHand: true }
} as const satisfies Readonly<Record<string, Kind>>

const names = Object.keys(todoKinds) as [keyof typeof todoKinds, ...Array<keyof typeof todoKinds>]

export const TodoKind = Schema.Literals(names).annotate({ examples: ["orphan"] })
export type TodoKind = typeof TodoKind.Type

/** The id of the record that waits, or the name of the vendor. */
export const SubjectId = Schema.String.check(Schema.isPattern(/^[\w-]{1,200}$/)).annotate({
  examples: ["0198c0de-0000-7000-8000-000000000001"]
})

/** Something that waits for a person. */
export const TodoItem = Schema.Struct({
  kind: TodoKind,
  id: SubjectId,
  since: Schema.DateTimeUtcFromDate,
  user_id: Schema.NullOr(Schema.String),
  order_id: Schema.NullOr(Schema.String),
  detail: Schema.String
})
export type TodoItem = typeof TodoItem.Type

/** A kind with the number of its open items, at most 1,000. */
export interface TodoCount {
  readonly kind: TodoKind
  readonly count: number
}
