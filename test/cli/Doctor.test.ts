import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as RunningService from "../support/RunningService.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { run } from "./CommandTesting.ts"

/** Takes real money, and sells the gateway's proxies at 127.0.0.1. */
const unready = {
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
  STRIPE_API_URL: "http://127.0.0.1:1"
}

/** The other misconfigurations of this service and of the tests' database server. */
const others =
  "brand.files,db.backup,db.gateway_role,db.role,db.settings,gateway.host_public,mail.smtp,ops.metrics,pay.https,shop.empty,staff.owner,sys.disk,sys.files"

const idsOf = (lines: string) =>
  lines
    .split("\n")
    .flatMap((line) => line.split("\t")[1] ?? [])
    .toSorted()

layer(TestDatabase.layer, { excludeTestServices: true })(
  "A service with real money that is not ready to sell",
  (it) => {
    it.effect("is refused, starts with --force, and doctor says why beside it and without it", () =>
      Effect.gen(function* () {
        const env = { ...unready, DATABASE_URL: yield* TestDatabase.url }
        const starts = [["--no-gateway"], ["--no-gateway", "--workers", "2"]]
        const refusals = yield* Effect.forEach(starts, (words) => RunningService.failing(words, env), {
          concurrency: 2
        })
        for (const { code, stderr } of refusals) {
          assert.strictEqual(code, 1)
          assert.lengthOf(stderr.trim().split("\n"), 1, stderr)
          for (const id of ["gateway.host_public", "pay.https"]) assert.include(stderr, `${id}: `)
        }

        const service = yield* RunningService.makeWith({ args: ["--no-gateway", "--force"], env })
        yield* service.start
        for (const id of ["gateway.host_public", "pay.https"])
          assert.include(service.output(), `serve --force overrides ${id}: `)

        const beside = { ...env, PUBLIC_URL: service.url }
        const found = yield* run(beside, "doctor", "--json")
        assert.strictEqual(found.code, 2)
        const findings = found.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        for (const finding of findings) assert.hasAllKeys(finding, ["id", "severity", "state", "text"])
        const blockers = findings.filter(({ severity, state }) => severity === "blocker" && state === "failed")
        assert.deepStrictEqual(
          blockers.map(({ id }) => id),
          ["gateway.host_public", "pay.https"]
        )
        assert.isUndefined(findings.find(({ id }) => id === "net.public_url"))
        assert.match(
          found.stderr,
          /^checks: \d+, blockers: 2, errors: 2, warnings: \d+, notes: 0, accepted: 0, unknown: \d+\n$/
        )

        const nobody = { ...env, PUBLIC_URL: "http://127.0.0.1:1" }
        const accepted = yield* run({ ...nobody, DOCTOR_ALLOW: others }, "doctor")
        assert.strictEqual(accepted.code, 0, accepted.stdout)
        assert.include(accepted.stdout, "accepted\tgateway.host_public\tGATEWAY_HOST is 127.0.0.1")
        assert.include(accepted.stdout, "unknown\tnet.public_url\thttp://127.0.0.1:1/health/live does not answer")
        const warned = yield* run({ ...nobody, DOCTOR_ALLOW: others.replace("db.role,", "") }, "doctor")
        assert.strictEqual(warned.code, 1)
        assert.include(warned.stdout, "warning\tdb.role\t")
        assert.deepStrictEqual(idsOf(warned.stdout), idsOf(accepted.stdout))
      })
    )

    it.effect("is checked without a database too, which doctor does not make", () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* run({ ...unready, DATA_DIR: "/dev/null/nowhere" }, "doctor")
        assert.strictEqual(code, 2)
        const first =
          "error\tdb.usable\tThe database cannot be used: there is none in /dev/null/nowhere; start the service once"
        assert.isTrue(stdout.startsWith(first), stdout)
        assert.include(stdout, "blocker\tgateway.host_public\t")
        assert.include(stdout, "unknown\tgateway.exits\tsee db.usable\n")
        assert.match(stderr, /^checks: /)
      })
    )

    it.effect("fails with one line when a setting stops every check", () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* run({ DATA_DIR: "/dev/null/nowhere", PORT: "many" }, "doctor")
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /^PORT: Expected an integer/)
      })
    )
  }
)
