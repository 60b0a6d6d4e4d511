import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { freePort } from "../test/support/FreePort.ts"
import * as AnswerInvariants from "./AnswerInvariants.ts"
import * as Care from "./Care.ts"
import * as CareInvariants from "./CareInvariants.ts"
import * as Client from "./Client.ts"
import * as Clock from "./Clock.ts"
import * as DatabaseInvariants from "./DatabaseInvariants.ts"
import * as DocumentInvariants from "./DocumentInvariants.ts"
import { Failpoints, type Mode, modes } from "./Failpoints.ts"
import * as Forms from "./Forms.ts"
import * as Instance from "./Instance.ts"
import * as NewsInvariants from "./NewsInvariants.ts"
import * as Papers from "./Papers.ts"
import type { Postgres } from "./Postgres.ts"
import * as Observer from "./Observer.ts"
import * as Operator from "./Operator.ts"
import { Random } from "./Random.ts"
import * as RefundInvariants from "./RefundInvariants.ts"
import * as Receiver from "./Receiver.ts"
import * as Reconcile from "./Reconcile.ts"
import { type Account, Record } from "./Record.ts"
import * as Stripe from "./Stripe.ts"
import * as TopUpInvariants from "./TopUpInvariants.ts"
import * as TopUps from "./TopUps.ts"
import * as Vendor from "./Vendor.ts"
import * as Wire from "./Wire.ts"
import * as Withdrawals from "./Withdrawals.ts"

/** Ten minutes of the product pass in one. */
const speed = 10
const names = ["one", "two"] as const

interface Options {
  /** The directory that has the `src` to run. */
  readonly root: string
  /** The directory for the run's logs and mail. */
  readonly directory: string
  readonly postgres: Postgres
  readonly database: string
  readonly seed: number
}

const perInstance = <A>(make: (name: (typeof names)[number]) => A) => ({ one: make("one"), two: make("two") })

const settingsOf = (options: Options, receiver: number, firstPort: number) => ({
  DATA_DIR: options.directory,
  LOG_FORMAT: "json",
  // Instances of one service have one address: each accepts the other's tokens.
  PUBLIC_URL: "http://localhost",
  BLOCKLISTS: "none",
  GATEWAY_PORTS: `${firstPort}-${firstPort + 5999}`,
  PROVIDERS: "gateway,proxy-seller",
  PROXY_SELLER_API_KEY: "key",
  // Stripe takes the place of the sandbox for cards. The vendor sells for sandbox money.
  SANDBOX: "true",
  PAYOUTS: "true",
  SANDBOX_UNSAFE: "true",
  OUTBOUND_ALLOW: `127.0.0.1:${receiver}`,
  // Most customers never open their mail.
  VERIFIED_EMAIL_TO_BUY: "false",
  // A referrer's share of a payment is due immediately, and customers come from different addresses.
  REFERRAL_HOLD_DAYS: "0",
  TRUST_PROXY: "1",
  // An announcement has several pages of mails.
  ANNOUNCEMENT_MAILS_PER_MINUTE: "120",
  RATE_LIMIT_PER_MINUTE: "1000000",
  AUTH_RATE_LIMIT_FACTOR: "1000000"
})

