import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files with slow tests. */
const longest = [
  "faults/Faults",
  "platform/postgres/EmbeddedPostgres",
  "dashboard/Forms",
  "journeys/Purchase",
  "doctor/GoodShop",
  "contract/Bodies",
  "mcp/Conformance",
  "model/Model",
  "clients/GeneratedClients",
  "gateway/process/GatewaySupervisor",
  "journeys/LockedOut",
  "ip-check/IpCheckRecovery",
  "instances/Instances",
  "accounts/passwords/Passwords",
  "contract/Redocly",
  "gateway/traffic/GatewayTraffic",
  "gateway/admission/Strangers",
  "cli/StartFailure",
  "cli/PatientStart",
  "orders/changes/RenewalYear",
  "contract/Credentials",
  "platform/postgres/PostgresInstallation",
  "platform/postgres/PostgresPassword",
  "platform/postgres/EmbeddedPostgresDescriptors",
  "wallet/payments/SandboxPayments"
]

/**
 * Starts with the slowest files, so that none of them runs alone at the end. Without times of an earlier run, Vitest
 * orders files by size.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Each worker loads a module once. Loading it again for every file would take half of the time.
    isolate: false,
    // More workers than processors, because workers wait for the database and other processes half of their time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/postgres.ts"],
    setupFiles: ["test/support/setup.ts"],
    // Ends a test that waits forever, but not one that is slow because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
