/** Pages that a person sees without a session. */
const door = (...addresses: ReadonlyArray<string>) => ({ isOpen: true, addresses })

/** Pages of a signed-in person. */
const desk = (...addresses: ReadonlyArray<string>) => ({ isOpen: false, addresses })

/** Pages to which only a form leads. */
const walk = desk()

/** A proxy of each kind and in each state, by the names of their ids. */
const proxies = ["order_id", "traffic_id", "mobile_id", "unpaid_id", "failed_id"].map((id) => `/app/proxies/:${id}`)

/**
 * The addresses at which each page of the dashboard shows all that it can, by the path of its route; `:name` stands for
 * an id. A test compares the paths with those of the router.
 */
export const pageAddresses: Readonly<
  Record<string, { readonly isOpen: boolean; readonly addresses: ReadonlyArray<string> }>
> = {
  "/app/": desk("/app"),
  "/app/account": desk("/app/account"),
  "/app/account/deletion": desk("/app/account/deletion"),
  "/app/account/export": desk("/app/account/export"),
  "/app/account/news": desk("/app/account/news"),
  "/app/account/password": desk("/app/account/password"),
  "/app/account/sessions": desk("/app/account/sessions"),
  "/app/claim": door("/app/claim"),
  "/app/connections": desk("/app/connections"),
  "/app/connections/:grant_id/limit": desk("/app/connections/:grant_id/limit"),
  "/app/consent/:authorization_id": desk("/app/consent/:authorization_id", "/app/consent/unknown"),
  "/app/email": desk("/app/email"),
  "/app/forgot-password": door("/app/forgot-password"),
  "/app/help": desk("/app/help"),
  "/app/ip-check": desk("/app/ip-check", "/app/ip-check?ip=8.8.8.8", "/app/ip-check?ip=nowhere"),
  "/app/ip-check/:check_id": desk("/app/ip-check/:check_id"),
  "/app/keys": desk("/app/keys"),
  "/app/notifications": desk("/app/notifications"),
  "/app/orders/batch/:key": desk(
    "/app/orders/batch/:key",
    "/app/orders/batch/:paid_key",
    "/app/orders/batch/:failed_key"
  ),
  "/app/orders/batch/:key/cancel": desk("/app/orders/batch/:key/cancel"),
  "/app/payments/:payment_intent_id": door("/app/payments/:payment_intent_id", "/app/payments/unknown"),
  "/app/proxies": desk("/app/proxies", "/app/proxies?q=nothing"),
  "/app/proxies/:order_id": desk(...proxies),
  "/app/proxies/:order_id/cancel": desk("/app/proxies/:unpaid_id/cancel"),
  "/app/proxies/:order_id/extend": desk("/app/proxies/:order_id/extend", "/app/proxies/:mobile_id/extend"),
  "/app/proxies/:order_id/health": desk("/app/proxies/:order_id/health", "/app/proxies/:mobile_id/health"),
  "/app/proxies/:order_id/release": desk("/app/proxies/:order_id/release"),
  "/app/proxies/:order_id/traffic": desk("/app/proxies/:traffic_id/traffic?bandwidth_gb=5"),
  "/app/proxies/chosen": desk("/app/proxies/chosen?ids=:order_id,:traffic_id,:mobile_id"),
  "/app/proxies/chosen/extend": desk("/app/proxies/chosen/extend?months=1&ids=:order_id,:mobile_id"),
  "/app/proxies/links": desk("/app/proxies/links"),
  "/app/register": door("/app/register"),
  "/app/reset-password": door("/app/reset-password?token=token"),
  "/app/sandbox/pay/:payment_intent_id": door("/app/sandbox/pay/:payment_intent_id"),
  "/app/security": desk("/app/security"),
  "/app/security/passkeys/:passkey_id": desk("/app/security/passkeys/:passkey_id"),
  "/app/security/passkeys/:passkey_id/remove": desk("/app/security/passkeys/:passkey_id/remove"),
  "/app/security/passkeys/new": desk("/app/security/passkeys/new"),
  "/app/security/recovery-codes": walk,
  "/app/security/setup": walk,
  "/app/security/turn-off": walk,
  "/app/shop": desk("/app/shop", "/app/shop?country=DE&kind=mobile"),
  "/app/shop/:offer_id": desk("/app/shop/:offer_id", "/app/shop/:traffic_offer_id", "/app/shop/:mobile_offer_id"),
  "/app/shop/:offer_id/review": desk("/app/shop/:offer_id/review?period_days=30&quantity=2&protocol=HTTP"),
  "/app/sign-in": door("/app/sign-in"),
  "/app/sign-in/code": walk,
  "/app/status": door("/app/status"),
  "/app/unlock": door("/app/unlock"),
  "/app/unsubscribe": door("/app/unsubscribe?code=of-nobody"),
  "/app/verify-email": door("/app/verify-email?token=token"),
  "/app/wallet": desk("/app/wallet"),
  "/app/wallet/auto-top-up": desk("/app/wallet/auto-top-up"),
  "/app/wallet/billing": desk("/app/wallet/billing"),
  "/app/wallet/invoices": desk("/app/wallet/invoices"),
  "/app/wallet/invoices/:number": desk("/app/wallet/invoices/:number"),
  "/app/wallet/payout": desk("/app/wallet/payout"),
  "/app/wallet/referrals": desk("/app/wallet/referrals"),
  "/app/wallet/top-up": desk("/app/wallet/top-up"),
  "/app/webhooks": desk("/app/webhooks"),
  "/app/webhooks/:endpoint_id": desk("/app/webhooks/:endpoint_id"),
  "/app/webhooks/:endpoint_id/deliveries/:delivery_id": desk("/app/webhooks/:endpoint_id/deliveries/:delivery_id"),
  "/oauth/authorize": door("/oauth/authorize?client_id=dcr_unknown")
}
