import { type LocalText, say } from "../../brand/LocalText.ts"
import type { TodoKind } from "./Todo.ts"

/** The name of a kind, and what a person does about it. */
export const todoText: Readonly<Record<TodoKind, readonly [title: LocalText, advice: LocalText]>> = {
  orphan: [say("todo.orphan"), say("todo.orphan_advice")],
  unknown_order: [say("todo.unknown_order"), say("todo.unknown_order_advice")],
  late_order: [say("todo.late_order"), say("todo.late_order_advice")],
  late_change: [say("todo.late_change"), say("todo.late_change_advice")],
  proxy_stop: [say("todo.proxy_stop"), say("todo.proxy_stop_advice")],
  proxy_release: [say("todo.proxy_release"), say("todo.proxy_release_advice")],
  unknown_refund: [say("todo.unknown_refund"), say("todo.unknown_refund_advice")],
  callback: [say("todo.callback"), say("todo.callback_advice")],
  credit_request: [say("todo.credit_request"), say("todo.credit_request_advice")],
  refund_request: [say("todo.refund_request"), say("todo.refund_request_advice")],
  payout: [say("todo.payout"), say("todo.payout_advice")],
  dispute: [say("todo.dispute"), say("todo.dispute_advice")],
  webhook: [say("todo.webhook"), say("todo.webhook_advice")],
  mail: [say("todo.mail"), say("todo.mail_advice")],
  vendor_balance: [say("todo.vendor_balance"), say("todo.vendor_balance_advice")],
  pause_ended: [say("todo.pause_ended"), say("todo.pause_ended_advice")]
}
