import { Effect } from "effect"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"

const facts = DatabaseFacts.use(({ read }) => read)

const owner: Check = {
  id: "staff.owner",
  severity: "warning",
  run: Effect.gen(function* () {
    if ((yield* RealMoney.gateways).length === 0 || (yield* facts).owners > 0) return undefined
    return failed(
      "Real money is on, and the back office has no owner, so nobody can sign in there and help a customer; run staff add --email you@example.com --role owner"
    )
  })
}

const totp: Check = {
  id: "staff.totp",
  severity: "warning",
  run: Effect.map(facts, ({ staff_without_totp: emails }) =>
    emails.length === 0
      ? undefined
      : failed(
          `Whoever has their password can set up the second factor of ${emails.join(", ")}; they should sign in to the back office once, or be disabled`
        )
  )
}

export const checks: ReadonlyArray<Check> = [owner, totp]
