import type { Addresses } from "../../platform/settings/Addresses.ts"

/** The subject and the body of a mail. */
interface Text {
  readonly subject: string
  readonly text: string
}

type Own = Pick<Addresses["Service"], "base_url" | "app_url">

const call = (url: string, body: Record<string, string>) =>
  `  curl ${url} \\\n    -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`

export const emailVerification = ({ app_url, base_url }: Own, token: string): Text => ({
  subject: "Verify your email",
  text: `Welcome! Please confirm that this email address is yours. Open this link within 24 hours:

  ${app_url}/verify-email?token=${token}

Do you use the API? Send this token:

  ${token}

${call(`${base_url}/auth/email/verify`, { token })}

You did not register with us? Then another person used your address. Do not open the link. You can ignore this mail, or take over the account: choose a new password (${app_url}/forgot-password). While the address is not verified, that removes everything that the other person set up.`
})

export const passwordReset = ({ app_url, base_url }: Own, token: string): Text => ({
  subject: "Reset your password",
  text: `We received a request to reset the password of your account. This link lets you choose a new one. It works once within one hour:

  ${app_url}/reset-password?token=${token}

Do you use the API? Send this token with the new password:

  ${token}

${call(`${base_url}/auth/password/reset`, { token, new_password: "..." })}

You did not request this? Ignore this mail; your password stays the same.`
})

export const signInUnlock = ({ app_url, base_url }: Own, token: string): Text => ({
  subject: "Sign in to your account",
  text: `There were too many wrong passwords for your account, so signing in is locked for a while. This link lets you sign in with your password for the next two hours:

  ${app_url}/sign-in?unlock=${token}

Do you use the API? Send this token when you sign in:

  ${token}

${call(`${base_url}/auth/login`, { email: "...", password: "...", unlock_token: token })}

You did not request this? Ignore this mail. Another person may be guessing your password, but signing in still needs your password.`
})

export const passwordChanged = ({ app_url }: Own): Text => ({
  subject: "Your password was changed",
  text: `The password of your account was changed, and all other devices were signed out.

The API keys and webhook endpoints of the account keep working. List them with GET /v1/api-keys and GET /v1/webhooks, and delete any that you do not know.

You did not change the password? Choose a new one now: ${app_url}/forgot-password`
})

export const emailChanged = (email: string): Text => ({
  subject: "Your email was changed",
  text: `The email of your account was changed to ${email}. This address no longer receives the account's mail.

You did not change it? Then another person has access to your account: write to our support now.`
})
