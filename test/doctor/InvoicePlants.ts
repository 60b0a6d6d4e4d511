import type { Severity } from "../../src/doctor/Check.ts"
import type { Plant } from "./DoctorTesting.ts"

type Row = readonly [id: string, severity: Severity, plant: Plant, told: string]

const german = { TAX: "seller", TAX_COUNTRY: "DE" }

const germanBrand = {
  "brand.json":
    '{"name": "Acme", "support_email": "help@proxies.shop", "company": "Acme Ltd", "address": "1 Road", "tax_number": "DE1"}'
}

/** Planted faults of invoices and their tax. */
export const invoicePlants: ReadonlyArray<Row> = [
  [
    "invoices.seller",
    "warning",
    { brand: { "brand.json": '{"name": "Acme", "support_email": "help@proxies.shop"}' } },
    "set company, address in brand.json"
  ],
  [
    "invoices.seller",
    "warning",
    { settings: german, facts: { first_tax_days: { DE: "2027-01-01" } } },
    "set tax_number in brand.json"
  ],
  [
    "invoices.letters",
    "warning",
    {
      brand: {
        "brand.json":
          '{"name": "Acme", "support_email": "help@proxies.shop", "company": "株式会社", "address": "1 Road"}'
      }
    },
    "lacks letters of company in brand.json"
  ],
  [
    "invoices.rate",
    "error",
    {
      settings: german,
      facts: { first_tax_days: { FR: "2027-01-01" } },
      brand: germanBrand
    },
    "DE has no tax rate"
  ],
  [
    "invoices.rate",
    "error",
    {
      settings: german,
      facts: { first_tax_days: { DE: "2027-01-01" }, first_unissued_day: "2026-12-31" },
      brand: germanBrand
    },
    "run tax record --from 2026-12-31"
  ]
]
