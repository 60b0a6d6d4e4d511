import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files whose tests take long. */
const longest = [
  "faults/Faults",
  "platform/postgres/EmbeddedPostgres",
  "journeys/Purchase",
  "contract/Bodies",
  "mcp/Conformance",
  "model/Model",
  "clients/GeneratedClients",
  "gateway/GatewaySupervisor",
  "journeys/LockedOut",
  "ip-check/IpCheckRecovery",
  "instances/Instances",
  "accounts/passwords/Passwords",
  "contract/Redocly",
  "gateway/GatewayTraffic",
  "gateway/Strangers",
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
 * Starts with the longest files, so that none of them is left alone at the end. Without times of an earlier run Vitest
 * goes by the size of the files.
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
    // Modules are loaded once for each worker: half of the time would go into loading them again for every file.
    isolate: false,
    // More than there are processors: workers wait for the database and for other processes half of their time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/postgres.ts"],
    setupFiles: ["test/support/setup.ts"],
    // A test that waits for what never comes ends; one that is slow because the machine does much else goes on.
    testTimeout: 120_000,
    hookTimeout: 180_000
  }
})
