import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import type { PlacedRule } from "../gateway/PlacedRule.ts"
import { Text } from "../platform/fields/Text.ts"
import * as Actor from "../staff/Actor.ts"
import { RuleDesk } from "../staff/abuse/RuleDesk.ts"
import * as RuleText from "../platform/fields/RuleText.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<AccountLookUp | RuleDesk, E, R>

const actor = Effect.sync(() => Actor.cli(userInfo().username))

const listedAtMost = 1_000

class DestinationInvalid extends Schema.TaggedError<DestinationInvalid>()("DestinationInvalid", {
  message: Schema.String
}) {}

const Until = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/, { expected: "2027-01-01 or 2027-01-01T12:00:00Z" })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

const terms = {
  host: Flag.String("host").pipe(
    Flag.filterMap(RuleText.hostOf, (text) => `Expected a host name such as example.com, got ${text}`),
    Flag.withDescription("A host name, with every name below it"),
    Flag.optional
  ),
  network: Flag.String("network").pipe(
    Flag.filterMap(
      RuleText.networkOf,
      (text) => `Expected an address, or a network such as 203.0.113.0/24, got ${text}`
    ),
    Flag.withDescription("An address, or a network such as 203.0.113.0/24"),
    Flag.optional
  ),
  ports: Flag.String("ports").pipe(
    Flag.filterMap(RuleText.portsOf, (text) => `Expected a port or a range such as 6660-6669, got ${text}`),
    Flag.withDescription("A port, or a range such as 6660-6669; default: every port"),
    Flag.optional
  ),
  account: Flag.String("account").pipe(
    Flag.filterMap(AccountArgument.decode, AccountArgument.expected),
    Flag.withMetavar("id|email"),
    Flag.withDescription("Only for the proxies of this account"),
    Flag.optional
  ),
  article: Flag.String("article").pipe(Flag.withDescription("Only for the proxies of this article"), Flag.optional),
  proxy: Flag.String("proxy").pipe(
    Flag.withMetavar("id"),
    Flag.withDescription("Only for the proxy with this order id or proxy id"),
    Flag.optional
  ),
  until: Flag.String("until").pipe(
    Flag.withSchema(Until),
    Flag.withDescription("End of the rule in UTC, such as 2027-01-01; default: until it is removed"),
    Flag.optional
  ),
  reason: Flag.String("reason").pipe(
    Flag.withSchema(Text(1, 500)),
    Flag.withDescription("Why, in up to 500 characters")
  )
}
type Terms = Command.Command.Config.Infer<typeof terms>

/** Returns the scope of the terms. A rule without one holds for the whole platform. */
const scopeOf = Effect.fnUntraced(function* ({ account, article, proxy }: Terms) {
  const given = [account, article, proxy].filter(Option.isSome)
  if (given.length > 1)
    return yield* new DestinationInvalid({ message: "Give only one of --account, --article and --proxy" })
  if (Option.isSome(account)) {
    const scope_id = yield* AccountLookUp.use(({ find }) => find(account.value))
    return { scope: "account", scope_id } as const
  }
  if (Option.isSome(article)) return { scope: "article", scope_id: article.value } as const
  if (Option.isSome(proxy)) return { scope: "proxy", scope_id: proxy.value } as const
  return { scope: "platform", scope_id: null } as const
})

const destinationOf = ({ first_port, host_suffix, last_port, network }: PlacedRule) => {
  const ports = first_port === last_port ? `port ${first_port}` : `ports ${first_port}-${last_port}`
  return [host_suffix ?? network ?? "every destination", ...(first_port === null ? [] : [ports])].join(" ")
}

const line = (rule: PlacedRule) =>
  [
    rule.id,
    rule.action,
    rule.scope_id === null ? rule.scope : `${rule.scope} ${rule.scope_id}`,
    destinationOf(rule),
    rule.until_at === null ? "until removed" : `until ${DateTime.formatIso(rule.until_at)}`,
    `by ${rule.placed_by} at ${DateTime.formatIso(rule.placed_at)}`,
    rule.reason.replace(/\s+/g, " ")
  ].join("\t")

const place = (action: PlacedRule["action"]) =>
  Effect.fnUntraced(function* (given: Terms) {
    if (Option.isSome(given.host) && Option.isSome(given.network))
      return yield* new DestinationInvalid({ message: "Give only one of --host and --network" })
    const scope = yield* scopeOf(given)
    const desk = yield* RuleDesk
    const placed = desk.place(yield* actor, randomUUID(), {
      ...scope,
      ...Option.getOrElse(given.ports, () => ({ first_port: null, last_port: null })),
      action,
      network: Option.getOrNull(given.network),
      host_suffix: Option.getOrNull(given.host),
      until_at: Option.getOrNull(given.until),
      reason: given.reason
    })
    const told = Effect.catchTag(
      placed,
      "RuleRefused",
      ({ details }) => new DestinationInvalid({ message: details.why })
    )
    yield* Console.log(line((yield* told).answer))
  })

const deny = Command.make("deny", terms, place("deny")).pipe(
  Command.withDescription("Block destinations; open connections to them are closed")
)

const allow = Command.make("allow", terms, place("allow")).pipe(
  Command.withDescription("Allow destinations that a rule of a wider scope blocks")
)

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const desk = yield* RuleDesk
    const { items: rules } = yield* tellFailure(desk.list(yield* actor, { limit: listedAtMost }))
    if (rules.length === 0) yield* Console.log("No rules: every public destination is open")
    yield* Effect.forEach(rules, (rule) => Console.log(line(rule)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listedAtMost} newest rules about destinations`))

const remove = Command.make(
  "remove",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The id of the rule")),
    reason: Flag.String("reason").pipe(
      Flag.withSchema(Text(1, 500)),
      Flag.optional,
      Flag.withDescription("Why, for the audit log, in up to 500 characters")
    )
  },
  Effect.fn(function* ({ id, reason }) {
    const desk = yield* RuleDesk
    const removed = desk.remove(yield* actor, id, Option.getOrNull(reason))
    const told = Effect.catchTag(
      removed,
      "RuleNotFound",
      () => new DestinationInvalid({ message: `There is no rule ${id}` })
    )
    yield* Console.log(`removed\t${line(yield* told)}`)
  })
).pipe(Command.withDescription("Remove a rule"))

export const destinations = <E, R>(services: Services<E, R>) =>
  Command.make("destinations").pipe(
    Command.withDescription("Block destinations for all proxies, an article, an account or a proxy"),
    Command.withSubcommands([
      Command.provide(list, services),
      Command.provide(deny, services),
      Command.provide(allow, services),
      Command.provide(remove, services)
    ])
  )
