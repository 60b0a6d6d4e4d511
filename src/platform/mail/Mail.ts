import { Schema } from "effect"

/** A plain text mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The mail was not handed over. A permanent failure would fail the same way again. */
export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", {
  reason: Schema.String,
  permanent: Schema.Boolean
}) {}
