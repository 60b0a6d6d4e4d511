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
 * Outbound requests that stay on this machine: the names above, and every one below `example.com` like that itself, are
 * all there are, `https` goes to their port 443 and to nothing that is not public. Receivers of a test may listen on
 * any port of 127.0.0.1 from 10000 on, and are reached by plain `http` too.
 */
export const layer = OutboundHttp.layerWith({
  allow: { has: (endpoint) => endpoint === `${internet}:443` || /^127\.0\.0\.1:\d{5}$/.test(endpoint) },
  resolve: async (name) => names[name.endsWith(".example.com") ? "example.com" : name] ?? []
})
