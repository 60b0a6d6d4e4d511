import { Effect, Option, Schema, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { ProxyFilter } from "../../orders/OrderFilter.ts"
import type { ListedOrderRow } from "../../orders/OrderView.ts"
import { Orders } from "../../orders/Orders.ts"
import { type CsvColumn, csvFile, plainCell } from "../../pages/CsvFile.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { proxiesPage } from "./ProxiesPage.ts"
import { addressOf } from "./ProxyWords.ts"

const onPage = 25

/** The orders that an export reads at once, and in all. */
const exported = { atOnce: 100, inAll: 10_000 }

const decodeFilter = Schema.decodeUnknownOption(ProxyFilter)

/** The filter of the query. An unknown value filters nothing. */
const filterOf = (query: URLSearchParams): ProxyFilter =>
  Object.assign(
    {},
    ...["proxy_type", "proxy_status"].map((name) =>
      Option.getOrElse(decodeFilter({ [name]: query.get(name) ?? undefined }), () => ({}))
    )
  )

const columns: ReadonlyArray<CsvColumn<ListedOrderRow>> = [
  ["order_id", ({ id }) => id],
  ["status", ({ proxy_status }) => proxy_status],
  ["kind", ({ proxy_type }) => proxy_type],
  ["country", ({ country }) => country],
  ["protocol", ({ protocol }) => protocol],
  ["host", ({ host }) => host ?? ""],
  ["port", ({ port }) => String(port ?? "")],
  ["username", ({ username }) => plainCell(username ?? "")],
  ["password", ({ password }) => plainCell(password ?? "")],
  ["expires_at", ({ expires_at }) => expires_at?.toISOString() ?? ""],
  ["auto_renew", ({ auto_renew }) => String(auto_renew)],
  ["notes", ({ notes }) => plainCell(notes ?? "")]
]

/** The addresses of proxies with their logins, one on each line. */
const textFile = (orders: Stream.Stream<ListedOrderRow>) =>
  HttpServerResponse.stream(
    orders.pipe(
      Stream.map((order) => addressOf(order)),
      Stream.filter((address) => address !== undefined),
      Stream.map((address) => `${address}\n`),
      Stream.encodeText
    ),
    {
      contentType: "text/plain; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-disposition": 'attachment; filename="proxies.txt"',
        "x-content-type-options": "nosniff"
      }
    }
  )

/** The list of the proxies, and its export. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const orders = yield* Orders
    const pages = yield* Pages
    const path = yield* pathOf("proxies")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const filter = filterOf(visit.query)
      const part = { limit: onPage, offset: offsetOf(visit.query) }
      const found = yield* orders.list(visit.user.id, filter, part)
      if (found.orders.length === 0 && part.offset > 0) return redirect(path)
      const counts = yield* orders.counts(visit.user.id, {})
      return proxiesPage(visit, { filter, counts, orders: found.orders, part: { ...part, total: found.total } })
    })

    const read = ({ query, user }: Visit) =>
      Stream.paginate(0, (offset: number) =>
        Effect.map(orders.list(user.id, filterOf(query), { limit: exported.atOnce, offset }), ({ orders, total }) => {
          const next = offset + exported.atOnce
          return [orders, next < Math.min(total, exported.inAll) ? Option.some(next) : Option.none()] as const
        })
      )

    const save = (visit: Visit) =>
      Effect.sync(() =>
        visit.query.get("format") === "csv" ? csvFile("proxies.csv", columns, read(visit)) : textFile(read(visit))
      )

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("GET", `${path}/export`, pages.show(save))
  })
)
