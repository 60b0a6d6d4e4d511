import { assert, describe, it } from "@effect/vitest"
import { builtIn } from "../../../src/brand/Brand.ts"
import type { PaymentIntent } from "../../../src/wallet/PaymentIntent.ts"
import { titleOf } from "../../../src/wallet/gateways/PaymentTitle.ts"

const titled = (name: string, purpose: PaymentIntent["purpose"]) =>
  titleOf({ ...builtIn, name }, { purpose } as PaymentIntent)

describe("The title of a payment", () => {
  it("begins with the name of the brand, and has at most 32 characters", () => {
    assert.strictEqual(titled("Acme Proxies", "order"), "Acme Proxies: order")
    assert.strictEqual(titled("A".repeat(23), "deposit"), `${"A".repeat(23)}: deposit`)
    assert.strictEqual(titled("The Proxies of the Acme Networks", "deposit"), "The Proxies of the Acm…: deposit")
    assert.lengthOf(titled("A".repeat(40), "deposit"), 32)
  })
})
