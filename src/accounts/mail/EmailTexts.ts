import type { Addresses } from "../../platform/settings/Addresses.ts"

/** The words of a mail. */
interface Text {
  readonly subject: string
  readonly text: string
}

type Own = Pick<Addresses["Service"], "base_url" | "app_url">

const call = (url: string, body: Record<string, string>) =>
  `  curl ${url} \\\n    -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`

export const emailVerification = ({ base_url }: Own, token: string): Text => ({
  subject: "Verify your email",
  text: `Please confirm that this address is yours. Your token, good for 24 hours:

  ${token}

Send it with this command; the address in it does not open in a browser:

${call(`${base_url}/auth/email/verify`, { token })}

If you did not register with us, somebody else did with your address: do not use the token. Ignore this mail, or take the account over by resetting its password by mail (${base_url}/auth/password/forgot): while the address is not verified, that ends everything that they set up.`
})

export const passwordReset = ({ base_url }: Own, token: string): Text => ({
  subject: "Reset your password",
  text: `Somebody, hopefully you, asked to reset the password of your account. Your token, good for one hour:

  ${token}

Send it with this command; the address in it does not open in a browser:

${call(`${base_url}/auth/password/reset`, { token, new_password: "..." })}

If it was not you, ignore this mail; your password stays as it is.`
})

export const signInUnlock = ({ app_url, base_url }: Own, token: string): Text => ({
  subject: "Sign in to your account",
  text: `Somebody, hopefully you, could not sign in because of too many wrong passwords. With this link you can, for two hours; you still need your password:

  ${app_url}/sign-in?unlock=${token}

Or use this token with the API:

  ${token}

${call(`${base_url}/auth/login`, { email: "...", password: "...", unlock_token: token })}

If it was not you, ignore this mail: somebody is guessing your password, and the link alone lets nobody in.`
})

export const passwordChanged: Text = {
  subject: "Your password was changed",
  text: `The password of your account was changed, and everybody else who was signed in to it was signed out.

API keys and webhook endpoints of the account go on. GET /v1/api-keys and GET /v1/webhooks list them: delete those that you do not know.

If you did not change the password, reset it at once.`
}

export const emailChanged = (email: string): Text => ({
  subject: "Your email was changed",
  text: `The email of your account was changed to ${email}; this address does not receive its mail any more.

If it was not you, somebody else is in your account: write to our support at once.`
})
