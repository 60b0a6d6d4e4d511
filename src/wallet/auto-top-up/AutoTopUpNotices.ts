import type { DateTime } from "effect"
import { type LocalText, minute, money, say } from "../../brand/LocalText.ts"
import type { UserId } from "../../accounts/User.ts"
import type { Notice } from "../../notifications/Notifications.ts"
import type { SavedCard } from "../SavedCard.ts"
import type { StoppedBy } from "./AutoTopUp.ts"
import { cardName } from "./CardName.ts"

type Card = Pick<SavedCard, "brand" | "last_digits"> | undefined

const named = (card: Card): LocalText =>
  card === undefined ? say("notice.auto_top_up_card") : say("notice.auto_top_up_this_card", { card: cardName(card) })

const notice = (user_id: UserId, kind: Notice["kind"], message: LocalText): Notice => ({
  user_id,
  order_id: null,
  kind,
  message
})

/** `amount` was charged to the card. */
export const made = (user_id: UserId, amount: bigint, card: Card): Notice =>
  notice(
    user_id,
    "auto_top_up_made",
    say("notice.auto_top_up_made", { price: money("USD", amount), card: named(card) })
  )

/** The bank declined the card. The service tries again at `again`. */
export const failed = (user_id: UserId, amount: bigint, card: Card, again: DateTime.Utc, page: string): Notice =>
  notice(
    user_id,
    "auto_top_up_failed",
    say("notice.auto_top_up_failed", { price: money("USD", amount), card: named(card), time: minute(again), page })
  )

const why = {
  authentication_required: (card: LocalText) => say("notice.auto_top_up_authentication", { card }),
  card_expired: (card: LocalText) => say("notice.auto_top_up_expired", { card }),
  card_refused: (card: LocalText) => say("notice.auto_top_up_refused", { card }),
  declined: (card: LocalText) => say("notice.auto_top_up_declined", { card })
} satisfies Record<Exclude<StoppedBy, "reversed">, (card: LocalText) => LocalText>

/** The service switched automatic top-up off. */
export const stopped = (user_id: UserId, by: StoppedBy, card: Card, page: string): Notice =>
  notice(
    user_id,
    "auto_top_up_stopped",
    by === "reversed"
      ? say("notice.auto_top_up_reversed", { page })
      : say("notice.auto_top_up_stopped", { why: why[by](named(card)), page })
  )

/** The payments of the month have reached their limit. */
export const limited = (user_id: UserId, limit: bigint, page: string): Notice =>
  notice(user_id, "auto_top_up_limit", say("notice.auto_top_up_limit", { limit: money("USD", limit), page }))
