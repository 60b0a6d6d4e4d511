import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { abuse } from "../../src/cli/AbuseCommand.ts"
import { destinations } from "../../src/cli/DestinationsCommand.ts"
import { AbuseDesk } from "../../src/staff/abuse/AbuseDesk.ts"
import { RuleDesk } from "../../src/staff/abuse/RuleDesk.ts"
import { newUser } from "../support/Fixtures.ts"
import { offer, paidOrder } from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const services = Layer.mergeAll(AbuseDesk.layer, AccountLookUp.layer, RuleDesk.layer).pipe(
  Layer.provideMerge([TestDatabase.layer, NodeServices.layer])
)

const find = runner(abuse(Layer.effect(AbuseDesk, AbuseDesk)))
const rules = runner(
  destinations(Layer.merge(Layer.effect(AccountLookUp, AccountLookUp), Layer.effect(RuleDesk, RuleDesk)))
)

/** A proxy of an order that holds an address of its own since the epoch. */
const sold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [user, order, proxy] = [yield* newUser, randomUUID(), randomUUID()]
  yield* offer
  yield* sql`INSERT INTO proxy_order ${sql.insert(paidOrder(order, user, DateTime.makeUnsafe(0)))}`
  yield* sql`
    INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, exit_ip,
      expires_at, created_at, updated_at)
    VALUES (${proxy}, ${order}, 'datacenter', 'US', 'IPv4', 'HTTP', ${1 + Math.floor(Math.random() * 65_000)},
      '[{"username": "u", "password": "p"}]', 'open', '203.0.113.6', ${new Date(86_400_000)}, ${new Date(0)}, ${new Date(0)})
  `
  return { user, order, proxy }
})

layer(services)("abuse and destinations", (it) => {
  it.effect("find prints the order and the account, and explains a wrong question", () =>
    Effect.gen(function* () {
      const { order, proxy, user } = yield* sold
      const printed = yield* find("find 203.0.113.6 40000 1970-01-01T01:00:00+01:00")
      assert.strictEqual(
        printed,
        `exact\tonly this proxy held the address\norder ${order}\taccount ${user}\t${user}@example.com\tproxy ${proxy}\theld 1970-01-01T00:00:00.000Z to now`
      )
      assert.include(yield* find("find 203.0.113.7 1970-01-01T00:00:00Z"), "not ours\tno proxy held this address")
      assert.include(yield* find("find 203.0.113.6 1970-01-01T00:00:00"), "with its zone")
      assert.include(yield* find("find 203.0.113.6 70000 1970-01-01T00:00:00Z"), "source port from 1 to 65535")
      assert.include(yield* find("find 203.0.113.6 1971-01-01T00:00:00Z"), "in the future")
      assert.strictEqual(
        yield* find("find 203.0.113.6 1968-01-01T00:00:00Z --reason case-4711"),
        "unknown\tthe records go back 400 days"
      )
      assert.include(yield* find("find example.com 1970-01-01T00:00:00Z"), "Expected an IP address")
      const asked = { destination: null, exit_port: null }
      const time = "1970-01-01T00:00:00.000Z"
      assert.deepStrictEqual(yield* events, [
        {
          action: "abuse.act",
          subject: "exit_address 203.0.113.6",
          user_id: user,
          reason: null,
          after: { ...asked, exit_port: 40_000, time, verdict: "exact" }
        },
        {
          action: "abuse.act",
          subject: "exit_address 203.0.113.7",
          user_id: null,
          reason: null,
          after: { ...asked, time, verdict: "not_ours" }
        },
        {
          action: "abuse.act",
          subject: "exit_address 203.0.113.6",
          user_id: null,
          reason: "case-4711",
          after: { ...asked, time: "1968-01-01T00:00:00.000Z", verdict: "unknown" }
        }
      ])
    })
  )

  it.effect("rules are placed, listed and removed", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.strictEqual(yield* rules("list"), "No rules: every public destination is open")
      const placed = yield* rules("deny --host *.Example.com. --ports 80-90 --reason scans")
      assert.match(placed, /^\S+\tdeny\tplatform\texample\.com ports 80-90\tuntil removed\tby cli:\S+ at \S+\tscans$/)
      const [id = ""] = placed.split("\t")
      const allowed = yield* rules(`allow --network 203.0.113.77/24 --account ${user}@example.com --reason x`)
      assert.include(allowed, "Expected an address, or a network")
      const other = yield* rules(
        `allow --network 203.0.113.0/24 --account ${user}@example.com --until 1970-02-01 --reason x`
      )
      assert.include(other, `\tallow\taccount ${user}\t203.0.113.0/24\tuntil 1970-02-01T00:00:00.000Z`)
      assert.lengthOf((yield* rules("list")).split("\n"), 2)
      assert.strictEqual(yield* rules(`remove ${id} --reason over`), `removed\t${placed}`)
      assert.strictEqual(yield* rules(`remove ${id}`), `failed: There is no rule ${id}`)
      assert.include(yield* rules("deny --reason x"), "without a condition")
      assert.include(
        yield* rules("deny --host a.test --network 8.8.8.8 --reason x"),
        "only one of --host and --network"
      )
      assert.include(yield* rules("deny --host 8.8.8.8 --reason x"), "Expected a host name")
      assert.include(yield* rules("deny --ports 9-1 --reason x"), "Expected a port")
      assert.include(yield* rules("deny --ports 9 --article none --reason x"), "The article none is unknown")
      assert.include(yield* rules("deny --ports 9 --article a --proxy b --reason x"), "only one of")
      assert.deepStrictEqual(
        (yield* events)
          .filter(({ action }) => action === "gateway.change")
          .map(({ reason, subject, user_id }) => [subject === `destination_rule ${id}`, user_id, reason]),
        [
          [true, null, "scans"],
          [false, user, "x"],
          [true, null, "over"]
        ]
      )
    })
  )
})
