import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Layer, Runtime, Schema } from "effect"
import * as Checks from "../doctor/Checks.ts"
import { DatabaseFacts } from "../doctor/DatabaseFacts.ts"
import * as Doctor from "../doctor/Doctor.ts"
import { ListedOffers } from "../doctor/ListedOffers.ts"
import { Machine } from "../doctor/Machine.ts"
import { VendorBalances } from "../doctor/VendorBalances.ts"
import { Online } from "../doctor/NetworkChecks.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Database from "../platform/postgres/Database.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import * as StartFailure from "./StartFailure.ts"

export interface Options {
  readonly json: boolean
  /** True to ask addresses of other machines too. */
  readonly online: boolean
}

/** The worst finding is a warning. */
class ChecksWarn extends Schema.TaggedError<ChecksWarn>()("ChecksWarn", { message: Schema.String }) {}

/** A check found an error or a blocker, or the checks could not run. */
class ChecksFail extends Schema.TaggedError<ChecksFail>()("ChecksFail", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

const lineOf = ({ id, severity, state, text }: Doctor.Finding) =>
  [state === "failed" ? severity : state, id, text].join("\t")

/** Prints each finding on a line. Fails when there is a warning or worse. */
export const report = Effect.fnUntraced(function* (json: boolean) {
  const findings = yield* Doctor.examine(Checks.all)
  for (const finding of findings) yield* Console.log(json ? JSON.stringify(finding) : lineOf(finding))
  const count = (state: Doctor.Finding["state"], ...severities: ReadonlyArray<Doctor.Finding["severity"]>) =>
    findings.filter((finding) => finding.state === state && severities.includes(finding.severity)).length
  const all = ["blocker", "error", "warning", "note"] as const
  const counts = {
    blockers: count("failed", "blocker"),
    errors: count("failed", "error"),
    warnings: count("failed", "warning"),
    notes: count("failed", "note"),
    accepted: count("accepted", ...all),
    unknown: count("unknown", ...all)
  }
  const listed = Object.entries(counts).map(([name, count]) => `${name}: ${count}`)
  const message = `checks: ${Checks.all.length}, ${listed.join(", ")}`
  if (counts.blockers + counts.errors > 0) return yield* new ChecksFail({ message })
  if (counts.warnings > 0) return yield* new ChecksWarn({ message })
  yield* Console.error(message)
})

const outside = Layer.mergeAll(Addresses.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp)

const vendorsUnknown = (reason: string) =>
  Layer.merge(ListedOffers.layerUnknown(reason), VendorBalances.layerUnknown(reason))

const vendors = Layer.merge(ListedOffers.layer, VendorBalances.layer).pipe(
  Layer.provide(ConfiguredProviders.layer),
  // The checks of the settings report the fault.
  Layer.catchTag("ConfigError", (error) => vendorsUnknown(StartFailure.explain(error)))
)

const facts = Layer.merge(DatabaseFacts.layer, vendors)

/** Everything that the checks need but the database. */
const withDatabase = Layer.provideMerge(facts, outside)

const withoutDatabase = (reason: string) =>
  Layer.mergeAll(DatabaseFacts.layerUnknown(reason), vendorsUnknown(reason), outside)

const services = withDatabase.pipe(
  Layer.provide(Database.layerPresent),
  Layer.catch((error) => withoutDatabase(StartFailure.explain(error)))
)

export const run = ({ json, online }: Options) =>
  report(json).pipe(
    Effect.provide(services),
    Effect.provideService(Online, online),
    Effect.mapError((error) =>
      error instanceof ChecksFail || error instanceof ChecksWarn
        ? error
        : new ChecksFail({ message: StartFailure.explain(error) })
    )
  )

interface Start {
  /** True when a gateway runs beside the service. */
  readonly gateway: boolean
  readonly force: boolean
}

/** Stops the start of a service that would sell something false. */
export const beforeStart = Effect.fnUntraced(function* ({ force, gateway }: Start) {
  const machine = { ...(yield* Machine), runsGateway: gateway }
  yield* Doctor.beforeStart(force).pipe(Effect.provide(withDatabase), Effect.provideService(Machine, machine))
})
