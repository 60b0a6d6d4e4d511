import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"
import { Currency } from "../platform/Money.ts"

const decimal = (description: string, example: string) =>
  Schema.String.annotate({ description: `${description}, as a decimal string`, examples: [example] })

export class InsufficientBalance extends ApiError<InsufficientBalance>()(
  "InsufficientBalance",
  { status: 409, detail: "The wallet has too little money; try again after a deposit" },
  {
    reason: Schema.tag("insufficient_balance"),
    required: decimal("What the operation costs", "12.50"),
    balance: decimal("What the wallet holds", "3.00"),
    currency: Currency
  }
) {}

export class PurchasesStopped extends ApiError<PurchasesStopped>()(
  "PurchasesStopped",
  {
    status: 403,
    detail: "A payment of the account was refunded or disputed, so it buys nothing until the operator allows it again"
  },
  { reason: Schema.tag("purchases_stopped") }
) {}

export class DailySpendLimitReached extends ApiError<DailySpendLimitReached>()(
  "DailySpendLimitReached",
  { status: 403, detail: "The API key would spend more than its daily limit; the day ends at midnight UTC" },
  {
    reason: Schema.tag("daily_spend_limit_reached"),
    limit: decimal("daily_spend_limit_usd of the key", "50.00"),
    spent: decimal("What the key has spent since midnight UTC, in USD", "45.00")
  }
) {}

export class EmailNotVerified extends ApiError<EmailNotVerified>()(
  "EmailNotVerified",
  {
    status: 403,
    detail:
      "Verify your email first: use the token in our mail, or ask for another (POST /v1/auth/email/verify/resend). An agent's account must be claimed first"
  },
  { reason: Schema.tag("email_not_verified") }
) {}

export class TransactionNotFound extends ApiError<TransactionNotFound>()("TransactionNotFound", {
  status: 404,
  detail: "No such transaction"
}) {}

export class TransactionOfAnotherUser extends ApiError<TransactionOfAnotherUser>()("TransactionOfAnotherUser", {
  status: 403,
  detail: "The transaction belongs to another user"
}) {}
