import { Schema } from "effect"

/** A plain text mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** More headers, by name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The mail server did not accept the mail. A permanent failure would happen again at every attempt. */
export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", {
  reason: Schema.String,
  permanent: Schema.Boolean,
  /** True when the server may have accepted the mail, because its answer did not arrive. */
  uncertain: Schema.optionalKey(Schema.Boolean)
}) {}
