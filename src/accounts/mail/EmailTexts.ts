import type { Brand } from "../../brand/Brand.ts"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
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
  { language, purpose, token }: { language: LanguageCode; purpose: EmailTokenPurpose; token: string }
) =>
  MailText.write(brand, language, purpose, {
    app_url,
    api_url: base_url,
    link: `${app_url}/${pages[purpose]}${token}`,
    token
  })

export const passwordChanged = (brand: Brand, language: LanguageCode, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, language, "password_changed", { app_url })

export const emailChanged = (brand: Brand, language: LanguageCode, email: string) =>
  MailText.write(brand, language, "email_changed", { email })

export const secondFactorOn = (brand: Brand, language: LanguageCode, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, language, "second_factor_on", { app_url })

export const secondFactorOff = (brand: Brand, language: LanguageCode, { app_url }: Addresses["Service"]) =>
  MailText.write(brand, language, "second_factor_off", { app_url })

export const restriction = (
  brand: Brand,
  language: LanguageCode,
  { app_url }: Addresses["Service"],
  { name, public_reason }: { name: "account_restricted" | "account_free"; public_reason: string }
) => MailText.write(brand, language, name, { app_url, public_reason })

export const recoveryCodeUsed = (
  brand: Brand,
  language: LanguageCode,
  { app_url }: Addresses["Service"],
  left: number
) => MailText.write(brand, language, "recovery_code_used", { app_url, codes_left: String(left) })

export const passkeyMail = (
  brand: Brand,
  language: LanguageCode,
  { app_url }: Addresses["Service"],
  { name, passkey }: { name: "passkey_added" | "passkey_removed" | "passkey_refused"; passkey: string }
) => MailText.write(brand, language, name, { app_url, passkey })
