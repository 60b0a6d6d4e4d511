import { Context } from "effect"

/** The sender that the operator's brand names. `MAIL_FROM` has priority over it. */
export interface Sender {
  readonly name?: string
  readonly address?: string
}

export const Sender = Context.Reference<Sender>("app/platform/Sender", { defaultValue: () => ({}) })
