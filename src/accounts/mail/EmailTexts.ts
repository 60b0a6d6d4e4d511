import type { Brand } from "../../brand/Brand.ts"
import * as MailText from "../../brand/MailText.ts"
import type { Addresses } from "../../platform/settings/Addresses.ts"
import type { EmailTokenPurpose } from "../EmailTokensRepo.ts"

/** The page of each mail, up to its token. */
const pages: Readonly<Record<EmailTokenPurpose, string>> = {
  email_verification: "verify-email?token=",
  password_reset: "reset-password?token=",
  sign_in_unlock: "sign-in?unlock="
}

/** The mail that brings a token, with a link to the page that uses it. */
export const tokenMail = (
  brand: Brand,
  { app_url, base_url }: Addresses["Service"],
  purpose: EmailTokenPurpose,
  token: string
) => MailText.write(brand, purpose, { app_url, api_url: base_url, link: `${app_url}/${pages[purpose]}${token}`, token })

export const passwordChanged = (brand: Brand, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, "password_changed", { app_url })

export const emailChanged = (brand: Brand, email: string) => MailText.write(brand, "email_changed", { email })

export const secondFactorOn = (brand: Brand, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, "second_factor_on", { app_url })

export const secondFactorOff = (brand: Brand, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, "second_factor_off", { app_url })

export const recoveryCodeUsed = (brand: Brand, { app_url }: Addresses["Service"], left: number) =>
  MailText.write(brand, "recovery_code_used", { app_url, codes_left: String(left) })
