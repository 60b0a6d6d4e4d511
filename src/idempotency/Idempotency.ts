import { Clock, Context, Duration, Effect, Layer, Option, type Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically, type StatementPart } from "../platform/postgres/Atomically.ts"
import { canonicalDigest } from "../platform/fields/CanonicalJson.ts"
import type { Claim, ClaimingParts } from "./Claim.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "./IdempotencyErrors.ts"
import { IdempotencyRepo, type Scope } from "./IdempotencyRepo.ts"
import * as RecentKeys from "./RecentKeys.ts"

/** A request that spends money, and the idempotency key that makes it safe to repeat. */
export interface SpendingRequest {
  readonly user_id: UserId
  readonly operation: string
  readonly key: string | undefined
  readonly body: unknown
}

/** A spending request with an idempotency key. */
export interface KeyedRequest extends Scope {
  readonly request_hash: string
  /** Identifies what this request buys, and later the claim that this request works on. */
  readonly reference: Schema.Json
  /** The request waits for an earlier request with its key until this time. */
  readonly patient_until: Date
  /** The end of the claim that this request makes or works on. */
  readonly expires_at: Date
}

/** The earlier request with a key: its answer, or the claim that this request has taken over after a crash. */
export type Earlier =
  | { readonly _tag: "Answered"; readonly answer: Schema.Json }
  | { readonly _tag: "Unfinished"; readonly request: KeyedRequest }

/**
 * Builds the part of a statement that stores answers of requests. `given` names a part with the columns `user_id`,
 * `operation`, `key`, `reference` and `answer`. The built part returns a row for each key that has an answer, with the
 * columns `user_id`, `reference` and `answer`. `answer` is null when this answer is the stored one; else the answer that was stored first.
 */
export type KeepingPart = (given: StatementPart) => StatementPart

export interface Steps<E, R> {
  /**
   * Identifies the result of this charge. It is chosen before the charge, stored with the key and passed to `finish`.
   */
  readonly reference: Schema.Json
  /** The work that must happen once. It runs in one transaction with the claim. A failure also removes the claim. */
  readonly charge: Effect.Effect<void, E, R>
  /**
   * Continues after a committed charge. It must be repeatable, because the next request with the key runs it after a
   * crash. It fails when the charge was undone, which frees the key. It fails with `RequestStillRunning` when the
   * result is not known yet; the next request with the key then runs it again.
   */
  readonly finish: (reference: Schema.Json) => Effect.Effect<Schema.Json, E | RequestStillRunning, R>
}

export interface Outcome {
  readonly answer: Schema.Json
  /** True when an earlier request with the key produced the answer. */
  readonly replayed: boolean
}

/** A request ends after this number of tries, each of which met another request that claimed and freed its key. */
export const triesAtMost = 10

const retentionMillis = Duration.toMillis("24 hours")
const leaseMillis = Duration.toMillis("30 seconds")
const patienceMillis = Duration.toMillis("45 seconds")
/** The keys and the characters of answers that this process remembers, at most twice. */
const remembered = { keys: 4096, characters: 4 * 1024 * 1024 }

const keyed = Effect.fnUntraced(function* ({ body, key, ...owner }: SpendingRequest, reference: Schema.Json) {
  if (key === undefined) return undefined
  const now = yield* Clock.currentTimeMillis
  return {
    ...owner,
    key,
    request_hash: canonicalDigest(body),
    reference,
    patient_until: new Date(now + patienceMillis),
    expires_at: new Date(now + retentionMillis)
  } satisfies KeyedRequest
})

const claimOf = ({ expires_at, key, operation, reference, request_hash, user_id }: KeyedRequest, now: number) => ({
  user_id,
  operation,
  key,
  request_hash,
  reference,
  busy_until: new Date(now + leaseMillis),
  expires_at
})

const nameOf = ({ key, operation, user_id }: Scope) => `${user_id} ${operation} ${key}`

