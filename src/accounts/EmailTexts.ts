/** The words of a mail. */
interface Text {
  readonly subject: string
  readonly text: string
}

const call = (url: string, body: Record<string, string>) =>
  `  curl ${url} \\\n    -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`

export const emailVerification = (base_url: string, token: string): Text => ({
  subject: "Verify your email",
  text: `Please confirm that this address is yours. Your token, good for 24 hours:

  ${token}

Use it like this:

${call(`${base_url}/auth/email/verify`, { token })}

If you did not register with us, ignore this mail.`
})

export const passwordReset = (base_url: string, token: string): Text => ({
  subject: "Reset your password",
  text: `Somebody, hopefully you, asked to reset the password of your account. Your token, good for one hour:

  ${token}

Use it like this:

${call(`${base_url}/auth/password/reset`, { token, new_password: "..." })}

If it was not you, ignore this mail; your password stays as it is.`
})

export const passwordChanged: Text = {
  subject: "Your password was changed",
  text: `The password of your account was changed, and everybody else who was signed in to it was signed out.

If it was not you, reset your password at once.`
}

export const emailChanged = (email: string): Text => ({
  subject: "Your email was changed",
  text: `The email of your account was changed to ${email}; this address does not receive its mail any more.

If it was not you, somebody else is in your account: write to our support at once.`
})
