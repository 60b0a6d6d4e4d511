import { Schema } from "effect"

/** A client ID metadata document that cannot be used. `reason` is for the app's developer, in ASCII. */
export class ClientUnusable extends Schema.TaggedError<ClientUnusable>()("ClientUnusable", {
  reason: Schema.String
}) {}

export const unusable = (reason: string) => new ClientUnusable({ reason })

/** As many documents as may be are being fetched, which says nothing about this one. */
export class DocumentFetchesBusy extends Schema.TaggedError<DocumentFetchesBusy>()("DocumentFetchesBusy", {}) {}