/** Reads and stores answers. A stored answer never changes, so this process needs no query for those that it stored. */
const makeAnswers = Effect.gen(function* () {
  const repo = yield* IdempotencyRepo
  const recent = RecentKeys.make(remembered)

  const find = Effect.fnUntraced(function* (request: KeyedRequest) {
    const claim = recent.find(nameOf(request), new Date(yield* Clock.currentTimeMillis))
    return claim === undefined ? yield* repo.find(request) : Option.some<Claim>(claim)
  })

  const recall = Effect.fnUntraced(function* (request: KeyedRequest) {
    return recent.note(nameOf(request)) ? yield* find(request) : Option.none()
  })

  const remember = (request: KeyedRequest, answer: Schema.Json) => {
    const { expires_at, reference, request_hash } = request
    const claim = { request_hash, reference, answer, busy_until: expires_at, expires_at }
    recent.keep(nameOf(request), claim, JSON.stringify(answer).length)
  }

  const keep = Effect.fnUntraced(function* (request: KeyedRequest, answer: Schema.Json) {
    const stored = yield* repo.keep(request, request.reference, answer)
    if (Option.isSome(stored)) remember(request, stored.value)
    return Option.getOrElse(stored, () => answer)
  })

  return { find, recall, remember, keep }
})

const makeClaims = Effect.gen(function* () {
  const repo = yield* IdempotencyRepo
  const answers = yield* makeAnswers

  const claiming = Effect.fnUntraced(function* (requests: ReadonlyArray<KeyedRequest>) {
    const now = yield* Clock.currentTimeMillis
    return repo.claiming(requests.map((request) => claimOf(request, now)))
  })

  const claim = Effect.fnUntraced(function* (request: KeyedRequest) {
    return yield* repo.claim(claimOf(request, yield* Clock.currentTimeMillis))
  })

  /** Reads one state of the claim. Undefined while the earlier request runs. */
  const observe = Effect.fnUntraced(function* (request: KeyedRequest, claim: Claim) {
    if (claim.request_hash !== request.request_hash) return yield* new IdempotencyKeyReused({ details: {} })
    if (claim.answer !== null) return { _tag: "Answered", answer: claim.answer } satisfies Earlier
    const now = yield* Clock.currentTimeMillis
    if (claim.busy_until > new Date(now)) return undefined
    if (!(yield* repo.takeOver(request, new Date(now), new Date(now + leaseMillis)))) return undefined
    const { expires_at, reference } = claim
    return { _tag: "Unfinished", request: { ...request, reference, expires_at } } satisfies Earlier
  })

  const ended = Effect.fnUntraced(function* (request: KeyedRequest, found: Option.Option<Claim>) {
    for (let claim = found; Option.isSome(claim); claim = yield* answers.find(request)) {
      const now = new Date(yield* Clock.currentTimeMillis)
      if (claim.value.expires_at <= now) return void (yield* repo.remove(request, now))
      const earlier = yield* observe(request, claim.value)
      if (earlier !== undefined) return earlier
      if (request.patient_until <= now) return yield* new RequestStillRunning({ details: {} })
      yield* Effect.interruptible(Effect.sleep("50 millis"))
    }
    return undefined
  })

  const giveUp = (request: KeyedRequest, error: unknown) =>
    error instanceof RequestStillRunning
      ? repo.leave(request, request.reference)
      : repo.free(request, request.reference)

  return {
    ...answers,
    keyed,
    claim,
    claiming,
    ended,
    keeping: repo.keeping,
    giveUp
  }
})

type Claims = Effect.Success<typeof makeClaims>

