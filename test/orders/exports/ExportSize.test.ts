import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ExportedRow } from "../../../src/orders/exports/ExportedProxy.ts"
import { exportFile } from "../../../src/orders/exports/ExportFile.ts"
import { sizeOf } from "../../../src/orders/exports/ExportSize.ts"
import { OrderId } from "../../../src/orders/Order.ts"

const bytes = (text: string | null) => Buffer.byteLength(text ?? "")

const rowOf = (text: string): ExportedRow => ({
  id: OrderId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"),
  proxy_type: "residential",
  proxy_status: "provisioning_failed" as never,
  protocol: "SOCKS5",
  country: "DE",
  city: text,
  auto_renew: false,
  notes: text,
  tags: [text, text],
  host: text,
  port: 65_535,
  username: text,
  password: text,
  expires_at: new Date("2030-01-01T00:00:00Z")
})

const sumsOf = (rows: ReadonlyArray<ExportedRow>) => {
  const sum = (of: (row: ExportedRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    proxies: rows.length,
    host: sum(({ host }) => bytes(host)),
    username: sum(({ username }) => bytes(username)),
    password: sum(({ password }) => bytes(password)),
    city: sum(({ city }) => bytes(city)),
    name: sum(({ notes }) => bytes(notes)),
    json: sum(({ city, host, notes, password, tags, username }) =>
      bytes(JSON.stringify([host, username, password, city, notes, tags]))
    )
  }
}

const template = "{protocol}:{host}:{port}€{username}{password}{country}{city}{name}{name}"

it.effect("The size of an export is never smaller than its file, and not much larger", () =>
  Effect.gen(function* () {
    for (const text of ["", "plain", "=1+1", `"quoted", '`, "\u0001\u0002\t\r\n", "€€€", "\u{1F600}", "\u2028"])
      for (const form of [
        { format: "txt" },
        { format: "txt", template },
        { format: "csv" },
        { format: "json" }
      ] as const) {
        const rows = Array<ExportedRow>(50).fill(rowOf(text))
        const { body } = yield* exportFile(form, rows)
        const size = sizeOf(form, sumsOf(rows))
        assert.isAtLeast(size, bytes(body), `${form.format} ${JSON.stringify(text)}`)
        assert.isAtMost(size, 4 * bytes(body) + 1000, `${form.format} ${JSON.stringify(text)}`)
      }
  })
)
