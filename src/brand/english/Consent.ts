/** The pages for connected apps. */
export const consent = {
  "connections.title": "Connected apps",
  "connections.none": "No app is connected to your account.",
  "connections.none_about": "An app that you approve appears here. You can end its access at any time.",
  "connections.can": "It can",
  "connections.since": "Connected since",
  "connections.last_used": "Last used",
  "connections.never_used": "not yet",
  "connections.disconnect_button": "Disconnect",
  "connections.disconnected": "The app is disconnected and no longer has access to your account.",
  "connections.not_connected": "The app was no longer connected. Nothing was changed.",

  "app.verified": "Verified",
  "app.unverified": "Not verified",

  "consent.title": "Connect {{app}}",
  "consent.heading": "Connect {{app}} to your account?",
  "consent.published_by": "This app is published by {{host}}.",
  "consent.impostor":
    "Another program on this computer may pretend to be this app. Continue only if you started this yourself.",
  "consent.unknown_app":
    "This app registered itself. We have not checked its name. Continue only if you started this yourself.",
  "consent.account": "Your account",
  "consent.target": "Sends you back to",
  "consent.target_computer": "an app on this computer",
  "consent.target_links": "the app that opens “{{protocol}}” links",
  "consent.can": "It will be able to",
  "consent.also": "Also: {{access}}",
  "consent.trust": "{{detail}} Leave this unticked unless you trust the app with your money.",
  "consent.approve_button": "Approve",
  "consent.decline_button": "Decline",
  "consent.never":
    "It can never change your email or password, manage API keys or webhooks, top up your wallet or delete your account. You can end its access at any time under Connected apps.",
  "consent.other_account_button": "Use another account",
  "consent.no_decision": "Choose Approve or Decline.",
  "consent.nothing_granted": "The app asks only to spend money. Tick the box to allow this, or decline.",

  "scope.catalog_read": "See the catalog",
  "scope.catalog_read_in_sentence": "see the catalog",
  "scope.catalog_read_detail": "Proxies on offer, their locations and prices.",
  "scope.account_read": "See your profile",
  "scope.account_read_in_sentence": "see your profile",
  "scope.account_read_detail": "Name and email, referrals, promo codes, and past checks of IP addresses.",
  "scope.orders_read": "See your orders and proxies",
  "scope.orders_read_in_sentence": "see your orders and proxies",
  "scope.orders_read_detail": "This includes their traffic, and the logins and passwords of the proxies.",
  "scope.wallet_read": "See your wallet",
  "scope.wallet_read_in_sentence": "see your wallet",
  "scope.wallet_read_detail": "Your balances and every transaction.",
  "scope.orders_write": "Spend money from your wallet",
  "scope.orders_write_in_sentence": "spend money from your wallet",
  "scope.orders_write_detail":
    "It can buy and extend proxies and change your paid services. It pays from your wallet without asking you again.",

  "request_gone.title": "This request is over",
  "request_gone.approved": "If you have just approved the app, you are done. Go back to the app, or see {{link}}.",
  "request_gone.otherwise":
    "Otherwise the request was declined, is older than 10 minutes, or began in another browser. Go back to the app and connect it again, and use one browser until you are done.",
  "authorization_failed.title": "This app could not be connected",
  "authorization_failed.unchanged": "Nothing was changed. You can close this page.",
  "authorization_failed.developer": "For the app's developer: {{error}}"
} as const
