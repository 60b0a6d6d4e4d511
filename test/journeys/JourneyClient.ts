import { randomUUID } from "node:crypto"

/** A client of the running service that signs in with `token`. Each request has an idempotency key of its own. */
export const clientOf =
  (url: string, token = "") =>
  async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      body: (text === "" ? null : JSON.parse(text)) as any
    }
  }

/** Registers a customer; answers the token. */
export const registered = async (url: string, email: string) => {
  const { body } = await clientOf(url)("POST", "/auth/register", { email, password: "correct horse" })
  return body.access_token as string
}
