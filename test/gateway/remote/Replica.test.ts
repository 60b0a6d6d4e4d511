import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { randomUUID } from "node:crypto"
import { GatewayProxyId } from "../../../src/gateway/GatewayProxy.ts"
import { Replica } from "../../../src/gateway/remote/Replica.ts"
import type { ServedProxy } from "../../../src/gateway/ServedProxy.ts"

const proxy = (revision = 1): ServedProxy => ({
  id: GatewayProxyId.make(randomUUID()),
  article: null,
  kind: "residential",
  ip_version: "IPv4",
  protocol: "HTTP",
  port: 20_000,
  logins: [{ username: "a", password: "b" }],
  whitelist: [],
  exit_ip: null,
  account_id: null,
  rotations: 0,
  cycle: 1,
  limit_bytes: null,
  used_bytes: 0n,
  leased_bytes: 0n,
  status: "open",
  suspended_at: null,
  probe_key: "",
  rate_bps: null,
  max_connections: null,
  udp: false,
  destinations: [],
  session_minutes: null,
  session_minutes_most: null,
  expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
  revision
})

const snapshot = (proxies: ReadonlyArray<ServedProxy>, end: boolean, regressed = false, version = 5n) =>
  ({ _tag: "Snapshot", version, proxies, end, regressed }) as const

const delta = (
  from: bigint,
  version: bigint,
  changed: ReadonlyArray<ServedProxy>,
  removed: ReadonlyArray<ServedProxy> = []
) => ({ _tag: "Delta", from, version, changed, removed: removed.map(({ id }) => id) }) as const

const ids = (replica: Replica) => replica.proxies.map(({ id }) => id)

it("removes what a snapshot does not name only at its end", () => {
  const replica = new Replica()
  const [old, kept, next] = [proxy(), proxy(), proxy()]
  replica.restore(3n, [old, kept], { version: "1", rules: [] })
  assert.deepStrictEqual(replica.apply(snapshot([kept], false)), { changed: [], isCurrent: false, gap: false })
  assert.deepStrictEqual(ids(replica), [old.id, kept.id])
  assert.deepStrictEqual(replica.apply(snapshot([next], true)), {
    changed: [next.id, old.id],
    isCurrent: true,
    gap: false
  })
  assert.deepStrictEqual(ids(replica), [kept.id, next.id])
  assert.strictEqual(replica.find(old.id)?.status, "closed")
  assert.strictEqual(replica.version, 5n)
})

it("forgets the half of a snapshot of an ended connection", () => {
  const replica = new Replica()
  const [first, second] = [proxy(), proxy()]
  replica.apply(snapshot([first], false))
  replica.restart()
  replica.apply(snapshot([second], true))
  assert.deepStrictEqual(ids(replica), [second.id])
})

it("keeps what a restored centre does not know", () => {
  const replica = new Replica()
  const [known, unknown] = [proxy(), proxy()]
  replica.restore(9n, [known, unknown], { version: "1", rules: [] })
  replica.apply(snapshot([known], true, true))
  assert.deepStrictEqual(ids(replica), [known.id, unknown.id])
})

it("applies changes only after the version that they follow", () => {
  const replica = new Replica()
  const one = proxy()
  replica.apply(snapshot([one], true))
  assert.isTrue(replica.apply(delta(4n, 7n, [])).gap)
  assert.isTrue(replica.apply(delta(6n, 7n, [], [one])).gap)
  assert.deepStrictEqual(ids(replica), [one.id])
  const changed = { ...one, revision: 2 }
  assert.deepStrictEqual(replica.apply(delta(5n, 7n, [changed])), { changed: [one.id], isCurrent: false, gap: false })
  assert.strictEqual(replica.find(one.id)?.revision, 2)
  replica.apply(delta(7n, 8n, [], [one]))
  assert.deepStrictEqual(ids(replica), [])
  assert.isTrue(replica.apply(delta(8n, 8n, [])).isCurrent)
})
