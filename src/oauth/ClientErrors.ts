import { Schema } from "effect"

/** The service cannot use a client ID metadata document. `reason` is for the app's developer, in ASCII. */
export class ClientUnusable extends Schema.TaggedError<ClientUnusable>()("ClientUnusable", {
  reason: Schema.String
}) {}

export const unusable = (reason: string) => new ClientUnusable({ reason })

/** The service already fetches the maximum number of documents. This document may be fine. */
export class DocumentFetchesBusy extends Schema.TaggedError<DocumentFetchesBusy>()("DocumentFetchesBusy", {}) {}