const startInstances = Effect.fnUntraced(function* (
  options: Options,
  {
    clock,
    failpoints,
    random,
    receiver
  }: { clock: () => Clock.Pace; failpoints: Failpoints; random: Random; receiver: number }
) {
  const { database, directory, postgres, root } = options
  const instances = new Map<string, Instance.Instance>()
  /** An instance may be killed while the other can serve, and lose an answer at any time. */
  const allowedAt = (name: string): ReadonlyArray<Mode> => {
    if (!instances.get(name)?.isArmed()) return []
    return [...instances.values()].every(({ isUp }) => isUp()) ? modes : ["lose answer"]
  }
  const judges = perInstance((name) => ({
    judge: (point: string) => failpoints.judge(point, allowedAt(name)),
    kill: () => instances.get(name)?.kill()
  }))
  const vendor = yield* Vendor.start({ now: () => Clock.now(clock()), random, judges })
  const stripe = yield* Stripe.start({ now: () => Clock.now(clock()), random, judges })
  const env = settingsOf(options, receiver, 11_000 + 6000 * (process.pid % 3))
  const urls: Array<string> = []
  for (const name of names) {
    const port = yield* freePort
    const wire = yield* Wire.serve(postgres.socketFile, judges[name])
    const url = `http://127.0.0.1:${port}`
    urls.push(url)
    const instance = yield* Instance.keep({
      name,
      root,
      args: ["serve", "--no-gateway"],
      env: {
        ...env,
        DATABASE_URL: `postgres://${postgres.username}@127.0.0.1:${wire}/${database}`,
        PORT: String(port),
        PROXY_SELLER_API_URL: vendor.urlFor(name),
        ...(yield* stripe.settingsFor(name))
      },
      isReady: () => Instance.answers(`${url}/health/ready`),
      log: path.join(directory, `${name}.log`),
      clock
    })
    instances.set(name, instance)
  }
  const services = [...instances.values()]
  // A gateway that finds no schema ends; the services make the schema.
  yield* Effect.forEach(services, ({ ready }) => ready, { discard: true })
  const outside = { ...env, ...(yield* stripe.settingsFor("operator")), DATABASE_URL: postgres.urlOf(database) }
  const gateway = yield* Instance.keep({
    name: "gateway",
    root,
    args: ["gateway"],
    env: outside,
    isReady: (said) =>
      Effect.flatMap(said, (text) => (text.includes("The gateway is ready") ? Effect.void : Effect.fail("not ready"))),
    log: path.join(directory, "gateway.log"),
    clock
  })
  const own = { ...outside, PROXY_SELLER_API_URL: vendor.urlFor("operator") }
  const reconcile = Effect.suspend(() =>
    Reconcile.differences(root, own, clock(), path.join(directory, "reconcile.log"))
  )
  const operator = Operator.make({ root, env: own, directory, random, clock })
  return { services, gateway, urls, vendor, stripe, reconcile, operator }
})

/** Two instances on one database, the gateway, a vendor and customers: all parts of a run except its story. */
export interface World {
  readonly random: Random
  /** The time of the product's clock. */
  readonly now: () => number
  readonly failpoints: Failpoints
  readonly record: Record
  readonly vendor: Vendor.Vendor
  readonly stripe: Stripe.Stripe
  readonly topUps: TopUps.TopUps
  readonly client: Client.Client
  /** Staff who gives and returns money. Call it when the services have made the schema. */
  readonly care: Effect.Effect<Care.Care>
  readonly papers: Papers.Papers
  /** The owner of an account reads the service's mail. */
  readonly verify: (user_id: string) => Effect.Effect<void>
  readonly receiverUrl: string
  readonly services: ReadonlyArray<Instance.Instance>
  readonly gateway: Instance.Instance
  /** Waits until every process serves. */
  readonly ready: Effect.Effect<void>
  /** Stops every process for a time, in milliseconds of the product's clock: its deadlines pass. */
  readonly outage: (millis: number) => Effect.Effect<void>
  /** The number of the vendor's leases that the product has not released. */
  readonly keptLeases: () => number
  readonly crashDatabase: Effect.Effect<void>
  readonly operator: Operator.Operator
  /** Restricts an account until the returned effect lifts that. */
  readonly restrict: (account: Account, preset: "suspend" | "ban") => Effect.Effect<Effect.Effect<void>>
  readonly unsettled: Effect.Effect<ReadonlyArray<string>>
  readonly provisionedAtVendor: Effect.Effect<number>
  readonly violations: Effect.Effect<ReadonlyArray<string>>
  readonly kills: () => number
  /** The names of the processes that do not serve. */
  readonly starting: () => ReadonlyArray<string>
  /** The mean time of a start of the slowest process, in milliseconds. */
  readonly meanStart: () => number
}

const provisionedAtVendor = Effect.map(
  SqlClient.SqlClient.use(
    (sql) => sql<{ count: number }>`
      SELECT count(*)::int AS count FROM proxy_order WHERE provider = 'proxy-seller' AND status = 'provisioned'`
  ),
  ([row]) => row?.count ?? 0
)

