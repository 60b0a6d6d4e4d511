import { Context, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { createHash } from "node:crypto"
import { reasonOf, UrlRefused } from "../../platform/outbound/OutboundHttp.ts"
import * as RetryAfter from "../../platform/requests/RetryAfter.ts"
import type { Blocklist } from "./Blocklist.ts"
import { read, type ReadLines } from "./BlocklistParser.ts"
import type { BlocklistState } from "./BlocklistState.ts"

const timeout = "2 minutes"
const maxBytes = 64 * 1024 * 1024
const maxNetworks = 1_000_000
const maxRedirects = 3
/** The number of lines that are read without a break, in at most a millisecond. */
const sliceLines = 250
/** The share of unreadable lines that a list may have. With more, the file has another format. */
const unreadableShare = 0.02
/** The longest validator that is sent back to the publisher. */
const maxValidator = 1000

/** A downloaded list. */
export interface Download extends Pick<BlocklistState, "etag" | "last_modified">, Pick<ReadLines, "special"> {
  /** Texts of many networks, one per line: a string for each network would slow down the garbage collector. */
  readonly networks: ReadonlyArray<string>
  /** The hash of the networks in their order, without the rest of the file. */
  readonly sha256: string
}

/** The download gave no usable list. */
export class BlocklistUnusable extends Schema.TaggedError<BlocklistUnusable>()("BlocklistUnusable", {
  reason: Schema.String,
  /** True when the publisher answered. */
  is_answered: Schema.Boolean,
  /** The earliest time of the next download, from `Retry-After`. */
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

/** Refuses plain HTTP, because anyone on the network could answer it. */
const overHttps = (client: HttpClient.HttpClient) =>
  HttpClient.transform(client, (answer, request) => {
    if (request.url.startsWith("https://")) return answer
    const cause = new UrlRefused({ reason: "it leads to is not https" })
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })
    )
  })

/** Collects the lines of a list. */
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
    if (first?.trimStart().startsWith("<")) return yield* unusable("the answer is a web page, not a list")
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
      if (unreadable > lines * unreadableShare) return unusable(`${unreadable} of ${lines} lines contain no address`)
      if (networks === 0 && !mayBeEmpty) return unusable("it is empty")
      return Effect.succeed({ networks: slices, sha256: hash.digest("hex"), special })
    })
  }
}

const validator = (headers: Readonly<Record<string, string | undefined>>, name: string) => {
  const value = headers[name] ?? null
  return value !== null && value.length <= maxValidator ? value : null
}

/** Downloads lists from their publishers. */
export class BlocklistDownload extends Context.Service<
  BlocklistDownload,
  {
    /** Downloads a list. Null: the list has not changed since the copy with these validators. */
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
            return yield* unusable(`the answer is compressed (${encoding}), although the request forbids it`)
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
        // A span would send a trace header to the publisher.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )

      return BlocklistDownload.of({ fetch })
    })
  )
}
