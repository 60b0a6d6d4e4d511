import { OutboundHttp } from "../../src/platform/outbound/OutboundHttp.ts"

/** Stands for the public internet on this machine; nothing listens there. */
const internet = "127.0.0.77"

const names: Record<string, ReadonlyArray<string>> = {
  localhost: ["127.0.0.1"],
  "example.com": [internet],
  "private.test": ["10.0.0.1"],
  "mixed.test": [internet, "10.0.0.1"]
}

/**
 * Outbound requests that stay on this machine. Only the names above exist, and every subdomain of `example.com` equals
 * it. `https` reaches port 443 of these names and no private address. Receivers of a test may listen on any port of
 * 127.0.0.1 from 10000 on; plain `http` reaches them too.
 */
export const layer = OutboundHttp.layerWith({
  allow: { has: (endpoint) => endpoint === `${internet}:443` || /^127\.0\.0\.1:\d{5}$/.test(endpoint) },
  resolve: async (name) => names[name.endsWith(".example.com") ? "example.com" : name] ?? []
})
