import { Effect } from "effect"
import { createHmac } from "node:crypto"
import type { Client } from "./Client.ts"
import type { Request } from "./Http.ts"
import type { Random } from "./Random.ts"
import type { Account } from "./Record.ts"

/** A browser in which a person is signed in. */
export interface Browser {
  readonly secret: string
  readonly session: string
}

interface Options {
  readonly client: Client
  readonly random: Random
}

/** Requests of people who sometimes press a button three times. */
export const make = ({ client, random }: Options) => {
  const repeated = (request: Request) =>
    Effect.suspend(() => {
      const count = random.chance(0.3) ? 3 : 1
      return Effect.all(
        Array.from({ length: count }, () => client.ask(request)),
        { concurrency: count }
      )
    })

  /** Sends the form of a page of the customer. */
  const submit = ({ id }: Account, { secret, session }: Browser, path: string, fields: object) => {
    const form_token = createHmac("sha256", secret).update(`${path}:${id}`).digest("hex")
    return repeated({
      method: "POST",
      path,
      headers: {
        cookie: `browser=${secret}; session=${session}`,
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin"
      },
      body: new URLSearchParams({ form_token, ...fields }).toString()
    })
  }

  return { repeated, submit }
}
export type Forms = ReturnType<typeof make>
