/** The page of automatic top-up. */
export const autoTopUp = {
  "autotopup.title": "Automatic top-up",
  "autotopup.about":
    "A saved card pays into your wallet when your balance is low, so that your proxies can be renewed.",
  "autotopup.settings_title": "Settings",
  "autotopup.enabled": "Automatic top-up",
  "autotopup.enabled_wrong": "Choose on or off",
  "autotopup.on": "On",
  "autotopup.on_about": "If your balance is below the threshold now, your card is charged at once.",
  "autotopup.off": "Off",
  "autotopup.threshold": "When the balance is below (dollars)",
  "autotopup.threshold_hint": "{{least}} to {{most}}",
  "autotopup.amount": "Amount of one payment (dollars)",
  "autotopup.amount_hint": "{{least}} to {{most}}, and at least the threshold",
  "autotopup.monthly_limit": "At most in a calendar month (dollars)",
  "autotopup.monthly_limit_hint":
    "{{least}} to {{most}}. We never charge more than this, and tell you when it is reached.",
  "autotopup.sum_wrong": "Enter an amount from {{least}} to {{most}} with at most two decimals, such as 25 or 12.50",
  "autotopup.amount_below": "Enter at least the threshold, so that one payment is enough",
  "autotopup.limit_below": "Enter at least the amount of one payment",
  "autotopup.card": "Card",
  "autotopup.card_wrong": "Choose one of your saved cards",
  "autotopup.consent":
    "With automatic top-up on, you allow us to charge this card without asking again, up to your monthly limit. We tell you about each payment. You can switch it off here at any time.",
  "autotopup.button": "Save",
  "autotopup.saved_on": "Automatic top-up is on.",
  "autotopup.saved_off": "Automatic top-up is off.",
  "autotopup.is_off": "Automatic top-up is off.",
  "autotopup.not_set": "Automatic top-up is off until you save these settings.",
  "autotopup.this_month": "Charged this month",
  "autotopup.of_limit": "of at most {{limit}}",
  "autotopup.pause": "The bank declined your card. We try again after {{time}}.",
  "autotopup.stopped_authentication":
    "Automatic top-up is off: the bank wants you to confirm payments with this card yourself. Nothing was charged. Top up by hand, or use another card.",
  "autotopup.stopped_expired":
    "Automatic top-up is off: your card has expired. Save another card, and switch it on again.",
  "autotopup.stopped_refused":
    "Automatic top-up is off: the bank no longer accepts your card. Save another card, and switch it on again.",
  "autotopup.stopped_declined":
    "Automatic top-up is off: the bank declined your card three times in a row. Check the card, and switch it on again.",
  "autotopup.stopped_reversed": "Automatic top-up is off, because one of its payments was refunded or disputed.",
  "autotopup.cards_title": "Saved cards",
  "autotopup.no_card": "You have no saved card. Save one to use automatic top-up.",
  "autotopup.expires": "valid until {{date}}",
  "autotopup.in_use": "in use",
  "autotopup.save_about":
    "You enter the card on the page of the payment service, which keeps it. We do not see its number. Nothing is charged.",
  "autotopup.save_button": "Save a card",
  "autotopup.not_offered": "Cards cannot be saved at the moment.",
  "autotopup.card_saved": "Your card is saved.",
  "autotopup.card_soon": "Your card appears here as soon as the payment service reports it.",
  "autotopup.remove_button": "Remove",
  "autotopup.remove_title": "Remove the card {{card}}?",
  "autotopup.remove_about": "We do not charge it any more, and the payment service forgets it.",
  "autotopup.remove_used_about":
    "We do not charge it any more, and the payment service forgets it. Automatic top-up is then off.",
  "autotopup.keep_button": "Keep it",
  "autotopup.removed": "The card is removed.",
  "autotopup.leading_title": "To the payment service",
  "autotopup.leading": "You enter your card on the page of the payment service.",

  "failure.CardsNotOffered": "Cards cannot be saved at the moment. Nothing was changed.",
  "failure.CardNotFound": "This card is not saved any more. Choose another one.",
  "failure.TooManyCards": "You have 5 saved cards, which is the most. Remove one first.",
  "failure.AutoTopUpNotSet": "Automatic top-up is not set up for this account."
} as const
