import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import type { Order } from "./Account.ts"
import type { Command } from "./Command.ts"
import { type Customer, price } from "./Customer.ts"

/** A command about one order. */
const manage = Effect.fnUntraced(function* (
  { agree, extend, model, post, refund, work }: Customer,
  command: Extract<Command, { readonly order: number }>,
  order: Order
) {
  const at = (operation: string, body?: unknown) => post(`/orders/${order.id}/${operation}`, body)
  switch (command.do) {
    case "extend":
      return yield* extend(command, order)
    case "cancel":
      return agree(model.cancel(order), yield* at("cancel"))
    case "auto-renew":
      return agree(model.autoRenew(order, command.enabled), yield* at("auto-renew", { enabled: command.enabled }))
    case "tag": {
      const { tags } = command
      const answer = yield* at("tags", { tags })
      agree(model.tag(order), answer)
      return answer.status === 200 ? assert.deepStrictEqual(answer.body.tags, tags) : undefined
    }
    case "refund":
      return yield* refund(order, command.cents)
    case "replace":
    case "give":
      return yield* work(order, command.do)
    case "release":
      return agree(model.release(order), yield* at("release"))
  }
})

/** True when the subject of a command exists. */
export const isPossible = ({ keyedRequests, model }: Customer, command: Command) => {
  if ("order" in command) return command.order < model.orders.length
  if ("payment" in command) return command.payment < model.payments.length
  if (command.do === "save card") return model.topUps.card === "none"
  if (command.do === "remove card") return model.topUps.card === "kept"
  return command.do !== "repeat" || command.request < keyedRequests.length
}

const step = Effect.fnUntraced(function* (customer: Customer, command: Command) {
  const { model } = customer
  if ("order" in command)
    return yield* manage(customer, command, yield* Effect.fromNullishOr(model.orders.at(-1 - command.order)))
  if ("payment" in command) {
    const payment = yield* Effect.fromNullishOr(model.payments.at(-1 - command.payment))
    if (command.do === "pay") return yield* customer.pay(payment, command.how)
    if (command.do === "reverse") return yield* customer.reverse(payment, command)
    model.end(payment)
    return yield* customer.call((yield* MemoryPaymentGateways).decline(payment.id))
  }
  if (command.do === "deposit") return yield* customer.deposit(command)
  if (command.do === "credit") return yield* customer.credit(command.cents)
  if (command.do === "withdraw") return yield* customer.withdraw(command.cents)
  if (command.do === "decide") return yield* customer.decide(command.decision)
  if (command.do === "save card") return yield* customer.card.save
  if (command.do === "remove card") return yield* customer.card.remove
  if (command.do === "top up") return yield* customer.card.set(command)
  if (command.do === "bank") return yield* customer.card.bank(command.answers)
  if (command.do === "lift") return yield* customer.lift
  if (command.do === "restrict") return yield* customer.restrict(command.preset)
  if (command.do === "free") return yield* customer.free
  if (command.do === "ban") return yield* customer.ban(command.hours)
  if (command.do === "quote") return yield* customer.quote(command.offer)
  if (command.do === "price") {
    model.prices.percent = command.percent
    return yield* price(command.percent)
  }
  if (command.do === "wait") return yield* customer.wait(command.hours)
  if (command.do === "repeat") return yield* customer.repeat(command.request)
  return yield* customer.order(command)
})

/** Performs a command; afterwards the API shows the state of the model. */
export const perform = Effect.fnUntraced(function* (customer: Customer, command: Command) {
  yield* step(customer, command)
  assert.deepStrictEqual(yield* customer.shown, customer.expected())
})
