import { Effect } from "effect"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { certificate } from "../../support/SelfSigned.ts"

/** Trusts the tests' own certificate until the scope closes. */
export const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([certificate.cert])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)
