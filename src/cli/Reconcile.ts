import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Duration, Effect, Layer, Runtime, Schema } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Database from "../platform/postgres/Database.ts"
import { isUnavailable } from "../platform/postgres/DatabaseFailure.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import type { Finding } from "../reconciliation/Finding.ts"
import { Reconciliation } from "../reconciliation/Reconciliation.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import * as StartFailure from "./StartFailure.ts"

export interface Options {
  /** Age limit of the payments, in days. */
  readonly payments: number
  readonly json: boolean
}

class RecordsDiffer extends Schema.TaggedError<RecordsDiffer>()("RecordsDiffer", { message: Schema.String }) {}

/**
 * No difference was found, but something could not be checked: a provider or a gateway does not answer, or the command
 * could not start.
 */
class RecordsNotChecked extends Schema.TaggedError<RecordsNotChecked>()("RecordsNotChecked", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

const lineOf = (finding: Finding): string => {
  const { section } = finding
  switch (finding._tag) {
    case "Difference":
      return [section, "differs", finding.subject, finding.problem, finding.remedy].join("\t")
    case "Unchecked":
      return [section, "not checked", finding.subject, finding.reason].join("\t")
    case "Checked":
      return [section, "checked", finding.what].join("\t")
  }
}

/** Prints each finding on a line. Fails when there is a difference, or else when something could not be checked. */
export const report = Effect.fnUntraced(function* ({ json, payments }: Options) {
  const { run } = yield* Reconciliation
  const counts = { Difference: 0, Unchecked: 0, Checked: 0 }
  yield* run(Duration.days(payments), (finding) => {
    counts[finding._tag]++
    return Console.log(json ? JSON.stringify(finding) : lineOf(finding))
  })
  const { Difference: differences, Unchecked: unchecked } = counts
  if (differences > 0)
    return yield* new RecordsDiffer({ message: `differences: ${differences}, not checked: ${unchecked}` })
  if (unchecked > 0) return yield* new RecordsNotChecked({ message: `differences: 0, not checked: ${unchecked}` })
})

const services = Reconciliation.layer.pipe(
  Layer.provide([ConfiguredProviders.layer, PaymentGateways.layerOutside]),
  Layer.provide([Addresses.layer, Database.layerReadOnly, NodeCrypto.layer, NodeHttpClient.layerNodeHttp])
)

export const run = (options: Options) =>
  Effect.provide(report(options), services).pipe(
    Effect.catchDefect((defect) => (isUnavailable(defect) ? Effect.fail(defect) : Effect.die(defect))),
    Effect.mapError((error) =>
      error instanceof RecordsDiffer || error instanceof RecordsNotChecked
        ? error
        : new RecordsNotChecked({ message: StartFailure.explain(error) })
    )
  )
