import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { GatewayNodeName } from "../gateway/GatewayNode.ts"
import { Nodes } from "../gateway/nodes/Nodes.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import { recorded } from "./Recorded.ts"

const name = Argument.String("name").pipe(
  Argument.withSchema(GatewayNodeName),
  Argument.withDescription("The name of the node, such as fra1")
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Why, for the other operators"), Flag.optional)

type Listed = Effect.Success<Nodes["Service"]["list"]>[number]

const seen = ({ heard_at }: Listed) => (heard_at === null ? "never heard" : `heard ${DateTime.formatIso(heard_at)}`)

const line = (node: Listed) =>
  [
    node.name,
    node.state,
    `${node.open_proxies} proxies`,
    node.host ?? "GATEWAY_HOST",
    ...(node.name === "local" ? [] : [node.has_key ? seen(node) : "no key"])
  ].join("\t")

const details = (node: Listed) =>
  [
    line(node),
    `since ${DateTime.formatIso(node.state_since)}`,
    `changes that it has not confirmed: ${node.behind ?? "unknown"}`,
    `its clock minus ours: ${node.offset_ms === null ? "unknown" : `${-node.offset_ms} ms`}`
  ].join("\n")

const told = <E, R>(effect: Effect.Effect<string, E, R>) => Effect.flatMap(effect, Console.log)

/** Makes a change of a node, with an event in the audit log. */
const change = <A, E, R>(name: string, done: string, effect: Effect.Effect<A, E, R>, reason: string | null = null) =>
  recorded(effect, () => ({
    action: "setting.change",
    subject: { kind: "node", id: name },
    after: { state: done },
    ...(reason === null ? {} : { reason })
  }))

const joinLine = (node: string, word: string) =>
  `Run this on the host of ${node} within 24 hours; it works once:\n\nnode src/main.ts gateway --node ${node} --join ${word}`

const add = Command.make(
  "add",
  {
    name,
    host: Flag.String("host").pipe(
      Flag.withDescription("The host name or address that customers connect to, such as fra1.example.com")
    )
  },
  ({ host, name }) =>
    told(
      Effect.map(
        change(
          name,
          "added",
          Nodes.use(({ add }) => add(name, host))
        ),
        (word) => joinLine(name, word)
      )
    )
).pipe(Command.withDescription("Add a host, and print the line that its gateway joins with"))

const list = Command.make("list", {}, () =>
  Nodes.use(({ list }) => Effect.flatMap(list, (nodes) => Console.log(nodes.map(line).join("\n"))))
).pipe(Command.withDescription("List the hosts that run gateways"))

const show = Command.make("show", { name }, ({ name }) =>
  told(Nodes.use(({ find }) => Effect.map(find(name), details)))
).pipe(Command.withDescription("Show one host"))

const rejoin = Command.make("rejoin", { name }, ({ name }) =>
  told(
    Effect.map(
      change(
        name,
        "rejoins",
        Nodes.use(({ rejoin }) => rejoin(name))
      ),
      (word) => joinLine(name, word)
    )
  )
).pipe(Command.withDescription("Print another line to join with, for a host that has lost its key"))

const revoke = Command.make("revoke", { name }, ({ name }) =>
  told(
    Effect.map(
      change(
        name,
        "revoked",
        Nodes.use(({ revoke }) => revoke(name))
      ),
      line
    )
  )
).pipe(Command.withDescription("End the key of a host, and its connections to the service"))

const drain = Command.make("drain", { name, reason }, ({ name, reason }) =>
  told(
    Effect.map(
      change(
        name,
        "drained",
        Nodes.use(({ drain }) => drain(name, Option.getOrNull(reason))),
        Option.getOrNull(reason)
      ),
      line
    )
  )
).pipe(Command.withDescription("Mark a host as draining. What runs there goes on"))

const undrain = Command.make("undrain", { name }, ({ name }) =>
  told(
    Effect.map(
      change(
        name,
        "undrained",
        Nodes.use(({ undrain }) => undrain(name))
      ),
      line
    )
  )
).pipe(Command.withDescription("Mark a drained host as ready"))

const lose = Command.make("lose", { name, reason }, ({ name, reason }) =>
  told(
    Effect.map(
      change(
        name,
        "lost",
        Nodes.use(({ lose }) => lose(name, Option.getOrNull(reason))),
        Option.getOrNull(reason)
      ),
      line
    )
  )
).pipe(Command.withDescription("Declare a host lost"))

const retire = Command.make("retire", { name }, ({ name }) =>
  told(
    Effect.map(
      change(
        name,
        "retired",
        Nodes.use(({ retire }) => retire(name))
      ),
      line
    )
  )
).pipe(Command.withDescription("End a host without proxies for ever"))

/** Hosts that run gateways. `services` is built only when a subcommand runs. */
export const nodes = <E, R>(services: Layer.Layer<Atomically | Audit | Nodes, E, R>) =>
  Command.make("nodes").pipe(
    Command.withDescription("Manage the hosts that run gateways"),
    Command.withSubcommands([
      Command.provide(add, services),
      Command.provide(list, services),
      Command.provide(show, services),
      Command.provide(revoke, services),
      Command.provide(rejoin, services),
      Command.provide(drain, services),
      Command.provide(undrain, services),
      Command.provide(lose, services),
      Command.provide(retire, services)
    ])
  )
