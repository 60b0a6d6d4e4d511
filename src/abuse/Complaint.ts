import { Config, DateTime, Duration, Effect, Schema } from "effect"
import { isIP } from "node:net"
import { resolve } from "../platform/outbound/NameResolution.ts"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { canonicalAddress } from "../platform/outbound/PublicAddress.ts"
import type { AbuseQuestion } from "./AbuseLookUp.ts"

/** A complaint as somebody passes it on. */
export interface Complaint extends Pick<AbuseQuestion, "exit_ip" | "exit_port" | "at"> {
  readonly tolerance_seconds: number
  /** An address or a name, at most 253 characters. Null: the complaint names none. */
  readonly destination: string | null
  /** True when somebody knows that the address is the machine's own, as the internet sees it. */
  readonly is_machine: boolean
}

/** A complaint that cannot be answered as it is. */
export class ComplaintRefused extends Schema.TaggedError<ComplaintRefused>()("ComplaintRefused", {
  field: Schema.Literals(["at", "destination"]),
  message: Schema.String
}) {}

const refuse = (field: ComplaintRefused["field"], message: string) => new ComplaintRefused({ field, message })

const destinationsAtMost = 32
/** Clocks differ; a later time is a mistake in the zone. */
const earlyAtMost = Duration.minutes(5)

/** Resolves the destination of a complaint. Its name may lead to other addresses than it did at that time. */
const addressesOf = Effect.fnUntraced(function* (host: string) {
  const literal = canonicalAddress(host)
  const found = literal !== undefined ? [literal] : (yield* Effect.promise(() => resolve(host))).map(canonical)
  if (found.length === 0)
    return yield* refuse("destination", `The name ${host} was not found; give the address of the destination`)
  return found.slice(0, destinationsAtMost)
})

/** Makes the function that turns a complaint into a question: it knows the machine's own addresses, and resolves names. */
export const makeQuestion = Effect.gen(function* () {
  const host = yield* Config.String("GATEWAY_HOST").pipe(Config.withDefault(""))

  /** True for the public address of the gateway's machine, as far as this machine knows it. */
  const isOwn = Effect.fnUntraced(function* (exit_ip: string) {
    const ofHost = isIP(host) !== 0 || host === "" ? [host] : yield* Effect.promise(() => resolve(host))
    return [...ofHost, ...interfaceAddresses()].map(canonical).includes(exit_ip)
  })

  return Effect.fnUntraced(function* (complaint: Complaint): Effect.fn.Return<AbuseQuestion, ComplaintRefused> {
    const { at, destination, exit_ip, exit_port, is_machine, tolerance_seconds } = complaint
    if (DateTime.isGreaterThan(at, DateTime.addDuration(yield* DateTime.now, earlyAtMost)))
      return yield* refuse("at", "The time is in the future; check the zone of the complaint")
    return {
      exit_ip,
      exit_port,
      at,
      tolerance: Duration.seconds(tolerance_seconds),
      destinations: destination === null ? null : yield* addressesOf(destination),
      isMachine: is_machine || (yield* isOwn(exit_ip))
    }
  })
})
