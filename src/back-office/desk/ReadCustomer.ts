import { Effect } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Actor } from "../../staff/Actor.ts"
import type { ListName } from "../../staff/customers/CustomerRecord.ts"
import { CustomerRecords } from "../../staff/customers/CustomerRecords.ts"
import { Customers } from "../../staff/customers/Customers.ts"
import { StaffAdjustments } from "../../staff/money/StaffAdjustments.ts"
import { StaffRefunds } from "../../staff/money/StaffRefunds.ts"

/** The records of each list on the page of a customer. */
const newest = 5

/** Makes the function that reads the newest of everything that a customer has. */
export const make = Effect.gen(function* () {
  const adjustments = yield* StaffAdjustments
  const customers = yield* Customers
  const records = yield* CustomerRecords
  const refunds = yield* StaffRefunds

  return Effect.fnUntraced(function* (actor: Actor["Service"], id: UserId) {
    const list = <L extends ListName>(name: L) => records[name](actor, id, { limit: newest })
    return {
      ...(yield* customers.get(actor, id)),
      lists: {
        orders: yield* list("orders"),
        entries: yield* list("entries"),
        payments: yield* list("payments"),
        keys: yield* list("keys"),
        sessions: yield* list("sessions"),
        apps: yield* list("apps"),
        notices: yield* list("notices"),
        notes: yield* list("notes"),
        mails: yield* list("mails")
      },
      adjustments: yield* adjustments.list({ user_id: id }, newest),
      refunds: yield* refunds.list({ user_id: id }, newest)
    }
  })
})
