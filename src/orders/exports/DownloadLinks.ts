import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import type { UserNotFound } from "../../accounts/AccountErrors.ts"
import type { Unauthorized } from "../../accounts/Authentication.ts"
import type { Caller } from "../../accounts/Caller.ts"
import { CallerLock } from "../../accounts/CallerLock.ts"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { RateLimit, type RateLimited } from "../../platform/requests/RateLimit.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { DownloadLink, type DownloadLinkId } from "./DownloadLink.ts"
import { DownloadLinkNotFound, DownloadNotFound, linksPerAccount, TooManyDownloadLinks } from "./DownloadLinkErrors.ts"
import { DownloadLinksRepo } from "./DownloadLinksRepo.ts"
import type { ExportFile } from "./ExportFile.ts"
import type { ExportTooLarge } from "./ExportTooLarge.ts"
import type { NewDownloadLink } from "./NewDownloadLink.ts"
import { exportedAtMost, OrderExports } from "./OrderExports.ts"

const shape = /^prd_[\w-]{43}$/
const usedPrecision = Duration.minutes(1)

/** The downloads of one link. */
const rule = { name: "download-link", limit: 10, window: Duration.minutes(1) }

interface CreatedLink {
  readonly link: DownloadLink
  /** The address of the download. The service stores only the hash of its token. */
  readonly url: string
}

const searchOf = ({ country, proxy_status, proxy_type, q, sort }: DownloadLink) => ({
  ...(country !== null && { country }),
  ...(proxy_status !== null && { proxy_status }),
  ...(proxy_type !== null && { proxy_type }),
  ...(q !== null && { q }),
  ...(sort !== null && { sort })
})

/** The download links of an account. */
export class DownloadLinks extends Context.Service<
  DownloadLinks,
  {
    /** Creates a link for a caller whose session must still be valid, and returns its address, which nobody sees again. */
    readonly create: (
      caller: Caller["Service"],
      settings: NewDownloadLink
    ) => Effect.Effect<CreatedLink, TooManyDownloadLinks | UserNotFound | Unauthorized>
    /** Newest first; all of them, at most 20. */
    readonly list: (owner: UserId) => Effect.Effect<ReadonlyArray<DownloadLink>>
    readonly revoke: (owner: UserId, id: DownloadLinkId) => Effect.Effect<void, DownloadLinkNotFound>
    /** Makes the file of a link, at most 10 times a minute. */
    readonly download: (token: string) => Effect.Effect<ExportFile, DownloadNotFound | ExportTooLarge | RateLimited>
  }
>()("app/orders/DownloadLinks") {
  static readonly layerNoDeps = Layer.effect(
    DownloadLinks,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const { base_url } = yield* Addresses
      const callers = yield* CallerLock
      const exports = yield* OrderExports
      const rateLimit = yield* RateLimit
      const repo = yield* DownloadLinksRepo

      /** The lock of the account keeps concurrent creations within the limit. */
      const create = Effect.fn("DownloadLinks.create")(function* (
        caller: Caller["Service"],
        { country, format, name, proxy_status, proxy_type, q, sort, template }: NewDownloadLink
      ) {
        yield* callers.hold(caller)
        if ((yield* repo.count(caller.user_id)) >= linksPerAccount)
          return yield* new TooManyDownloadLinks({ details: {} })
        const token = yield* Secrets.make("prd_")
        const row = yield* Effect.orDie(
          DownloadLink.insert.makeEffect({
            user_id: caller.user_id,
            name,
            token_hash: Secrets.digest(token),
            format,
            template: template ?? null,
            q: q ?? null,
            country: country ?? null,
            proxy_type: proxy_type ?? null,
            proxy_status: proxy_status ?? null,
            sort: sort ?? null,
            last_used_at: null
          })
        )
        return { link: yield* repo.insert(row), url: `${base_url}/downloads/${token}` }
      }, atomically)

      const revoke = Effect.fn("DownloadLinks.revoke")(function* (owner: UserId, id: DownloadLinkId) {
        if (!(yield* repo.remove(owner, id))) return yield* new DownloadLinkNotFound()
      })

      const markUsed = Effect.fnUntraced(function* ({ id, last_used_at }: DownloadLink) {
        const now = yield* DateTime.now
        const fresh = last_used_at !== null && Duration.isLessThan(DateTime.distance(last_used_at, now), usedPrecision)
        if (!fresh) yield* repo.markUsed(id, now)
      })

      const download = Effect.fn("DownloadLinks.download")(function* (token: string) {
        if (!shape.test(token)) return yield* new DownloadNotFound()
        const link = Option.getOrUndefined(yield* repo.findLive(Secrets.digest(token)))
        if (link === undefined) return yield* new DownloadNotFound()
        yield* rateLimit.enforce(rule, link.id)
        yield* markUsed(link)
        const options = { page: { limit: exportedAtMost, offset: 0 }, key: `link:${link.id}` }
        return yield* exports.ofList(link.user_id, searchOf(link), link, options)
      })

      return DownloadLinks.of({ create, list: repo.list, revoke, download })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([CallerLock.layer, DownloadLinksRepo.layer, OrderExports.layer])
  )
}
