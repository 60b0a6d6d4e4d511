import { Option, Schema } from "effect"
import { ListedProxyStatus } from "../../orders/OrderFilter.ts"
import { OrderSearch } from "../../orders/OrderSearch.ts"

const auto_renew = Schema.optionalKey(Schema.Literals(["true", "false"]).transform([true, false]))
const { country, proxy_type, q, sort } = OrderSearch.fields
const proxy_status = Schema.optionalKey(Schema.Literals([...ListedProxyStatus.literals, "cancelled"]))

/** Filter, search and sort of the list of proxies. Without a state it leaves out the cancelled ones. */
const ListFilter = Schema.Struct({ q, country, proxy_type, proxy_status, auto_renew, sort })
export type ListFilter = typeof ListFilter.Type

const names = ["q", "country", "proxy_type", "proxy_status", "auto_renew", "sort"] as const satisfies ReadonlyArray<
  keyof ListFilter
>

const decode = Schema.decodeUnknownOption(ListFilter)

/** Reads the filter of a query. A value that is unknown or too long filters nothing. */
export const filterIn = (query: URLSearchParams): ListFilter =>
  Object.assign(
    {},
    ...names.map((name) => Option.getOrElse(decode({ [name]: query.get(name)?.trim() || undefined }), () => ({})))
  )

/** The filter as the fields of a query. */
export const fieldsOf = (filter: ListFilter): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(filter).map(([name, value]) => [name, String(value)] as const)

/** Writes a query that keeps the filter, with its question mark; empty without any. */
export const queryOf = (filter: ListFilter, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...Object.fromEntries(fieldsOf(filter)), ...more }).toString()
  return query === "" ? "" : `?${query}`
}
