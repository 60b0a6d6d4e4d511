import { Effect, Option, Schedule, Schema } from "effect"
import { HttpBody, HttpClient } from "effect/http"
import * as path from "node:path"
import * as JoinString from "../JoinString.ts"
import * as NodeDirectory from "./NodeDirectory.ts"
import type { NodeKey } from "./NodeKey.ts"

const Identity = Schema.Struct({ node_id: Schema.String, url: Schema.String })
type Identity = typeof Identity.Type

class NodeCannotJoin extends Schema.TaggedError<NodeCannotJoin>()("NodeCannotJoin", { message: Schema.String }) {}

const fail = (message: string) => new NodeCannotJoin({ message })

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Identity))
const Answer = Schema.Struct({ node_id: Schema.String })
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

interface Options {
  readonly directory: string
  readonly name: string
  readonly key: NodeKey
  /** The word of `nodes add`. */
  readonly join: Option.Option<string>
}

/** A lost connection is tried again with the same key, for which the word still holds. */
const retries = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 5 }))

const enrol = Effect.fnUntraced(function* ({ key, name }: Options, join: string) {
  const wanted = Option.getOrUndefined(JoinString.decode(join))
  if (wanted === undefined) return yield* fail("The word after --join is damaged; copy the whole line of nodes add")
  const client = yield* HttpClient.HttpClient
  const body = HttpBody.jsonUnsafe({ token: wanted.token, name, public_key: key.public })
  const answer = yield* client.post(`${wanted.url}/node/v1/enrol`, { body }).pipe(
    Effect.retry(retries),
    Effect.mapError(() => fail(`Cannot reach ${wanted.url}`))
  )
  if (answer.status !== 200)
    return yield* fail(
      `${wanted.url} refuses the node ${name} with status ${answer.status}: the word is for another name, used or too old; nodes rejoin ${name} prints another one`
    )
  const { node_id } = yield* answer.json.pipe(
    Effect.flatMap(decodeAnswer),
    Effect.mapError(() => fail(`${wanted.url} answers as no service of proxies does`))
  )
  return { node_id, url: wanted.url }
})

/** Finds out which node this host is. Joins with the word of `nodes add`; a host that has joined needs no word. */
export const open = Effect.fnUntraced(function* (options: Options) {
  const file = path.join(options.directory, "node.json")
  const known = Option.flatMap(Option.fromUndefinedOr(NodeDirectory.read(file)), decode)
  if (Option.isNone(options.join))
    return Option.isSome(known)
      ? known.value
      : yield* fail(`This host has not joined as ${options.name}; add --join with the word of nodes add`)
  const joined = yield* enrol(options, options.join.value).pipe(
    // The word in a service file is used already when the host starts again.
    Effect.catch((error) => (Option.isSome(known) ? Effect.succeed(known.value) : Effect.fail(error)))
  )
  NodeDirectory.write(file, JSON.stringify(joined satisfies Identity))
  return joined
})
