import type { RefusedConnections } from "../RefusedConnections.ts"

/** The `Retry-After` of a temporary refusal. A source has all its password guesses back after this time. */
export const retryAfterSeconds = 10

type Reason = RefusedConnections["reason"]

/** The part of a refusal that the log shows, by its reason. The other reasons concern the proxy, or nobody. */
const shownByReason: Partial<Record<Reason, "source" | "destination">> = {
  no_credentials: "source",
  wrong_credentials: "source",
  not_whitelisted: "source",
  wrong_protocol: "source",
  too_many_guesses: "source",
  not_public: "destination",
  blocked_by_operator: "destination",
  blocked_by_owner: "destination",
  port_closed: "destination",
  no_address: "destination",
  name_not_found: "destination",
  unreachable: "destination",
  timeout: "destination",
  bad_answer: "destination"
}

/** The reason why the gateway refuses a client: the HTTP status, the SOCKS5 reply, and a text for people. */
export class Refusal extends Error {
  readonly reason: Reason
  readonly status: number
  /** Reply field of RFC 1928, section 6. */
  readonly socks: number

  private constructor(reason: Reason, status: number, socks: number, message: string) {
    super(message)
    this.reason = reason
    this.status = status
    this.socks = socks
  }

  get shown() {
    return shownByReason[this.reason]
  }

  static readonly badRequest = (why: string) => new Refusal("bad_request", 400, 1, why)

  static readonly noCredentials = new Refusal(
    "no_credentials",
    407,
    2,
    "Missing credentials: send the username and password of this proxy"
  )
  static readonly credentials = new Refusal(
    "wrong_credentials",
    407,
    2,
    "Wrong credentials: send the username and password of this proxy"
  )
  static readonly source = (address: string) =>
    new Refusal(
      "not_whitelisted",
      403,
      2,
      `${address} is not in the whitelist of this proxy: add it, or clear the whitelist to use the password`
    )

  static readonly speaksSocks = new Refusal(
    "wrong_protocol",
    403,
    2,
    "This proxy speaks SOCKS5: use a socks5h:// address, or change its protocol"
  )
  static readonly speaksHttp = new Refusal(
    "wrong_protocol",
    403,
    2,
    "This proxy speaks HTTP: use an http:// address, or change its protocol"
  )
  static readonly ended = new Refusal("ended", 403, 2, "This proxy has ended: order another one")
  static readonly suspended = new Refusal(
    "suspended",
    403,
    2,
    "This proxy is suspended: its owner finds the reason in the account"
  )
  static readonly traffic = new Refusal(
    "traffic_used",
    402,
    2,
    "The traffic limit is reached: buy more traffic or extend the proxy"
  )
  static readonly connections = new Refusal(
    "too_many_connections",
    429,
    1,
    "Too many open connections on this proxy: close some and retry"
  )
  static readonly openings = new Refusal(
    "too_fast",
    429,
    1,
    `Too many new connections through this proxy: wait ${retryAfterSeconds} seconds and retry`
  )

  static readonly guesses = new Refusal(
    "too_many_guesses",
    429,
    2,
    `Too many wrong passwords from your address: wait ${retryAfterSeconds} seconds and retry`
  )
  static readonly busy = new Refusal("gateway_full", 503, 1, "This gateway is at its connection limit: retry later")

  static readonly destination = new Refusal(
    "not_public",
    403,
    2,
    "The destination is not a public address, or is an address of this gateway: use another public address"
  )
  static readonly rule = new Refusal(
    "blocked_by_operator",
    403,
    2,
    "The operator of this gateway has blocked this destination: use another one"
  )
  static readonly ownRule = new Refusal(
    "blocked_by_owner",
    403,
    2,
    "The rules of this proxy's owner close this destination: change them in the account"
  )
  static readonly port = new Refusal(
    "port_closed",
    403,
    2,
    "Port 25 is closed on this gateway: submit mail on port 465 or 587"
  )
  static readonly family = (version: string) =>
    new Refusal(
      "no_address",
      502,
      4,
      `The destination has no ${version} address, and this proxy connects only over ${version}: use another proxy`
    )
  static readonly unresolved = new Refusal(
    "name_not_found",
    502,
    4,
    "The destination's name was not found: check its spelling"
  )
  static readonly unreachable = (code: string) =>
    code === "EADDRNOTAVAIL"
      ? Refusal.exit
      : new Refusal(
          "unreachable",
          502,
          socksReplies[code] ?? 4,
          `The destination did not accept the connection (${code}): check it and retry`
        )
  static readonly exit = new Refusal(
    "exit_down",
    502,
    1,
    "The exit address of this proxy is out of service: contact the operator"
  )
  static readonly timeout = new Refusal("timeout", 504, 4, "The destination did not answer in time: retry later")
  static readonly upstream = new Refusal(
    "bad_answer",
    502,
    1,
    "The destination did not send a valid HTTP response: check it and retry"
  )
}

const socksReplies: Record<string, number> = { ECONNREFUSED: 5, ENETUNREACH: 3, EHOSTUNREACH: 4 }
