/** A mail about something that happened to a proxy, an order or a payment; `{{message}}` says what. */
const notice = <S extends string>(subject: S) => ({
  subject,
  text: `{{message}}

In the dashboard: {{page}}
Order: {{order_id}}`
})

/** Every mail that the service sends. */
export const mails = {
  email_verification: {
    subject: "Verify your email",
    text: `Please confirm that this email address is yours. Open this link within 24 hours:

  {{link}}

Do you use the API? Send this token:

  {{token}}

  curl {{api_url}}/auth/email/verify \\
    -H 'Content-Type: application/json' \\
    -d '{"token":"{{token}}"}'

You did not register with us? Then another person used your address. Do not open the link. You can ignore this mail, or take over the account: choose a new password ({{app_url}}/forgot-password). While the address is not verified, that removes everything that the other person set up.`
  },
  password_reset: {
    subject: "Reset your password",
    text: `We received a request to reset the password of your account. This link lets you choose a new one. It works once within one hour:

  {{link}}

Do you use the API? Send this token with the new password:

  {{token}}

  curl {{api_url}}/auth/password/reset \\
    -H 'Content-Type: application/json' \\
    -d '{"token":"{{token}}","new_password":"..."}'

You did not request this? Ignore this mail; your password stays the same.`
  },
  sign_in_unlock: {
    subject: "Sign in to your account",
    text: `There were too many wrong passwords for your account, so signing in is locked for a while. This link lets you sign in with your password for the next two hours:

  {{link}}

Do you use the API? Send this token when you sign in:

  {{token}}

  curl {{api_url}}/auth/login \\
    -H 'Content-Type: application/json' \\
    -d '{"email":"...","password":"...","unlock_token":"{{token}}"}'

You did not request this? Ignore this mail. Another person may be guessing your password, but signing in still needs your password.`
  },
  password_changed: {
    subject: "Your password was changed",
    text: `The password of your account was changed, and all other devices were signed out.

The API keys, webhook endpoints and passkeys of the account keep working. Look at them, and remove any that you do not know: {{app_url}}/keys, {{app_url}}/webhooks, {{app_url}}/security

You did not change the password? Choose a new one now: {{app_url}}/forgot-password`
  },
  email_changed: {
    subject: "Your email was changed",
    text: `The email of your account was changed to {{email}}. This address no longer receives the account's mail.

You did not change it? Then another person has access to your account.
Write to {{support}} now.`
  },
  second_factor_on: {
    subject: "Two-step sign-in is on",
    text: `Signing in to your account now needs a code of your authenticator app, beside the password. All other devices were signed out. Keep your recovery codes in a safe place: without the app, only they let you in.

You did not turn this on? Then another person knows your password. Write to {{support}} now, and choose a new password: {{app_url}}/forgot-password`
  },
  second_factor_off: {
    subject: "Two-step sign-in is off",
    text: `Signing in to your account needs only the password again. The recovery codes no longer work, and all other devices were signed out.

You did not turn this off? Choose a new password now: {{app_url}}/forgot-password. Then turn two-step sign-in on again: {{app_url}}/security`
  },
  recovery_code_used: {
    subject: "A recovery code was used",
    text: `Somebody used a recovery code of your account in place of the authenticator app. Recovery codes left: {{codes_left}}.

This was you? Get new codes before you need them: {{app_url}}/security

This was not you? Then another person knows your password and your codes. Choose a new password now: {{app_url}}/forgot-password. Then get new codes: {{app_url}}/security`
  },
  passkey_added: {
    subject: "A passkey was added",
    text: `The passkey “{{passkey}}” was added to your account. It signs in without the password and without a code. All other devices were signed out.

You did not add it? Then another person knows your password. Remove the passkey now: {{app_url}}/security. Then choose a new password: {{app_url}}/forgot-password`
  },
  passkey_removed: {
    subject: "A passkey was removed",
    text: `This passkey was removed from your account and no longer signs in: {{passkey}}. All other devices were signed out.

You did not ask for this? Choose a new password now: {{app_url}}/forgot-password. Then look at your passkeys: {{app_url}}/security`
  },
  passkey_refused: {
    subject: "A passkey was refused",
    text: `Somebody tried to sign in to your account with the passkey “{{passkey}}”. We refused it, because its counter went back. This happens when there is a copy of the passkey.

Remove this passkey, and add another one: {{app_url}}/security`
  },
  account_restricted: {
    subject: "Your account was suspended",
    text: `We suspended your account. The reason: {{public_reason}}

Until this is settled, nothing can be bought, nothing is renewed, and your proxies do not work or have other logins. The time that you paid for goes on. Your money stays in your wallet.

You have a question, or you think that this is a mistake? Write to {{support}}.`
  },
  account_free: {
    subject: "Your account works again",
    text: `Your account is no longer suspended. The proxies whose time is not over work again within a minute.

Sign in: {{app_url}}`
  },
  proxy_expiring: notice("Your proxy is about to expire"),
  renewal_failed: notice("Your proxy could not be renewed"),
  renewal_price: notice("The renewal of your proxy costs more"),
  auto_top_up_made: notice("Your wallet was topped up"),
  auto_top_up_failed: notice("Your automatic top-up failed"),
  auto_top_up_stopped: notice("Automatic top-up is off"),
  auto_top_up_limit: notice("Automatic top-up has reached its limit"),
  provisioning_failed: notice("Your order could not be delivered"),
  change_failed: notice("A change of your proxy failed"),
  proxy_reduced: notice("Your proxy was reduced by its provider"),
  proxy_replaced: notice("Your proxy has another address"),
  proxy_ended: notice("Your proxy has ended before its time"),
  webhook_failing: notice("Your webhook endpoint is failing"),
  webhook_disabled: notice("Your webhook endpoint was disabled"),
  payment_reversed: notice("Your payment was refunded or disputed"),
  payout: notice("Your withdrawal"),
  announcement: {
    subject: "{{title}}",
    text: `{{message}}

Time: {{window}}

You want no more news by mail? Open this link: {{unsubscribe}}`
  },
  todo: {
    subject: "{{brand}}: something waits for a person",
    text: `This waits for a person:

{{items}}

The list: {{page}}`
  }
} as const
