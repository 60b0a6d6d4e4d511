import { createHmac, timingSafeEqual } from "node:crypto"
import type { GatewayLogin, GatewayProxy } from "./GatewayProxy.ts"

type Login = typeof GatewayLogin.Type
type Probed = Pick<GatewayProxy, "id" | "probe_key">

/** The seconds for which a login of a probe works. */
const lifetimeSeconds = 60
/** The seconds by which the clock of a gateway may be behind. */
const slackSeconds = 60

const passwordOf = ({ id, probe_key }: Probed, username: string) =>
  createHmac("sha256", probe_key).update(`${id} ${username}`).digest("hex")

/**
 * Makes a login that a gateway accepts at one proxy for the next 60 seconds, whatever its whitelist. It reaches `target` only,
 * a host and a port, and its bytes are not the customer's traffic.
 */
export const probeLogin = (proxy: Probed, target: string, nowMillis: number): Login => {
  const until = Math.floor(nowMillis / 1_000) + lifetimeSeconds
  const username = `probe.${until}.${Buffer.from(target).toString("base64url")}`
  return { username, password: passwordOf(proxy, username) }
}

/** Returns the target of a login that `probeLogin` has made; undefined for every other login. */
export const probedTarget = (proxy: Probed, login: Login | undefined, nowMillis: number): string | undefined => {
  const [, until, target] = /^probe\.(\d{1,12})\.([\w-]{1,200})$/.exec(login?.username ?? "") ?? []
  if (login === undefined || target === undefined) return undefined
  const left = Number(until) - nowMillis / 1_000
  if (left < 0 || left > lifetimeSeconds + slackSeconds) return undefined
  const expected = Buffer.from(passwordOf(proxy, login.username))
  const given = Buffer.from(login.password)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return Buffer.from(target, "base64url").toString("utf8")
}
