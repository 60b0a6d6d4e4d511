import { type Config, Effect } from "effect"
import { isIP } from "node:net"
import {
  hiddenExit,
  isLoopback,
  missingExits,
  missingVersions,
  ownAddresses,
  sharedMachine,
  soldTwice
} from "../gateway/ExitAddresses.ts"
import { GatewayAllow, GatewayPorts, type PortRange } from "../gateway/GatewayConfig.ts"
import { canonical } from "../platform/outbound/OwnAddresses.ts"
import { isPublicText } from "../platform/outbound/PublicAddress.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"
import { isSet } from "./IsSet.ts"
import { Machine } from "./Machine.ts"
import { NotKnown } from "./NotKnown.ts"
import { isPublicHost } from "./PublicPlace.ts"

/** Passes a check when `PROVIDERS` does not name the built-in gateway. */
const whenSelling = <A, E, R>(
  answer: Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E | Config.ConfigError, R> =>
  Effect.flatMap(Names, (names) => (names.includes("gateway") ? answer : Effect.succeed(undefined)))

/** A name without a dot is one of a local network. */
const isReachable = (host: string) => isPublicHost(host) && (isIP(host) !== 0 || host.includes("."))

const hostPublic: Check = {
  id: "gateway.host_public",
  severity: "blocker",
  run: whenSelling(
    Effect.map(GatewayHost, (host) =>
      isReachable(host)
        ? undefined
        : failed(
            `GATEWAY_HOST is ${host}, which is not a public address or name: customers would buy proxies that they cannot reach; set the public address or name of the gateway's machine`
          )
    )
  )
}

const hostResolves: Check = {
  id: "gateway.host_resolves",
  // Many systems map their own name to a loopback address in this file, so a failure proves little.
  severity: "warning",
  run: whenSelling(
    Effect.gen(function* () {
      const host = yield* GatewayHost
      if (isIP(host) !== 0 || !isReachable(host)) return undefined
      const found = (yield* Machine).hostsEntries(host)
      if (found.length === 0)
        return yield* new NotKnown({
          reason: `look up ${host} (GATEWAY_HOST) on another machine: it must lead to the gateway's public address`
        })
      const wrong = found.filter((address) => !isPublicText(address))
      return wrong.length === 0
        ? undefined
        : failed(
            `The hosts file of this machine maps ${host} (GATEWAY_HOST) to ${wrong.join(", ")}, which customers cannot reach; take it out, or check that DNS has the public address`
          )
    })
  )
}

const facts = DatabaseFacts.use(({ read }) => read)

/** True when the gateway runs on this machine, false when on another one, undefined when none is connected. */
const runsHere = Effect.gen(function* () {
  const { name, runsGateway } = yield* Machine
  if (runsGateway !== undefined) return runsGateway
  const { gateways } = yield* facts
  if (gateways.length > 0) return gateways.some((place) => place.startsWith(`${name} `))
  // The gateway of an embedded database runs beside the service.
  return (yield* isSet("DATABASE_URL")) ? undefined : true
})

const exits: Check = {
  id: "gateway.exits",
  severity: "blocker",
  run: whenSelling(
    Effect.gen(function* () {
      const { exits, machine_goods } = yield* facts
      const interfaces = (yield* runsHere) === false ? [] : (yield* Machine).interfaces()
      const own = machine_goods.length === 0 ? [] : ownAddresses(yield* GatewayHost, interfaces)
      const twice = exits.filter((ip) => own.includes(ip))
      const reasons = [sharedMachine(machine_goods), twice.length === 0 ? undefined : soldTwice(twice, machine_goods)]
      const found = reasons.filter((reason) => reason !== undefined)
      return found.length === 0 ? undefined : failed(found.join("; "))
    })
  )
}

const exitVersion: Check = {
  id: "gateway.exit_version",
  severity: "blocker",
  run: whenSelling(
    Effect.gen(function* () {
      const { machine_versions } = yield* facts
      const missing = missingVersions(machine_versions, yield* GatewayHost, (yield* Machine).interfaces()).join(", ")
      if (missing === "") return undefined
      if ((yield* runsHere) !== true)
        return yield* new NotKnown({
          reason: `check that the gateway's machine has an ${missing} address that leads to the internet: the shop sells ${missing} proxies from its own address. This machine lacks one: if npm start runs the gateway here, the start is refused`
        })
      return failed(
        `The shop sells ${missing} proxies from the machine's own address, and this machine has no ${missing} address that leads to the internet, so they leave over another IP version; add one to an interface, or set state: off for these articles`
      )
    })
  )
}

const exitPrivate: Check = {
  id: "gateway.exit_private",
  severity: "blocker",
  run: whenSelling(
    Effect.map(facts, ({ exits }) => {
      const found = Map.groupBy(exits, hiddenExit)
      found.delete(undefined)
      const listed = [...found].map(([reason, ips]) => `${ips.join(", ")} (${reason})`)
      return listed.length === 0
        ? undefined
        : failed(
            `Destinations do not see these exit addresses of the shop: ${listed.join("; ")}. Remove them from shop.yaml and apply it; or accept the check, if your hoster gives each of them a public address of its own`
          )
    })
  )
}

const exitLoopback: Check = {
  id: "gateway.exit_loopback",
  severity: "blocker",
  run: whenSelling(
    Effect.map(facts, ({ exits }) => {
      const found = exits.filter(isLoopback)
      return found.length === 0
        ? undefined
        : failed(
            `The exit addresses ${found.join(", ")} are loopback addresses, from which proxies reach only this machine; remove them from shop.yaml and apply it`
          )
    })
  )
}

const exitBound: Check = {
  id: "gateway.exit_bound",
  severity: "blocker",
  run: whenSelling(
    Effect.gen(function* () {
      const missing = missingExits((yield* facts).exits, (yield* Machine).interfaces())
      if (missing.length === 0) return undefined
      const listed = missing.join(", ")
      if ((yield* runsHere) !== true)
        return yield* new NotKnown({
          reason: `check on the gateway's machine that its interfaces have ${listed}. This machine lacks them: if npm start runs the gateway here, the start is refused`
        })
      return failed(
        `No interface of this machine has the exit addresses ${listed}, so proxies with these addresses cannot connect; add them to an interface, or remove them from shop.yaml and apply it`
      )
    })
  )
}

const addressOf = (endpoint: string) => endpoint.slice(0, endpoint.lastIndexOf(":")).replace(/^\[|\]$/g, "")

const allow: Check = {
  id: "gateway.allow",
  severity: "blocker",
  run: whenSelling(
    Effect.gen(function* () {
      const own = new Set((yield* Machine).interfaces().map(canonical))
      const opened = [...(yield* GatewayAllow)].filter((endpoint) => {
        const address = addressOf(endpoint)
        return own.has(address) || !isPublicText(address)
      })
      return opened.length === 0
        ? undefined
        : failed(`GATEWAY_ALLOW opens ${opened.join(", ")} inside your network to every customer; take it out`)
    })
  )
}

const isSold = ({ except, first, last }: PortRange, port: number) =>
  port >= first && port <= last && !except.includes(port)

const countOf = (range: PortRange) =>
  range.last - range.first + 1 - range.except.filter((port) => port >= range.first && port <= range.last).length

const ports: Check = {
  id: "gateway.ports",
  severity: "warning",
  run: whenSelling(
    Effect.gen(function* () {
      const range = yield* GatewayPorts
      const { sold_ports } = yield* facts
      const count = countOf(range)
      const left = count - sold_ports.filter((port) => isSold(range, port)).length
      if (left >= count / 10) return undefined
      const remedy = "widen GATEWAY_PORTS; running proxies keep their ports"
      return left === 0
        ? failed(`All ${count} ports of GATEWAY_PORTS are sold, so no proxy can be sold; ${remedy}`, "error")
        : failed(`${left} of ${count} ports of GATEWAY_PORTS are left; ${remedy}`)
    })
  )
}

const openFiles: Check = {
  id: "sys.files",
  severity: "warning",
  run: whenSelling(
    Effect.gen(function* () {
      const limit = (yield* Machine).openFiles()
      const needed = countOf(yield* GatewayPorts) * 4
      return limit >= needed
        ? undefined
        : failed(
            `A process may open ${limit} files, and the ports of GATEWAY_PORTS need ${needed}; raise the limit (ulimit -n, LimitNOFILE) or narrow the range (docs/configuration.md, "Connections")`
          )
    })
  )
}

export const checks: ReadonlyArray<Check> = [
  hostPublic,
  hostResolves,
  exits,
  exitVersion,
  exitLoopback,
  exitPrivate,
  exitBound,
  allow,
  ports,
  openFiles
]
