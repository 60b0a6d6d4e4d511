import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { holdRetention } from "../gateway/HoldRetention.ts"
import { AbuseLookUpRepo, type Holder, type Moment, type Seen } from "./AbuseLookUpRepo.ts"

/** The question of a complaint: who left from this address, and port, at this time? */
export interface AbuseQuestion {
  /** The address that the complaint names, in its canonical form. */
  readonly exit_ip: string
  /** The source port that the complaint names. Null: it names none. */
  readonly exit_port: number | null
  readonly at: DateTime.Utc
  readonly tolerance: Duration.Duration
  /** The canonical addresses of the destination that the complaint names. Null: it names none. */
  readonly destinations: ReadonlyArray<string> | null
  /** True when `exit_ip` is the public address of the gateway's machine, also behind a translation of addresses. */
  readonly isMachine: boolean
}

/** A proxy that may have made the connection. */
export interface Candidate extends Holder {
  /** The recorded connections that fit. Empty: none was looked up. */
  readonly connections: ReadonlyArray<Seen>
}

/**
 * `exact`: only this proxy can have made the connection. `narrowed`: one of several proxies did, or the log is not complete.
 * `not_ours`: no proxy held the address. `unknown`: the records do not go back to this time.
 */
export interface AbuseAnswer {
  readonly verdict: "exact" | "narrowed" | "not_ours" | "unknown"
  /** The number of proxies that fit; at most `countedAtMost`. */
  readonly total: number
  /** The first of them. */
  readonly candidates: ReadonlyArray<Candidate>
  /** Says what the answer rests on. */
  readonly because: string
}

const listedAtMost = 20
export const countedAtMost = 1_000

const candidate = (holder: Holder): Candidate => ({ ...holder, connections: [] })

const among = (holders: ReadonlyArray<Holder>, because: string): AbuseAnswer => ({
  verdict: "narrowed",
  total: holders.length,
  candidates: holders.slice(0, listedAtMost).map(candidate),
  because
})

/** Groups the connections that fit by their proxies. A proxy whose connections are not recorded stays possible. */
const narrowed = (holders: ReadonlyArray<Holder>, seen: ReadonlyArray<Seen>) => {
  const byProxy = Map.groupBy(seen, ({ proxy_id }) => proxy_id)
  return holders.flatMap((holder) => {
    const connections = byProxy.get(holder.proxy_id)
    return connections === undefined && holder.is_logged ? [] : [{ ...holder, connections: connections ?? [] }]
  })
}

const none = (verdict: "not_ours" | "unknown", because: string): AbuseAnswer => ({
  verdict,
  total: 0,
  candidates: [],
  because
})

/** Says what an answer from the log rests on. */
const reasonOf = (found: ReadonlyArray<Candidate>, isTranslated: boolean, dropped: number) => {
  if (isTranslated)
    return "the recorded connections of these proxies fit the time; the port outside is not the recorded one, because the machine's address is translated"
  if (dropped > 0)
    return `the recorded connections of these proxies fit, and the log lacks ${dropped} connections of these days`
  if (found.some(({ is_logged }) => !is_logged))
    return "recorded connections of these proxies fit, but the connections of the static ones are not recorded"
  return "the recorded connections of these proxies fit"
}

/** Finds the orders behind a complaint. It never guesses: an answer that rests on incomplete records is not `exact`. */
export class AbuseLookUp extends Context.Service<
  AbuseLookUp,
  { readonly find: (question: AbuseQuestion) => Effect.Effect<AbuseAnswer> }
>()("app/abuse/AbuseLookUp") {
  static readonly layerNoDeps = Layer.effect(
    AbuseLookUp,
    Effect.gen(function* () {
      const repo = yield* AbuseLookUpRepo

      /** Compares destinations by the keys of the days on which a connection may have begun. */
      const macsOf = Effect.fnUntraced(function* (destinations: ReadonlyArray<string>) {
        const keys = yield* repo.keys
        return destinations.flatMap((address) =>
          keys.map(({ key }) => createHmac("sha256", key).update(address).digest().subarray(0, 16))
        )
      })

      const byLog = Effect.fnUntraced(function* (question: AbuseQuestion, holders: ReadonlyArray<Holder>, at: Moment) {
        const { destinations, exit_ip, exit_port, isMachine } = question
        const log = yield* repo.completeness(at)
        if (log.missing_days > 0)
          return among(holders, "several proxies held the address, and the log does not cover this time")
        const seen = yield* repo.connections(
          {
            proxy_ids: holders.map(({ proxy_id }) => proxy_id),
            exit_ip,
            exit_port,
            isMachine,
            macs: destinations === null ? null : yield* macsOf(destinations)
          },
          at
        )
        if (seen.length === 0)
          return among(holders, "several proxies held the address, and no recorded connection fits")
        const found = narrowed(holders, seen)
        const isTranslated = exit_port !== null && seen.some((one) => one.exit_ip !== exit_ip)
        const isWhole = log.dropped === 0 && holders.length < countedAtMost
        const isExact = found.length === 1 && isWhole && !isTranslated
        const verdict = isExact ? ("exact" as const) : ("narrowed" as const)
        const because = reasonOf(found, isTranslated, log.dropped)
        return { verdict, total: found.length, candidates: found.slice(0, listedAtMost), because }
      })

      const find = Effect.fn("AbuseLookUp.find")(function* (question: AbuseQuestion): Effect.fn.Return<AbuseAnswer> {
        const at: Moment = {
          from: DateTime.subtractDuration(question.at, question.tolerance),
          until: DateTime.addDuration(question.at, question.tolerance)
        }
        // Holds that have ended before are removed, so nobody can say who held the address.
        const kept = DateTime.subtractDuration(yield* DateTime.now, holdRetention)
        if (DateTime.isLessThan(at.from, kept))
          return none("unknown", `the records go back ${Duration.toDays(holdRetention)} days`)
        const holders = yield* repo.holders(question.exit_ip, question.isMachine, at, countedAtMost)
        const [only, another] = holders
        if (only === undefined) {
          const isUnsure = !question.isMachine && (yield* repo.hasHidden(at))
          return none(
            "not_ours",
            isUnsure
              ? "no proxy held this address; but some left from the machine's own address, or from one that a router translates: if this is the machine's address as the internet sees it, say so with --machine; else look for the address behind the router"
              : "no proxy held this address at this time"
          )
        }
        if (another === undefined)
          return {
            verdict: "exact",
            total: 1,
            candidates: [candidate(only)],
            because: "only this proxy held the address"
          }
        if (question.exit_port === null && question.destinations === null)
          return among(holders, "several proxies held the address; a source port or a destination may tell them apart")
        return yield* byLog(question, holders, at)
      })

      return AbuseLookUp.of({ find })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AbuseLookUpRepo.layer))
}
