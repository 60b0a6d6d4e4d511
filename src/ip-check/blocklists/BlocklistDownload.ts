import { Context, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { createHash } from "node:crypto"
import { reasonOf, UrlRefused } from "../../platform/outbound/OutboundHttp.ts"
import * as RetryAfter from "../../platform/requests/RetryAfter.ts"
import type { Blocklist } from "./Blocklist.ts"
import { read } from "./BlocklistParser.ts"
import type { BlocklistState } from "./BlocklistState.ts"

const timeout = "2 minutes"
const maxBytes = 64 * 1024 * 1024
const maxNetworks = 1_000_000
const maxRedirects = 3
/** Reading these many lines takes a millisecond or less; then it is the turn of others. */
const sliceLines = 250
/** A few lines may be torn or odd; more, and it is another kind of file. */
const unreadableShare = 0.02
/** Longer ones cannot be told back to the publisher. */
const maxValidator = 1000

/** A list as its publisher has it. */
export interface Download extends Pick<BlocklistState, "etag" | "last_modified"> {
  /** Some hundreds a text, one on a line: as single strings they would keep the collector of garbage busy. */
  readonly networks: ReadonlyArray<string>
  /** Of the networks in their order, whatever stands beside them in the file. */
  readonly sha256: string
  /** How many were left out because they are not public. */
  readonly special: number
}

export class BlocklistUnusable extends Schema.TaggedError<BlocklistUnusable>()("BlocklistUnusable", {
  reason: Schema.String,
  /** Whether the publisher said anything. */
  is_answered: Schema.Boolean,
  /** When the publisher wants to be asked again. */
  retry_at: Schema.optionalKey(Schema.DateTimeUtc)
}) {}

const unusable = (reason: string) => new BlocklistUnusable({ reason, is_answered: true })
const unanswered = (error: unknown) =>
  Effect.fail(new BlocklistUnusable({ reason: reasonOf(error), is_answered: false }))

const refusedStatus = Effect.fnUntraced(function* ({ headers, status }: HttpClientResponse.HttpClientResponse) {
  const reason = `the publisher answered HTTP ${status}`
  const now = yield* DateTime.now
  const pause = RetryAfter.parse(headers["retry-after"], now)
  return yield* new BlocklistUnusable({
    reason,
    is_answered: true,
    ...(Option.isSome(pause) ? { retry_at: DateTime.addDuration(now, pause.value) } : {})
  })
})

/** A redirect must not lead to where anybody could answer. */
const overHttps = (client: HttpClient.HttpClient) =>
  HttpClient.transform(client, (answer, request) => {
    if (request.url.startsWith("https://")) return answer
    const cause = new UrlRefused({ reason: "it leads to is not https" })
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })
    )
  })

/** What is read so far of a list. */
const makeReading = ({ format, mayBeEmpty }: Blocklist) => {
  const hash = createHash("sha256")
  const slices: Array<string> = []
  let bytes = 0
  let networks = 0
  let special = 0
  let unreadable = 0
  let isBegun = false

  const take = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const first = isBegun ? undefined : lines.find((line) => line.trim() !== "")
    isBegun ||= first !== undefined
    if (first?.trimStart().startsWith("<")) return yield* unusable("a web page came instead of the list")
    const slice = read(format, lines)
    networks += slice.networks.length
    special += slice.special
    unreadable += slice.unreadable
    if (networks > maxNetworks) return yield* unusable(`it has more than ${maxNetworks} networks`)
    if (slice.networks.length > 0) {
      const text = slice.networks.join("\n")
      slices.push(text)
      hash.update(`${text}\n`)
    }
    yield* Effect.yieldNow
  })

  return {
    bounded: (chunk: Uint8Array) => {
      bytes += chunk.length
      return bytes > maxBytes ? unusable(`it is larger than ${maxBytes / 1024 / 1024} MiB`) : Effect.succeed(chunk)
    },
    take,
    end: Effect.suspend(() => {
      const lines = networks + special + unreadable
      if (unreadable > lines * unreadableShare) return unusable(`${unreadable} of ${lines} lines are no addresses`)
      if (networks === 0 && !mayBeEmpty) return unusable("it is empty")
      return Effect.succeed({ networks: slices, sha256: hash.digest("hex"), special })
    })
  }
}

const validator = (headers: Readonly<Record<string, string | undefined>>, name: string) => {
  const value = headers[name] ?? null
  return value !== null && value.length <= maxValidator ? value : null
}

/** Fetches lists from their publishers. */
export class BlocklistDownload extends Context.Service<
  BlocklistDownload,
  {
    /** Null when it is still the one with these validators. */
    readonly fetch: (
      list: Blocklist,
      known: Pick<BlocklistState, "etag" | "last_modified">
    ) => Effect.Effect<Download | null, BlocklistUnusable>
  }
>()("app/ip-check/BlocklistDownload") {
  static readonly layer = Layer.effect(
    BlocklistDownload,
    Effect.gen(function* () {
      const client = HttpClient.followRedirects(overHttps(yield* HttpClient.HttpClient), maxRedirects)

      const fetch = Effect.fn("BlocklistDownload.fetch")(
        function* (list: Blocklist, known: Pick<BlocklistState, "etag" | "last_modified">) {
          const request = HttpClientRequest.get(list.url, {
            headers: {
              "user-agent": "proxy-rental-service (blocklist sync)",
              ...(known.etag === null ? {} : { "if-none-match": known.etag }),
              ...(known.last_modified === null ? {} : { "if-modified-since": known.last_modified })
            }
          })
          const response = yield* HttpClient.withScope(client).execute(request)
          const isKnown = known.etag !== null || known.last_modified !== null
          if (response.status === 304 && isKnown) return null
          if (response.status !== 200) return yield* refusedStatus(response)
          const encoding = response.headers["content-encoding"] ?? "identity"
          if (encoding !== "identity")
            return yield* unusable(`it came compressed (${encoding}), which was not asked for`)
          const reading = makeReading(list)
          yield* response.stream.pipe(
            Stream.mapEffect(reading.bounded),
            Stream.decodeText(),
            Stream.splitLines,
            Stream.rechunk(sliceLines),
            Stream.runForEachArray(reading.take)
          )
          return {
            ...(yield* reading.end),
            etag: validator(response.headers, "etag"),
            last_modified: validator(response.headers, "last-modified")
          }
        },
        Effect.scoped,
        Effect.timeout(timeout),
        Effect.catchTags({ HttpClientError: unanswered, TimeoutError: unanswered }),
        // A span would tell the publisher of traces.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )

      return BlocklistDownload.of({ fetch })
    })
  )
}