/** The invariants of the database and of the records that are broken. */
const broken = Effect.fnUntraced(function* ({
  mail,
  now,
  record,
  stripe,
  vendor
}: Pick<World, "record" | "stripe" | "vendor"> & { readonly mail: string; readonly now: number }) {
  const inDatabase = yield* DatabaseInvariants.violations(now)
  const ofCards = yield* TopUpInvariants.violations(record, stripe.payments)
  const ofCare = yield* CareInvariants.violations(record)
  const ofRefunds = yield* RefundInvariants.violations(stripe.refunds)
  return [
    ...inDatabase,
    ...ofCards,
    ...ofCare,
    ...ofRefunds,
    ...(yield* DocumentInvariants.violations(record, stripe.refunds)),
    ...(yield* NewsInvariants.violations(record, mail)),
    ...(yield* AnswerInvariants.violations(record, vendor.book))
  ]
})

interface Caring extends Omit<Parameters<typeof Withdrawals.make>[0], "password"> {
  readonly client: Client.Client
  readonly enrolStaff: Observer.Observer["enrolStaff"]
  readonly now: () => number
}

const careWith = ({ enrolStaff, ...world }: Caring) => {
  const withdraw = Withdrawals.make({ ...world, password: Client.password })
  return Effect.map(enrolStaff, (tokens) => Care.make({ ...world, tokens, withdraw }))
}

const keptIn = ({ book }: Vendor.Vendor) => book.leases.filter((lease) => !book.isReleased(lease)).length

export const make = Effect.fnUntraced(function* (options: Options) {
  const { database, directory, postgres, seed } = options
  fs.mkdirSync(directory, { recursive: true })
  yield* postgres.create(database)
  const random = new Random(seed)
  const failpoints = new Failpoints(random)
  const record = new Record()
  let pace = Clock.begin(speed)
  const now = () => Clock.now(pace)
  const receiver = yield* Receiver.start(record.received)
  const { gateway, operator, reconcile, services, stripe, urls, vendor } = yield* startInstances(options, {
    clock: () => pace,
    failpoints,
    random,
    receiver
  })
  const { browserOf, enrolStaff, query, restrict, secretOf, signIn, verify } = Observer.make(options)
  const client = Client.make({ urls, random, record, secretOf, verify })
  const people = { browserOf, client, forms: Forms.make({ client, random }), random, record }
  const topUps = yield* TopUps.start({ client, random, record, stripe, verify })
  const processes = [...services, gateway]
  const ready = Effect.forEach(processes, ({ ready }) => ready, { concurrency: 3, discard: true })

  const outage = Effect.fnUntraced(function* (millis: number) {
    yield* Effect.forEach(processes, ({ hold }) => hold, { concurrency: 3, discard: true })
    pace = Clock.later(pace, millis)
    yield* Effect.forEach(processes, ({ letGo }) => letGo, { discard: true })
    yield* ready
  })

  const world: World = {
    random,
    now,
    failpoints,
    record,
    vendor,
    stripe,
    topUps,
    client,
    care: careWith({
      ...people,
      confirmed: Effect.suspend(() => signIn(now())),
      enrolStaff,
      now,
      restrict: restrict(now)
    }),
    papers: Papers.make(people),
    verify,
    receiverUrl: `http://127.0.0.1:${receiver}/`,
    services,
    gateway,
    ready,
    outage,
    keptLeases: () => keptIn(vendor),
    crashDatabase: postgres.crash,
    operator,
    restrict: restrict(now),
    unsettled: Effect.suspend(() => query(DatabaseInvariants.unsettled(now()))),
    provisionedAtVendor: query(provisionedAtVendor),
    violations: Effect.gen(function* () {
      const found = yield* query(broken({ mail: path.join(directory, "mail"), now: now(), record, stripe, vendor }))
      const crashes = processes.flatMap(({ crashes }) => crashes())
      return [...found, ...crashes, ...operator.failures(), ...(yield* reconcile)]
    }),
    kills: () => processes.reduce((sum, { kills }) => sum + kills(), 0),
    starting: () => processes.filter(({ isUp }) => !isUp()).map(({ name }) => name),
    meanStart: () => Math.max(...processes.map(({ meanStart }) => meanStart()))
  }
  return world
})
