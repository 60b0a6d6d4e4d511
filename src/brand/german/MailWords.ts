import type { mailWords as english } from "../english/MailWords.ts"

/** Words that all mails share. `{{support}}` is in the accusative: "Schreiben Sie an unseren Support". */
export const mailWords: Readonly<Record<keyof typeof english, string>> = {
  our_support: "unseren Support",
  our_support_at: "unseren Support ({{addresses}})",
  support_line: "Support: {{addresses}}"
}
