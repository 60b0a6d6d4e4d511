import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as StripeCheckout from "../../../src/wallet/gateways/StripeCheckout.ts"
import { eventOf, putPayment, webhookSecret } from "./StripeTesting.ts"
import { intentOf, make, outside, secret } from "./VendorServer.ts"
import { verify } from "./Verify.ts"

it.effect("a dispute tells its state, its reason and the end of its answer, if Stripe does", () =>
  Effect.gen(function* () {
    const server = yield* make
    const keys = { secret_key: secret("sk_test_of_the_tests"), webhook_secret: secret(webhookSecret) }
    const gateway = yield* StripeCheckout.make({ ...keys, api_url: server.url })
    const { id } = intentOf("card_gateway")
    putPayment(server, id)
    const of = (object: object) => {
      const dispute = { id: "du_1", payment_intent: id, amount: 700, currency: "usd", ...object }
      return Effect.map(verify(gateway, eventOf("charge.dispute.created", dispute, 0)), ([, event]) =>
        event?._tag === "Reversed" ? event.dispute : undefined
      )
    }
    const evidence_details = { due_by: 1_800_000_000, has_evidence: false, past_due: false, submission_count: 0 }
    assert.deepStrictEqual(yield* of({ status: "needs_response", reason: "fraudulent", evidence_details }), {
      state: "needs_answer",
      reason: "fraudulent",
      answer_by: DateTime.makeUnsafe(1_800_000_000_000)
    })
    const nothing = { reason: null, answer_by: null }
    for (const [status, state] of [
      ["warning_needs_response", "needs_answer"],
      ["warning_under_review", "under_review"],
      ["under_review", "under_review"],
      ["warning_closed", "closed"],
      ["prevented", "closed"],
      ["won", "won"],
      ["lost", "lost"]
    ] as const)
      assert.deepStrictEqual(yield* of({ status }), { state, ...nothing }, status)
    assert.deepInclude(yield* of({ status: "lost", evidence_details: { due_by: 0 } }), nothing)
  }).pipe(Effect.provide(outside))
)
