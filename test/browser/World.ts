import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import type { BrowserContextOptions, Page } from "playwright-core"
import { inject } from "vitest"
import * as Chromium from "./Chromium.ts"

export const password = "correct horse battery staple"
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const code_challenge = createHash("sha256").update(verifier).digest("base64url")

/** The service as it runs for its users, which all tests share, a browser, and an app on this computer. */
export class World extends Context.Service<World>()("test/browser/World", {
  make: Effect.gen(function* () {
    const { directory, url } = inject("service")
    const app = yield* Chromium.app
    const { contextWith } = yield* Chromium.make

    const post = async (route: string, body: object, token = "") => {
      const response = await fetch(`${url}${route}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(body)
      })
      return (await response.json()) as any
    }

    const authorize = async (
      client_name: string,
      callback = "/callback",
      scope = "catalog:read orders:read orders:write"
    ) => {
      const redirect_uri = `${app.url}${callback}`
      const { client_id } = await post("/oauth/register", {
        client_name,
        redirect_uris: [redirect_uri],
        token_endpoint_auth_method: "none"
      })
      const query = {
        response_type: "code",
        client_id,
        redirect_uri,
        code_challenge,
        code_challenge_method: "S256",
        scope
      }
      const at = `${url}/oauth/authorize?${new URLSearchParams({ ...query, state: "state" })}`
      const redeem = async (code: string) => {
        const body = new URLSearchParams({
          grant_type: "authorization_code",
          code,
          client_id,
          redirect_uri,
          code_verifier: verifier
        })
        return (await (await fetch(`${url}/oauth/token`, { method: "POST", body })).json()) as any
      }
      return { at, redeem }
    }

    const account = async () => {
      const email = `${randomUUID().slice(0, 8)}@example.com`
      const { access_token } = await post("/v1/auth/register", { email, password })
      return { email, access_token: access_token as string }
    }

    /** The first link to a page that a mail to this address has. */
    const mailed = async (email: string, page: string): Promise<string> => {
      const folder = path.join(directory, "mail")
      for (let tries = 0; tries < 100; tries++) {
        const names = await readdir(folder).catch(() => [])
        const mails = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")))
        const links = mails
          .filter((mail) => mail.startsWith(`To: ${email}\n`))
          .flatMap((mail) => mail.match(/https?:\S+/g) ?? [])
        const link = links.find((link) => link.includes(`/app/${page}`))
        if (link !== undefined) return link
        await setTimeout(100)
      }
      throw new Error(`no mail to ${email} leads to ${page}`)
    }

    const visitWith = (options: BrowserContextOptions) =>
      Effect.flatMap(contextWith(options), (context) => Effect.promise(() => context.newPage()))

    return { url, app, post, authorize, account, mailed, visit: visitWith({}), visitWith }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export const signIn = async (page: Page, email: string, typed = password) => {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(typed)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

export const heading = (page: Page) => page.getByRole("heading", { level: 1 }).innerText()

export const assertLooksRight = async (page: Page, name: string) =>
  assert.deepStrictEqual(await Chromium.look(page, name), [])
