import { Effect, Record } from "effect"
import { HttpServer } from "effect/http"
import { request } from "node:http"

/** The text of a field, or the texts of all fields of a name. */
type Filled = string | ReadonlyArray<string>

/** A form of a page: the values a browser would send untouched, and the names of all fields and buttons. */
interface Form {
  readonly method: string
  readonly action: string
  /** Hidden fields, fields with a value, chosen entries and ticked boxes. */
  readonly values: Readonly<Record<string, Filled>>
  /** Every field and button. */
  readonly names: ReadonlySet<string>
}

/** The page where a browser ended. */
export interface Page {
  /** The last address. When `isElsewhere`, it belongs to a client and was not called. */
  readonly url: string
  readonly isElsewhere: boolean
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly forms: ReadonlyArray<Form>
  /** Every redirect on the way: its status and its target. */
  readonly redirects: ReadonlyArray<{ readonly status: number; readonly location: string }>
  /** Every `Set-Cookie` on the way. */
  readonly setCookies: ReadonlyArray<string>
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>
  /** Chooses the form by a part of its action; without it, the first form that has all the given fields. */
  readonly action?: string
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? "")

const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g), ([, name = "", value = ""]) => [name, unescaped(value)])
  )

/** What a browser sends of a field that nobody touched. */
const untouched = (tag: string, attributes: Record<string, string>, content: string): ReadonlyArray<string> => {
  const { type, value } = attributes
  if (tag === "textarea") return [unescaped(content.replace(/^\n/, ""))]
  if (tag === "select") {
    const options = Array.from(content.matchAll(/<option((?:[^">]|"[^"]*")*)>/g), ([, option = ""]) => option)
    const chosen = options.find((option) => /\sselected/.test(option)) ?? options[0]
    return chosen === undefined ? [] : [attributesOf(chosen)["value"] ?? ""]
  }
  if (type === "checkbox" || type === "radio") return "checked" in attributes ? [value ?? "on"] : []
  return tag === "button" || type === "submit" || value === undefined ? [] : [value]
}

const formsOf = (text: string, url: string): ReadonlyArray<Form> =>
  Array.from(text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs), ([, opening = "", content = ""]) => {
    const { action, method = "get" } = attributesOf(opening)
    const fields = Array.from(
      content.matchAll(/<(textarea|select)((?:[^">]|"[^"]*")*)>(.*?)<\/\1>|<(input|button)((?:[^">]|"[^"]*")*)>/gs),
      ([, outer, outerTag = "", inside = "", alone = "", tag = ""]) => {
        const attributes = attributesOf(outer === undefined ? tag : outerTag)
        return { name: attributes["name"], values: untouched(outer ?? alone, attributes, inside) }
      }
    )
    const sent = fields.flatMap(({ name = "", values }) => values.map((value) => ({ name, value })))
    const values = Record.map(
      Object.groupBy(sent, ({ name }) => name),
      (of = []) => (of.length === 1 ? (of[0]?.value ?? "") : of.map(({ value }) => value))
    )
    return {
      method: method.toUpperCase(),
      action: new URL(action ?? "", url).href,
      values,
      names: new Set(fields.flatMap(({ name }) => name ?? []))
    }
  })

const exchange = (
  at: string,
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined
) =>
  Effect.callback<{ status: number; headers: Record<string, string>; cookies: ReadonlyArray<string>; text: string }>(
    (resume) => {
      const call = request(`${at}${url.pathname}${url.search}`, {
        method,
        headers: { host: url.host, ...headers },
        agent: false
      })
      call.on("error", (error) => resume(Effect.die(error)))
      call.on("response", (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part) => parts.push(part))
        response.on("end", () => {
          const { "set-cookie": cookies = [], ...others } = response.headers
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
              cookies,
              text: Buffer.concat(parts).toString()
            })
          )
        })
      })
      call.end(body)
    }
  )

const encoded = (fields: Readonly<Record<string, Filled | null>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === null ? [] : [value].flat().map((one): [string, string] => [name, one])
    )
  ).toString()

/** Stores a `Set-Cookie` as a browser does: a `__Host-` cookie must be secure and valid for the whole host. */
const keep = (jar: Map<string, string>, line: string) => {
  const [pair = "", ...rest] = line.split("; ")
  const [name = "", value = ""] = pair.split("=")
  const said = new Set(rest.map((attribute) => attribute.toLowerCase()))
  if (name.startsWith("__Host-") && !(said.has("secure") && said.has("path=/"))) return
  if (said.has("max-age=0")) jar.delete(name)
  else jar.set(name, value)
}

