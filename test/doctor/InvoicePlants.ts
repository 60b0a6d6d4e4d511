import type { Severity } from "../../src/doctor/Check.ts"
import type { Plant } from "./DoctorTesting.ts"

const german = { TAX: "seller", TAX_COUNTRY: "DE" }

/** Misconfigured invoices: the one check that finds each, and a part of its text. */
export const invoicePlants: ReadonlyArray<readonly [string, Severity, Plant, string]> = [
  [
    "invoices.seller",
    "warning",
    { brand: { "brand.json": '{"name": "Acme", "support_email": "help@proxies.shop"}' } },
    "set company, address in brand.json"
  ],
  [
    "invoices.seller",
    "warning",
    { settings: german, facts: { taxed_countries: ["DE"] } },
    "set tax_number in brand.json"
  ],
  [
    "invoices.rate",
    "error",
    {
      settings: german,
      facts: { taxed_countries: ["FR"] },
      brand: {
        "brand.json":
          '{"name": "Acme", "support_email": "help@proxies.shop", "company": "Acme Ltd", "address": "1 Road", "tax_number": "DE1"}'
      }
    },
    "DE has no tax rate"
  ]
]
