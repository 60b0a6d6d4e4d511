import type { Plant } from "./ReconcilePlants.ts"

/** Forged automatic top-ups, each with the lines that `reconcile` prints. */
export const autoTopUpPlants: ReadonlyArray<Plant> = [
  [
    "an automatic top-up that charged its card twice",
    ({ intent }) => [
      `UPDATE payment_intent SET card_id = gen_random_uuid(), payment_url = NULL WHERE id = '${intent}'`,
      `INSERT INTO payment_charge (payment_method, charge_id, payment_intent_id, user_id, currency, amount, transaction_id,
         created_at)
       SELECT payment_method, 'again_' || payment_intent_id, payment_intent_id, user_id, currency, amount,
         gen_random_uuid(), created_at
       FROM payment_charge WHERE payment_intent_id = '${intent}'`
    ],
    ({ intent }) => [
      `payments\tdiffers\tcharge again_${intent} of card_gateway\tbrought 25000000 USD, and entry \\S+ is missing`,
      `payments\tdiffers\tpayment ${intent}\tis an automatic top-up that charged its card 2 times: again_${intent}, charge_${intent}`,
      `payments\tdiffers\tpayment ${intent} \\(card_gateway memory_${intent}\\)\tcharge again_${intent} was credited with 25000000 USD; the gateway does not confirm it`
    ]
  ],
  [
    "a wallet with a threshold that its account did not choose",
    ({ wallet }) => [`UPDATE wallet SET top_up_below = 5 WHERE id = '${wallet}'`],
    ({ wallet }) => [`payments\tdiffers\twallet ${wallet}\tis topped up below 5, and its account chose nothing`]
  ]
]
