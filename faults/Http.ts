import * as http from "node:http"

export interface Answer {
  readonly status: number
  readonly body: any
  /** True when the service says that the answer is a replay. */
  readonly replayed: boolean
}

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const patienceMillis = 15_000
const agent = new http.Agent({ keepAlive: true, maxSockets: 200 })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** States the length of a body: Node does not for a DELETE. */
const contentHeaders = (content: string | undefined) =>
  content === undefined
    ? {}
    : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) }

/** Sends one request as a client that knows only the address; fails without an answer. */
export const send = (url: string, { body, headers = {}, method, path }: Request) =>
  new Promise<Answer>((resolve, reject) => {
    const content = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body)
    const options = {
      agent,
      method,
      headers: { ...contentHeaders(content), ...headers },
      timeout: patienceMillis
    }
    const request = http.request(`${url}${path}`, options, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: parsed(text),
          replayed: response.headers["idempotency-replayed"] === "true"
        })
      )
    })
    request.on("timeout", () => request.destroy(new Error("no answer in time")))
    request.on("error", reject)
    request.end(content)
  })
