/** Words that all mails share. */
export const mailWords = {
  /** Stands for `{{support}}`, when a line has other values and the brand has no address of its support. */
  our_support: "our support",
  /** Stands for `{{support}}`. */
  our_support_at: "our support ({{addresses}})",
  /** The last line of a mail. */
  support_line: "Support: {{addresses}}"
} as const
