import { ConfigProvider, Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { BlocklistRegistry } from "../../../src/ip-check/blocklists/BlocklistRegistry.ts"
import { wordsOf } from "../../../src/platform/outbound/AddressWords.ts"

const octets = (address: NetAddress.IpAddress): ReadonlyArray<number> =>
  NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)

const family = (address: NetAddress.IpAddress) => (NetAddress.isIpv4Address(address) ? 2 : 3)

const order = (a: IpNetwork.IpNetwork, b: IpNetwork.IpNetwork) => {
  const left = [...wordsOf(a.address), a.prefixLength]
  const right = [...wordsOf(b.address), b.prefixLength]
  const differing = left.findIndex((word, index) => word !== right[index])
  return family(a.address) - family(b.address) || (left[differing] ?? 0) - (right[differing] ?? 0)
}

/** Different networks as the database sends them: sorted, in the format of `cidr_send`. */
export const sent = (networks: ReadonlyArray<string>): Uint8Array =>
  Uint8Array.from(
    networks
      .map(IpNetwork.fromStringUnsafe)
      .toSorted(order)
      .flatMap(({ address, prefixLength }) => {
        const bytes = octets(address)
        return [family(address), prefixLength, 1, bytes.length, ...bytes]
      })
  )

/** The answer of a publisher. A text is a list with status 200. */
type Answer = string | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string }

const make = () => {
  const answers = new Map<string, Answer | "down" | "hangs">()
  const requests: Array<HttpClientRequest.HttpClientRequest> = []

  const client = HttpClient.make((request) =>
    Effect.suspend(() => {
      requests.push(request)
      const list = BlocklistRegistry.find(({ url }) => url === request.url)
      const answer = answers.get(list?.id ?? request.url) ?? "down"
      if (answer === "hangs") return Effect.never
      if (answer === "down") {
        const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
        const reason = new HttpClientError.TransportError({ request, cause })
        return Effect.fail(new HttpClientError.HttpClientError({ reason }))
      }
      const { body = "", headers = {}, status = 200 } = typeof answer === "string" ? { body: answer } : answer
      const isWhole = status !== 304 && status !== 204
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, new Response(isWhole ? body : null, { status, headers }))
      )
    })
  )

  return {
    client,
    requests,
    /** Sets the answer of a publisher. */
    publish: (id: string, answer: Answer | "down" | "hangs") => void answers.set(id, answer)
  }
}

/** Publishers in memory. Each is out of reach until a test sets its answer. */
export class MemoryPublishers extends Context.Service<MemoryPublishers, ReturnType<typeof make>>()(
  "test/MemoryPublishers"
) {
  /** The publishers, and an HTTP client that reaches only them. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const memory = make()
      return Context.make(MemoryPublishers, memory).pipe(Context.add(HttpClient.HttpClient, memory.client))
    })
  )
}

/** Sets `BLOCKLISTS` to these lists. */
export const holding = (...ids: ReadonlyArray<string>) =>
  ConfigProvider.layer(ConfigProvider.fromEnvRecord({ BLOCKLISTS: ids.join(",") }))

/** This many addresses, one per line. */
export const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `45.${(from + n) >> 8}.${(from + n) & 255}.7\n`).join("")
