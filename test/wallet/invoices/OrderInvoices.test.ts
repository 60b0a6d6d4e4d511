import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import * as OrderPaymentsTesting from "../../orders/checkout/OrderPaymentsTesting.ts"

const { waiting } = OrderPaymentsTesting

/** The lines of each invoice, oldest first. */
const linesOf = ({ caller }: Effect.Success<ReturnType<typeof waiting>>) =>
  Invoices.use((invoices) =>
    Effect.map(invoices.list(caller.user_id, { limit: 10, offset: 0 }), (listed) =>
      listed.invoices
        .toReversed()
        .map(({ lines }) =>
          lines.map(
            ({ amount, description, quantity, unit_price }) => `${quantity} x ${unit_price} = ${amount} ${description}`
          )
        )
    )
  )

const proxies = "1500000 = 3000000 Datacenter, United States, 1 month"

layer(Invoices.layer.pipe(Layer.provideMerge(OrderPaymentsTesting.layer)))("The lines of an invoice", (it) => {
  it.effect("are the orders that the payment paid", () =>
    Effect.gen(function* () {
      const order = yield* waiting({ quantity: 2 })
      yield* order.pay()
      assert.deepStrictEqual(yield* linesOf(order), [[`2 x ${proxies}`]])
    })
  )

  it.effect("name what stayed in the wallet, and the orders only in the payment that paid them", () =>
    Effect.gen(function* () {
      const order = yield* waiting({ quantity: 2 })
      yield* order.pay({ amount: 5_000_000n })
      yield* order.pay({ charge_id: "twice" })
      assert.deepStrictEqual(yield* linesOf(order), [
        [`2 x ${proxies}`, "1 x 2000000 = 2000000 Wallet top-up"],
        ["1 x 3000000 = 3000000 Wallet top-up"]
      ])
    })
  )

  it.effect("are a top-up when the payment came too late for its orders or was too small", () =>
    Effect.gen(function* () {
      const order = yield* waiting({ quantity: 2 })
      yield* order.pay({ amount: 2_000_000n })
      assert.deepStrictEqual(yield* linesOf(order), [["1 x 2000000 = 2000000 Wallet top-up"]])
    })
  )
})
