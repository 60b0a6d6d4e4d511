import { Schema } from "effect"

/** A plain text mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The mail server did not accept the mail. A permanent failure would happen again at every attempt. */
export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", {
  reason: Schema.String,
  permanent: Schema.Boolean
}) {}