/**
 * A browser without scripts: keeps cookies, follows redirects, fills in forms. `hosts` maps the origins that it may
 * call to their addresses; a redirect to any other address ends the walk there.
 */
export const make = (hosts: Readonly<Record<string, string>>) => {
  const jar = new Map<string, string>()
  let current: Page | undefined

  const cookieHeader = (url: URL): Record<string, string> => {
    const sent = [...jar].filter(([name]) => url.protocol === "https:" || !name.startsWith("__Host-"))
    return sent.length === 0 ? {} : { cookie: sent.map((pair) => pair.join("=")).join("; ") }
  }

  const walk = Effect.fnUntraced(function* (
    method: string,
    from: string,
    headers: Readonly<Record<string, string>>,
    body?: string
  ) {
    const redirects: Array<{ status: number; location: string }> = []
    const setCookies: Array<string> = []
    const end = (page: Pick<Page, "url" | "isElsewhere" | "status" | "headers" | "text">) =>
      (current = { ...page, forms: formsOf(page.text, page.url), redirects, setCookies })
    for (let next = from, step = 0; step < 10; step++) {
      const url = new URL(next)
      const at = hosts[url.origin]
      if (at === undefined) {
        const status = redirects.at(-1)?.status ?? 0
        return end({ url: next, isElsewhere: true, status, headers: {}, text: "" })
      }
      const first = step === 0
      const answer = yield* exchange(
        at,
        url,
        first ? method : "GET",
        { ...cookieHeader(url), ...headers },
        first ? body : undefined
      )
      for (const line of answer.cookies) {
        setCookies.push(line)
        keep(jar, line)
      }
      const { location } = answer.headers
      if (location === undefined || answer.status < 300 || answer.status > 399)
        return end({ url: next, isElsewhere: false, ...answer })
      next = /^[a-z][\w+.-]*:/i.test(location) ? location : new URL(location, next).href
      redirects.push({ status: answer.status, location: next })
    }
    return yield* Effect.die(new Error(`Too many redirects from ${from}`))
  })

  /** Opens an address, as if a person typed it or another site linked to it. */
  const open = (url: string, { headers = {} }: Options = {}): Effect.Effect<Page> =>
    walk("GET", url, { accept: "text/html", "sec-fetch-site": "none", ...headers })

  /** Sends fields to an address, whether a page has such a form or not. */
  const post = (url: string, fields: Readonly<Record<string, Filled | null>>, { headers = {} }: Options = {}) =>
    walk(
      "POST",
      url,
      {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        // Browsers send this from a page with `Referrer-Policy: no-referrer`.
        origin: "null",
        "sec-fetch-site": "same-origin",
        ...headers
      },
      encoded(fields)
    )

  /** Sends a form of the current page. A null removes a field, which a person cannot do. */
  const submit = (fields: Readonly<Record<string, Filled | null>>, { action = "", headers = {} }: Options = {}) =>
    Effect.suspend(() => {
      const given = Object.keys(fields)
      const form = current?.forms.find(
        (form) => form.action.includes(action) && given.every((name) => form.names.has(name))
      )
      if (form === undefined)
        return Effect.die(new Error(`No form with ${given.join(", ")} at ${current?.url}:\n${current?.text}`))
      const filled = { ...form.values, ...fields }
      return form.method === "GET"
        ? open(`${form.action.split("?")[0]}?${encoded(filled)}`, { headers })
        : post(form.action, filled, { headers })
    })

  return {
    open,
    post,
    submit,
    /** The current page. */
    page: () => current,
    /** The stored cookies, by name. */
    cookies: jar
  }
}

/**
 * A browser for a server under test. `PUBLIC_URL` names the server's public address; the server listens on any port.
 */
export const forServer = (...origins: ReadonlyArray<string>) =>
  HttpServer.addressFormattedWith((address) =>
    Effect.sync(() => {
      const at = address.replace("0.0.0.0", "127.0.0.1").replace("[::]", "127.0.0.1")
      return make(Object.fromEntries(origins.map((origin) => [origin, at])))
    })
  )
