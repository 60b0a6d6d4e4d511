import { Config, Console, DateTime, Duration, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isIP } from "node:net"
import { AbuseLookUp, type AbuseAnswer, type Candidate, countedAtMost } from "../abuse/AbuseLookUp.ts"
import { resolve } from "../platform/outbound/NameResolution.ts"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { canonicalAddress } from "../platform/outbound/PublicAddress.ts"

/** Holds of exit addresses are removed after this time, so an older question has no answer. */
const keptDays = 400
const destinationsAtMost = 32

class AbuseQuestionRefused extends Schema.TaggedError<AbuseQuestionRefused>()("AbuseQuestionRefused", {
  message: Schema.String
}) {}

const refuse = (message: string) => new AbuseQuestionRefused({ message })

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

const timeOf = (text: string) => (zoned.test(text) ? Option.map(DateTime.make(text), DateTime.toUtc) : Option.none())

/** Reads `[port] time`. */
const portAndTime = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const text = words.at(-1) ?? ""
  const at = timeOf(text)
  if (Option.isNone(at))
    return yield* refuse(
      `Expected the time of the complaint with its zone, such as 2027-01-31T12:00:00Z or 2027-01-31T13:00:00+01:00, got ${text}`
    )
  const [port] = words.length > 1 ? words : []
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return yield* refuse(`Expected a source port from 1 to 65535, got ${port}`)
  const now = yield* DateTime.now
  if (DateTime.isGreaterThan(at.value, DateTime.add(now, { minutes: 5 })))
    return yield* refuse("The time is in the future; check the zone of the complaint")
  if (DateTime.isLessThan(at.value, DateTime.subtract(now, { days: keptDays })))
    return yield* refuse(`The records go back ${keptDays} days`)
  return { at: at.value, exit_port: port === undefined ? null : Number(port) }
})

/** Resolves the destination of a complaint. Its name may lead to other addresses than it did at that time. */
const addressesOf = Effect.fnUntraced(function* (host: string) {
  const literal = canonicalAddress(host)
  const found = literal !== undefined ? [literal] : (yield* Effect.promise(() => resolve(host))).map(canonical)
  if (found.length === 0) return yield* refuse(`The name ${host} was not found; give the address of the destination`)
  return found.slice(0, destinationsAtMost)
})

/** True for the public address of the gateway's machine, as far as this machine knows it. */
const isOwn = Effect.fnUntraced(function* (exit_ip: string) {
  const host = yield* Config.String("GATEWAY_HOST").pipe(Config.withDefault(""))
  const ofHost = isIP(host) !== 0 || host === "" ? [host] : yield* Effect.promise(() => resolve(host))
  return [...ofHost, ...interfaceAddresses()].map(canonical).includes(exit_ip)
})

const iso = DateTime.formatIso

const lines = ({ connections, email, from_at, order_id, proxy_id, until_at, user_id }: Candidate) => [
  [
    `order ${order_id}`,
    user_id === null ? "no account" : `account ${user_id}`,
    email ?? "no email",
    `proxy ${proxy_id}`,
    `held ${iso(from_at)} to ${until_at === null ? "now" : iso(until_at)}`
  ].join("\t"),
  ...connections.map((seen) =>
    [
      "",
      `${seen.exit_ip} port ${seen.exit_port}`,
      `to port ${seen.destination_port}`,
      `${iso(seen.opened_at)} to ${iso(seen.seen_at)}`
    ].join("\t")
  )
]

const headline = ({ because, total, verdict }: AbuseAnswer) => {
  if (verdict === "exact") return `exact\t${because}`
  if (verdict === "not_ours") return `not ours\t${because}`
  return `narrowed to ${total}${total === countedAtMost ? " or more" : ""}\t${because}`
}

const find = Command.make(
  "find",
  {
    exit: Argument.String("address").pipe(
      Argument.filterMap(
        (text) => Option.fromUndefinedOr(canonicalAddress(text)),
        (text) => `Expected an IP address, got ${text}`
      ),
      Argument.withDescription("The exit address that the complaint names")
    ),
    when: Argument.String("time").pipe(
      Argument.between(1, 2),
      Argument.withMetavar("[port] time"),
      Argument.withDescription(
        "The source port, if the complaint names one, and the time with its zone, such as 2027-01-31T12:00:00Z"
      )
    ),
    tolerance: Flag.Int("tolerance").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 }))),
      Flag.withDefault(120),
      Flag.withMetavar("seconds"),
      Flag.withDescription("Difference between the clocks, in seconds, 0 to 3600; default: 120")
    ),
    destination: Flag.String("destination").pipe(
      Flag.optional,
      Flag.withMetavar("host"),
      Flag.withDescription("Address or name of the destination, if the complaint names it")
    ),
    machine: Flag.Boolean("machine").pipe(
      Flag.withDefault(false),
      Flag.withDescription("The address is the gateway's machine's own, as the internet sees it")
    )
  },
  Effect.fn(function* ({ destination, exit, machine, tolerance, when }) {
    const lookUp = yield* AbuseLookUp
    const question = {
      exit_ip: exit,
      ...(yield* portAndTime(when)),
      tolerance: Duration.seconds(tolerance),
      destinations: Option.isNone(destination) ? null : yield* addressesOf(destination.value),
      isMachine: machine || (yield* isOwn(exit))
    }
    const answer = yield* lookUp.find(question)
    yield* Console.log(headline(answer))
    if (question.destinations !== null) yield* Console.log(`looked for\t${question.destinations.join(" ")}`)
    for (const each of answer.candidates) for (const line of lines(each)) yield* Console.log(line)
    if (answer.total > answer.candidates.length)
      yield* Console.log(`${answer.total - answer.candidates.length} more are not shown`)
  })
).pipe(
  Command.withDescription(
    "Find the order and the account behind a complaint: exact, narrowed to several, or not ours. Never guesses"
  )
)

export const abuse = <E, R>(services: Layer.Layer<AbuseLookUp, E, R>) =>
  Command.make("abuse").pipe(
    Command.withDescription("Answer complaints about exit addresses"),
    Command.withSubcommands([Command.provide(find, services)])
  )
