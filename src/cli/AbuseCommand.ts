import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import { type AbuseAnswer, type Candidate, countedAtMost } from "../abuse/AbuseLookUp.ts"
import { ComplaintTime } from "../abuse/ComplaintTime.ts"
import { Line } from "../platform/fields/Line.ts"
import { canonicalAddress } from "../platform/outbound/PublicAddress.ts"
import * as Actor from "../staff/Actor.ts"
import { AbuseDesk } from "../staff/abuse/AbuseDesk.ts"
import { tellFailure } from "./TellFailure.ts"

class AbuseQuestionRefused extends Schema.TaggedError<AbuseQuestionRefused>()("AbuseQuestionRefused", {
  message: Schema.String
}) {}

const refuse = (message: string) => new AbuseQuestionRefused({ message })

const timeOf = Schema.decodeOption(ComplaintTime)

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
  return { at: at.value, exit_port: port === undefined ? null : Number(port) }
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
  if (verdict === "unknown") return `unknown\t${because}`
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
      Flag.withSchema(Line(1, 253)),
      Flag.optional,
      Flag.withMetavar("host"),
      Flag.withDescription("Address or name of the destination, if the complaint names it")
    ),
    machine: Flag.Boolean("machine").pipe(
      Flag.withDefault(false),
      Flag.withDescription("The address is the gateway's machine's own, as the internet sees it")
    ),
    reason: Flag.String("reason").pipe(
      Flag.withSchema(Line(1, 400)),
      Flag.optional,
      Flag.withMetavar("text"),
      Flag.withDescription("The case and why, for the audit log")
    )
  },
  Effect.fn(function* ({ destination, exit, machine, reason, tolerance, when }) {
    const desk = yield* AbuseDesk
    const answer = yield* desk
      .lookUp(Actor.cli(userInfo().username), {
        exit_ip: exit,
        ...(yield* portAndTime(when)),
        tolerance_seconds: tolerance,
        destination: Option.getOrNull(destination),
        is_machine: machine,
        reason: Option.getOrNull(reason)
      })
      .pipe(tellFailure)
    yield* Console.log(headline(answer))
    if (answer.destinations !== null) yield* Console.log(`looked for\t${answer.destinations.join(" ")}`)
    for (const each of answer.candidates) for (const line of lines(each)) yield* Console.log(line)
    if (answer.total > answer.candidates.length)
      yield* Console.log(`${answer.total - answer.candidates.length} more are not shown`)
  })
).pipe(
  Command.withDescription(
    "Find the order and the account behind a complaint: exact, narrowed to several, not ours, or unknown. Never guesses"
  )
)

export const abuse = <E, R>(services: Layer.Layer<AbuseDesk, E, R>) =>
  Command.make("abuse").pipe(
    Command.withDescription("Answer complaints about exit addresses"),
    Command.withSubcommands([Command.provide(find, services)])
  )
