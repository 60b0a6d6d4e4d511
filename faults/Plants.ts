import { paperPlants } from "./PaperPlants.ts"
import { paymentPlants } from "./PaymentPlants.ts"
import type { Plant } from "./Plant.ts"
import { shopPlants } from "./ShopPlants.ts"

const passing = "nothing is in a passing state"
const charged = "an order is charged once"
const leases = "the vendor's leases are the provisioned orders"

const vendor = { vendorShare: 90, orders: 60 }
/** A refund in its own transaction. */
const refunding = { points: /COMMIT \(UPDATE wallet, INSERT wallet_transaction\)/, share: 0.3 }

export const plants: ReadonlyArray<Plant> = [
  {
    name: "key-unclaimed",
    what: "an idempotency key is not claimed",
    breaks: "the orders are those of the distinct idempotency keys",
    extent: { vendorShare: 0 },
    edits: [
      {
        file: "src/idempotency/Idempotency.ts",
        find: "if (key === undefined) return undefined",
        replace: `if (key !== "") return undefined`
      }
    ]
  },
  {
    name: "answer-rewritten",
    what: "a repeated request gets another answer instead of the first one",
    breaks: "every request is answered, and always in the same words",
    extent: { vendorShare: 30 },
    edits: [
      {
        file: "src/idempotency/Idempotency.ts",
        find: `return { _tag: "Answered", answer: claim.answer } satisfies Earlier`,
        replace: `return { _tag: "Unfinished", request: { ...request, reference: claim.reference } } satisfies Earlier`
      },
      {
        file: "src/idempotency/IdempotencyRepo.ts",
        find: "SET answer = coalesce(claim.answer, given.answer)",
        replace: "SET answer = given.answer"
      }
    ]
  },
  {
    name: "charge-apart",
    what: "an order is charged in a separate transaction, after it was placed",
    breaks: charged,
    extent: { vendorShare: 0, aim: { points: /COMMIT .*INSERT proxy_order/, share: 0.2 } },
    edits: [
      {
        file: "src/orders/checkout/BuyOrders.ts",
        find: "const repricedAtMost = 3",
        replace: "export const late = new Map()\nconst repricedAtMost = 3"
      },
      {
        file: "src/orders/checkout/BuyOrders.ts",
        find: `  request.payment_method === "wallet" && request.promo_code`,
        replace: `  false && request.promo_code`
      },
      {
        file: "src/orders/checkout/BuyOrders.ts",
        find: "yield* wallets.charge(chargeOf(agreed, prices))",
        replace: "late.set(agreed.ids[0], wallets.charge(chargeOf(agreed, prices)))"
      },
      {
        file: "src/orders/checkout/OrderPlacement.ts",
        find: "yield* finish(bought.orders, keyed)",
        replace: "yield* Effect.andThen(BuyOrders.late.get(ids[0]) ?? Effect.void, finish(bought.orders, keyed))"
      }
    ]
  },
  {
    name: "order-uncharged",
    what: "an order is placed although its wallet has too little money",
    breaks: charged,
    extent: { vendorShare: 0, orders: 60 },
    edits: [
      {
        file: "src/orders/OrdersRepo.ts",
        find: "inserting(orders, sql`user_id IN (SELECT user_id FROM charged)`)",
        replace: "inserting(orders, sql`user_id NOT IN (SELECT user_id FROM earlier)`)"
      }
    ]
  },
  {
    name: "claim-ignored",
    what: "a purchase alone does not lock its wallet before its statement, and happens even without the claim of its key",
    breaks: "the orders are those of the distinct idempotency keys",
    extent: { vendorShare: 0, orders: 800 },
    edits: [
      // A purchase that shares a statement meets a request with its key for a moment only.
      {
        file: "src/orders/checkout/BuyTogether.ts",
        find: "const ordersTogether = 10",
        replace: "const ordersTogether = 0"
      },
      {
        file: "src/orders/checkout/BuyTogether.ts",
        find: `atomically(Effect.andThen(wallets.lock(purchase.charge.user_id), buy([purchase], "wait")))`,
        replace: `buy([purchase], "wait")`
      },
      {
        file: "src/orders/OrdersRepo.ts",
        find: "WHERE k.user_id IS NULL OR c.user_id IS NOT NULL",
        replace: ""
      }
    ]
  },
  {
    name: "outcomes-mixed",
    what: "purchases that share a statement get each other's outcome",
    breaks: "every request is answered",
    extent: { vendorShare: 0, orders: 400 },
    edits: [
      {
        file: "src/orders/checkout/BuyTogether.ts",
        find: "return ({ charge }: PlainPurchase) => outcomes.get(charge.user_id)",
        replace: "return (_: PlainPurchase) => [...outcomes.values()].at(-1)"
      }
    ]
  },
  {
    name: "bought-again",
    what: "a purchase with an unknown outcome is made again instead of looked up",
    breaks: leases,
    extent: vendor,
    edits: [
      {
        file: "src/orders/provisioning/Provisioning.ts",
        find: "return yield* follow({ ...unasked, order, asked_at, obstacle })",
        replace: `const answer = asked_at === null ? unasked.answer : { _tag: "NotSent", reason: "planted" }
        return yield* follow({ order, asked_at, obstacle, answer })`
      },
      {
        file: "src/provider/vendors/VendorPurchases.ts",
        find: "const known = earlier && (yield* afterPurchase(lookUp(earlier)))",
        replace: "const known = earlier && isSold(earlier) ? earlier : undefined"
      },
      {
        file: "src/provider/vendors/VendorPurchases.ts",
        find: "if (Duration.isLessThan(age, vendor.settlesAfter))",
        replace: "if (false)"
      }
    ]
  },
  {
    name: "recovery-off",
    what: "no recovery finishes the orders that a crash left paid",
    breaks: passing,
    extent: { ...vendor, aim: { points: /vendor order/, share: 0.1 } },
    edits: [
      {
        file: "src/orders/provisioning/ProvisioningRecovery.ts",
        find: "yield* Effect.forEach(orders, provisioning.resume, { concurrency, discard: true })",
        replace: "yield* Effect.succeed([orders, provisioning, concurrency])"
      }
    ]
  },
  {
    name: "orphans-kept",
    what: "proxies that appear for refunded orders are not released",
    breaks: leases,
    extent: { ...vendor, hasOutage: true, orders: 20 },
    edits: [
      {
        file: "src/orders/provisioning/OrphanRelease.ts",
        find: "yield* Effect.forEach(attempts, look, { concurrency: 8, discard: true })",
        replace: "yield* Effect.succeed([attempts, look])"
      }
    ]
  },
  {
    name: "refund-apart",
    what: "an order fails in one transaction and is refunded in another",
    breaks: passing,
    extent: { ...vendor, refused: 0.5, aim: refunding },
    edits: [
      {
        file: "src/orders/provisioning/SettleProvisioning.ts",
        find: `kind: "provisioning_failed", order_id: order.id, message }])
  }, atomically)`,
        replace: `kind: "provisioning_failed", order_id: order.id, message }])
  })`
      }
    ]
  },
  {
    name: "refunded-twice",
    what: "money is returned before the order has failed, and more than once",
    breaks: charged,
    extent: {
      ...vendor,
      refused: 0.5,
      aim: refunding
    },
    edits: [
      {
        file: "src/orders/provisioning/SettleProvisioning.ts",
        find: "    if (!(yield* repo.failed(order, outcome, reason, now))) return\n",
        replace: ""
      },
      {
        file: "src/orders/provisioning/SettleProvisioning.ts",
        find: "    yield* repo.refunded(order.id, now)\n",
        replace: `    if (!(yield* repo.failed(order, outcome, reason, now))) return
    yield* repo.refunded(order.id, now)
`
      },
      {
        file: "src/orders/provisioning/SettleProvisioning.ts",
        find: `kind: "provisioning_failed", order_id: order.id, message }])
  }, atomically)`,
        replace: `kind: "provisioning_failed", order_id: order.id, message }])
  })`
      },
      {
        file: "src/wallet/Wallets.ts",
        find: `      if (yield* ledger.isRefunded(payment.id)) return "already_refunded" as const\n`,
        replace: ""
      },
      {
        file: "migrations/0006_wallet.ts",
        find: "      CONSTRAINT wallet_transaction_once UNIQUE (transaction_type, reference),\n",
        replace: ""
      },
      {
        file: "migrations/0006_wallet.ts",
        find: "      CONSTRAINT wallet_transaction_refunds_once UNIQUE (refunded_transaction_id),\n",
        replace: ""
      },
      {
        file: "migrations/0063_money_by_hand.ts",
        find: "CREATE UNIQUE INDEX wallet_transaction_refunded_once",
        replace: "CREATE INDEX wallet_transaction_refunded_once"
      },
      {
        file: "migrations/0063_money_by_hand.ts",
        find: ` OR back > -paid.amount
        OR sandbox_back <> least(paid.sandbox_before - paid.sandbox_after, back)`,
        replace: ""
      }
    ]
  },
  {
    name: "closure-off",
    what: "no job ends the orders of deleted accounts",
    breaks: passing,
    extent: { vendorShare: 0, orders: 40, outages: 0 },
    edits: [
      {
        file: "src/orders/proxies/AccountClosure.ts",
        find: "yield* Effect.forEach(claimed, (closure) => close(closure, since), { discard: true })",
        replace: "yield* Effect.succeed([claimed, close, since])"
      }
    ]
  },
  {
    name: "change-repeated",
    what: "an extension with an unknown outcome is asked for again instead of looked up",
    breaks: "the vendor prolonged the paid extensions",
    extent: { vendorShare: 60, changeShare: 1, aim: { points: /vendor prolong/, share: 0.5 } },
    edits: [
      {
        file: "src/orders/changes/MakeProxyChange.ts",
        find: "asked_at: change.attempted_at,",
        replace: "asked_at: null,"
      },
      {
        file: "src/orders/changes/ProxyChangesRepo.ts",
        find: "AND status = 'pending' AND attempted_at IS NULL RETURNING id",
        replace: "AND status = 'pending' RETURNING id"
      }
    ]
  },
  {
    name: "event-unrecorded",
    what: "a change of a proxy's status is not always recorded with it",
    breaks: "a change of a proxy's status is recorded once",
    extent: { vendorShare: 50 },
    edits: [
      {
        file: "migrations/0017_webhooks.ts",
        find: "IS DISTINCT FROM NEW.proxy_status AND NEW.host IS NOT NULL)",
        replace: "IS DISTINCT FROM NEW.proxy_status AND NEW.host IS NOT NULL AND NEW.provider = 'gateway')"
      }
    ]
  },
  ...shopPlants,
  ...paymentPlants,
  ...paperPlants
]
