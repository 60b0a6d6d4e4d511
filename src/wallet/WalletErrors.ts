import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"
import { Currency } from "../platform/Money.ts"

const decimal = (description: string, example: string) =>
  Schema.String.annotate({ description: `${description}, as a decimal string`, examples: [example] })

export class InsufficientBalance extends ApiError<InsufficientBalance>()(
  "InsufficientBalance",
  { status: 409, detail: "The wallet has too little money; make a deposit and try again" },
  {
    reason: Schema.tag("insufficient_balance"),
    required: decimal("The cost of the operation", "12.50"),
    balance: decimal("The balance of the wallet", "3.00"),
    currency: Currency
  }
) {}

export class PurchasesStopped extends ApiError<PurchasesStopped>()(
  "PurchasesStopped",
  {
    status: 403,
    detail:
      "A payment of the account was refunded or disputed, so the account cannot buy until the operator allows it again"
  },
  { reason: Schema.tag("purchases_stopped") }
) {}

export class DailySpendLimitReached extends ApiError<DailySpendLimitReached>()(
  "DailySpendLimitReached",
  {
    status: 403,
    detail: "This purchase exceeds the daily limit of the API key or the connected app; the day ends at midnight UTC"
  },
  {
    reason: Schema.tag("daily_spend_limit_reached"),
    limit: decimal("The daily_spend_limit_usd of the API key or the connected app", "50.00"),
    spent: decimal("The amount that the API key or the connected app has spent since midnight UTC, in USD", "45.00")
  }
) {}

export class EmailNotVerified extends ApiError<EmailNotVerified>()(
  "EmailNotVerified",
  {
    status: 403,
    detail:
      "Verify your email first. Use the token in our mail, or request another (POST /v1/auth/email/verify/resend). A person must claim an agent's account first"
  },
  { reason: Schema.tag("email_not_verified") }
) {}

export class TransactionNotFound extends ApiError<TransactionNotFound>()("TransactionNotFound", {
  status: 404,
  detail: "There is no such transaction"
}) {}

export class TransactionOfAnotherUser extends ApiError<TransactionOfAnotherUser>()("TransactionOfAnotherUser", {
  status: 403,
  detail: "The transaction belongs to another account"
}) {}
