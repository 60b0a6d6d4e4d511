import { randomUUID } from "node:crypto"
import { password } from "./PagesTesting.ts"

type Filled = string | ReadonlyArray<string>

interface Known {
  readonly ids: Readonly<Record<string, string>>
  /** The end of the proxy `order_id`. */
  readonly ends: string
}

interface FormRow {
  /** Right values for every field of the form. */
  readonly fields: (person: Known) => Readonly<Record<string, Filled>>
  /** The id for `order_id` of the path, when the form belongs to another kind of proxy. */
  readonly order?: "traffic_id" | "mobile_id"
  /** The purpose of the token, for pages before the sign-in. */
  readonly purpose?: string
}

const button: FormRow = { fields: () => ({}) }
const fields = (values: Readonly<Record<string, Filled>>): FormRow => ({ fields: () => values })
const mobile = (values: Readonly<Record<string, Filled>>): FormRow => ({ fields: () => values, order: "mobile_id" })
const door = (purpose: string, values: Readonly<Record<string, Filled>>): FormRow => ({ fields: () => values, purpose })
const nonce = () => ({ nonce: randomUUID() })

const email = "other@example.com"
const otp = "123456"

/** The fields of every form of the dashboard, by the path of its route. A test compares the paths with those of the router. */
export const formFields: Readonly<Record<string, FormRow>> = {
  "/app/account": fields({ name: "Ada" }),
  "/app/account/deletion": fields({ password }),
  "/app/account/export": fields({ password }),
  "/app/account/news": fields({ news: "off" }),
  "/app/account/password": fields({ current_password: password, new_password: "another good password" }),
  "/app/account/sessions/:session_id/end": button,
  "/app/account/sessions/end-all": button,
  "/app/account/sessions/end-others": button,
  "/app/claim": door("claim", { claim_token: "clm_token", email, password }),
  "/app/connections/:grant_id/limit": fields({ daily_spend_limit_usd: "7" }),
  "/app/connections/:grant_id/revoke": button,
  "/app/consent/:authorization_id": {
    fields: () => ({ decision: "approve", orders_write: "on", daily_spend_limit_usd: "7" }),
    purpose: "consent"
  },
  "/app/email": fields({ email, password }),
  "/app/email/resend": button,
  "/app/forgot-password": door("forgot-password", { email }),
  "/app/ip-check": { fields: () => ({ ip: "8.8.8.8", what: "survey", promised: "0", ...nonce() }) },
  "/app/keys": {
    fields: () => ({
      name: "a key",
      expires: "30",
      access: "limited",
      scopes: ["orders:read"],
      allowed_ips: "192.0.2.1",
      daily_spend_limit_usd: "5",
      ...nonce()
    })
  },
  "/app/keys/:key_id/revoke": button,
  "/app/notifications/:notification_id/read": button,
  "/app/notifications/read": button,
  "/app/orders/batch/:key/cancel": button,
  "/app/proxies/:order_id/addresses": mobile({ whitelisted_ips: "192.0.2.1" }),
  "/app/proxies/:order_id/auto-replace": fields({ enabled: "off" }),
  "/app/proxies/:order_id/check": button,
  "/app/proxies/:order_id/replace": button,
  "/app/proxies/:order_id/auto-renew": fields({ enabled: "on" }),
  "/app/proxies/:order_id/cancel": button,
  "/app/proxies/:order_id/destinations": fields({ destinations: "deny example.com 443" }),
  "/app/proxies/:order_id/extend": {
    fields: ({ ends }) => ({ months: "1", expected_total: "1.5", expected_expires_at: ends, ...nonce() })
  },
  "/app/proxies/:order_id/logins": mobile({ logins: "somebody:password1" }),
  "/app/proxies/:order_id/notes": fields({ notes: "a note" }),
  "/app/proxies/:order_id/password": button,
  "/app/proxies/:order_id/protocol": fields({ protocol: "SOCKS5" }),
  "/app/proxies/:order_id/release": fields({ name: "a note that nobody else may read" }),
  "/app/proxies/:order_id/rotate": mobile({}),
  "/app/proxies/:order_id/signature": mobile({ signature: "android" }),
  "/app/proxies/:order_id/tags": fields({ tags: "one\r\ntwo" }),
  "/app/proxies/:order_id/test": button,
  "/app/proxies/:order_id/traffic": {
    fields: () => ({ bandwidth_gb: "5", expected_total: "3", expected_bandwidth_total_gb: "50", ...nonce() }),
    order: "traffic_id"
  },
  "/app/proxies/:order_id/whitelist": fields({ whitelisted_ips: "192.0.2.1" }),
  "/app/proxies/chosen": { fields: ({ ids }) => ({ ids: ids["order_id"] ?? "", do: "tag", tag: "one" }) },
  "/app/proxies/chosen/extend": {
    fields: ({ ends, ids }) => ({
      ids: ids["order_id"] ?? "",
      months: "1",
      expected_totals: "1.5",
      expected_ends: ends,
      ...nonce()
    })
  },
  "/app/proxies/links": {
    fields: () => ({
      name: "a link",
      format: "own",
      template: "{host}",
      q: "x",
      country: "DE",
      proxy_type: "datacenter",
      proxy_status: "active",
      sort: "name",
      ...nonce()
    })
  },
  "/app/proxies/links/:link_id/revoke": button,
  "/app/register": door("register", { email, password, name: "Ada", referral_code: "" }),
  "/app/reset-password": door("reset-password", { password }),
  "/app/sandbox/pay/:payment_intent_id": fields({ outcome: "paid" }),
  "/app/security": fields({ password }),
  "/app/security/passkeys": fields({ name: "a phone", ticket: "x.y.z", credential: "{}" }),
  "/app/security/passkeys/:passkey_id": fields({ name: "a phone" }),
  "/app/security/passkeys/:passkey_id/remove": fields({ password }),
  "/app/security/passkeys/new": fields({ password }),
  "/app/security/recovery-codes": fields({ password, otp }),
  "/app/security/recovery-codes/file": fields({ codes: "aaaa-bbbb-cccc-dddd" }),
  "/app/security/setup": fields({ otp }),
  "/app/security/turn-off": fields({ password, otp }),
  "/app/shop/:offer_id/review": {
    fields: () => ({
      period_days: "30",
      quantity: "1",
      protocol: "HTTP",
      promo_code: "",
      pay_with: "wallet",
      auto_renew: "on",
      notes: "a note",
      expected_total: "1.5",
      ...nonce()
    })
  },
  "/app/sign-in": door("sign-in", { email, password }),
  "/app/sign-in/code": door("sign-in-code", { otp }),
  "/app/sign-out": door("sign-out", {}),
  "/app/unlock": door("unlock", { email }),
  "/app/unsubscribe": fields({ choice: "off" }),
  "/app/verify-email": door("verify-email", {}),
  "/app/wallet/auto-top-up": {
    fields: ({ ids }) => ({
      enabled: "on",
      threshold: "5",
      amount: "10",
      monthly_limit: "50",
      card_id: ids["card_id"] ?? ""
    })
  },
  "/app/wallet/auto-top-up/cards": button,
  "/app/wallet/auto-top-up/cards/:card_id/remove": button,
  "/app/wallet/billing": fields({
    kind: "business",
    name: "Ada Ltd",
    address: "1 Street",
    country: "FR",
    tax_number: "FR40303265045"
  }),
  "/app/wallet/payout": { fields: () => ({ amount: "10", destination: "A bank account", password, ...nonce() }) },
  "/app/wallet/payout/:payout_id/cancel": button,
  "/app/wallet/top-up": {
    fields: () => ({
      amount: "10",
      currency: "USD",
      payment_method: "card_gateway",
      save_card: "on",
      next: "/app/wallet",
      ...nonce()
    })
  },
  "/app/webhooks": { fields: () => ({ url: "https://hooks.example.com/b", enabled: "on", ...nonce() }) },
  "/app/webhooks/:endpoint_id/deliveries/:delivery_id/redeliver": { fields: nonce },
  "/app/webhooks/:endpoint_id/disable": button,
  "/app/webhooks/:endpoint_id/enable": button,
  "/app/webhooks/:endpoint_id/remove": button,
  "/app/webhooks/:endpoint_id/secret": { fields: () => ({ overlap_seconds: "0", ...nonce() }) },
  "/app/webhooks/:endpoint_id/test": button,
  "/app/webhooks/:endpoint_id/url": fields({ url: "https://hooks.example.com/c" })
}

/** The path of a route with the ids of a person. */
export const addressOf = (route: string, { ids }: Pick<Known, "ids">): string => {
  const { order = "order_id" } = formFields[route] ?? button
  return route.replace(/:(\w+)/g, (_, name: string) => ids[name === "order_id" ? order : name] ?? "")
}

/** The purpose of the token of a form (`Visitors`). */
export const purposeOf = (route: string, person: Known & { readonly user_id: string }): string => {
  const { purpose } = formFields[route] ?? button
  if (purpose === "consent") return `consent:${person.ids["authorization_id"]}:${person.user_id}`
  return purpose ?? `${addressOf(route, person)}:${person.user_id}`
}
