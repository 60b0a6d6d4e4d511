import { Context, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { WrongCredentials } from "../AccountErrors.ts"
import { type BrowserCookies, BrowserSessions } from "../sessions/BrowserSessions.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { Passwords } from "../passwords/Passwords.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { SessionTokensView } from "../SessionTokensView.ts"
import type { User, UserId } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

type Attempt<A, Begun extends ReadonlyArray<unknown> = []> = (
  email: string,
  password: string,
  ...begun: Begun
) => Effect.Effect<A, WrongCredentials | RateLimited>

/** Signs people in. */
export class SignIn extends Context.Service<
  SignIn,
  {
    readonly login: Attempt<SessionTokensView>
    /** Signs in a browser; returns its cookies. `known` is the value of the browser's earlier cookie. */
    readonly inBrowser: Attempt<BrowserCookies, [known?: string | undefined]>
  }
>()("app/accounts/SignIn") {
  static readonly layerNoDeps = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const browserSessions = yield* BrowserSessions
      const credentials = yield* CredentialsRepo
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const users = yield* UsersRepo

      const attempt = <A, Begun extends ReadonlyArray<unknown>>(
        begin: (user: User, ...begun: Begun) => Effect.Effect<A>
      ) => {
        /** Begins no session when the password changed after the comparison. */
        const start = Effect.fnUntraced(function* (id: UserId, verified: string | null, begun: Begun) {
          const locked = yield* credentials.lock(id)
          const user = yield* users.find(id)
          if (Option.isNone(locked) || Option.isNone(user) || locked.value.password_hash !== verified)
            return yield* new WrongCredentials()
          return yield* begin(user.value, ...begun)
        }, atomically)

        return Effect.fn("SignIn.attempt")(function* (email: string, password: string, ...begun: Begun) {
          const found = yield* credentials.findByEmail(email)
          const hash = Option.match(found, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
          const right = yield* passwords.verify(password, hash)
          if (Option.isNone(found) || !right) return yield* new WrongCredentials()
          return yield* start(found.value.id, hash, begun)
        })
      }

      return SignIn.of({ login: attempt(sessions.start), inBrowser: attempt(browserSessions.start) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([BrowserSessions.layer, CredentialsRepo.layer, Passwords.layer, Sessions.layer, UsersRepo.layer])
  )
}