const makePerform = Effect.fnUntraced(function* ({ claim, ended, find, giveUp, keep }: Claims) {
  const atomically = yield* Atomically

  const finish = <E, R>(request: KeyedRequest, steps: Steps<E, R>) =>
    steps.finish(request.reference).pipe(
      Effect.tapError((error) => giveUp(request, error)),
      Effect.flatMap((answer) => keep(request, answer))
    )

  const once = Effect.fnUntraced(function* <E, R>(request: KeyedRequest, steps: Steps<E, R>) {
    for (let tries = 0; tries < triesAtMost; tries++) {
      const earlier = yield* ended(request, yield* find(request))
      if (earlier?._tag === "Answered") return { answer: earlier.answer, replayed: true }
      if (earlier?._tag === "Unfinished") return { answer: yield* finish(earlier.request, steps), replayed: true }
      const charged = Effect.tap(claim(request), (isMine) => (isMine ? steps.charge : Effect.void))
      if (yield* atomically(charged)) return { answer: yield* finish(request, steps), replayed: false }
    }
    return yield* new RequestStillRunning({ details: {} })
  })

  return Effect.fnUntraced(function* <E, R>(spending: SpendingRequest, steps: Steps<E, R>) {
    const request = yield* keyed(spending, steps.reference)
    if (request !== undefined) return yield* once(request, steps)
    yield* atomically(steps.charge)
    return { answer: yield* steps.finish(steps.reference), replayed: false }
  }, Effect.uninterruptible)
})

/**
 * Makes a spending operation safe to repeat (docs/contract.md, "Idempotency"). A key is charged once; a later request
 * with the key receives the stored answer; a different request with the key fails. A request that fails frees its key.
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Charges once for a key, in a transaction with the claim of the key, and finishes the charge. */
    readonly perform: <E, R>(
      request: SpendingRequest,
      steps: Steps<E, R>
    ) => Effect.Effect<Outcome, E | IdempotencyKeyReused | RequestStillRunning, R>

    /** Describes a request that buys what `reference` identifies. Undefined without a key. */
    readonly keyed: (request: SpendingRequest, reference: Schema.Json) => Effect.Effect<KeyedRequest | undefined>
    /** Finds the claim of a key. Makes no query for an answer that this process has stored lately. */
    readonly find: (request: KeyedRequest) => Effect.Effect<Option.Option<Claim>>
    /**
     * Finds the claim of a key that this process has seen lately. Makes no query for any other key: the statement of the
     * purchase finds the claim of another process itself.
     */
    readonly recall: (request: KeyedRequest) => Effect.Effect<Option.Option<Claim>>
    /**
     * Claims the key in the caller's transaction; false when another request has claimed it. It may wait for that
     * request, so all requests of an operation lock the key and the wallet in the same order.
     */
    readonly claim: (request: KeyedRequest) => Effect.Effect<boolean>
    /** Builds the parts of the caller's statement that find earlier claims and claim keys, each of another account. */
    readonly claiming: (requests: ReadonlyArray<KeyedRequest>) => Effect.Effect<ClaimingParts>
    /** Waits until the request that made the claim has ended. Undefined when it has freed the key. */
    readonly ended: (
      request: KeyedRequest,
      claim: Option.Option<Claim>
    ) => Effect.Effect<Earlier | undefined, IdempotencyKeyReused | RequestStillRunning>
    /** Stores the answer outside any transaction, and returns the answer that was stored first. */
    readonly keep: (request: KeyedRequest, answer: Schema.Json) => Effect.Effect<Schema.Json>
    /** Builds the part of the caller's statement that stores answers. */
    readonly keeping: KeepingPart
    /** Remembers the answer that a key has in the database, after the commit. */
    readonly remember: (request: KeyedRequest, answer: Schema.Json) => void
    /** Frees the key of a charge that was undone; leaves an unknown result to the next request with the key. */
    readonly giveUp: (request: KeyedRequest, error: unknown) => Effect.Effect<unknown>
  }
>()("app/idempotency/Idempotency") {
  static readonly layerNoDeps = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const claims = yield* makeClaims
      return Idempotency.of({ ...claims, perform: yield* makePerform(claims) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IdempotencyRepo.layer))
}
