import { Text } from "../../platform/fields/Text.ts"

/** A code of the authenticator app, or a recovery code. */
export const Otp = Text(6, 40).annotate({
  description: "The 6 digits that the authenticator app shows, or a recovery code; spaces and hyphens do not matter",
  examples: ["492039"]
})

/** A code as a person sent it: of the app, or a recovery code without its hyphens; undefined when it can be neither. */
export const parse = (otp: string): { readonly kind: "app" | "recovery"; readonly code: string } | undefined => {
  const code = otp.replace(/[\s-]/g, "").toLowerCase()
  if (/^\d{6}$/.test(code)) return { kind: "app", code }
  return /^[a-z2-7]{16}$/.test(code) ? { kind: "recovery", code } : undefined
}
