import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows are never deleted, so an id never names another offer; an offer that is no longer sold is not `listed`.
  // Amounts in `options` and `price_per_gb` are integers in decimal text: micro-dollars and whole stars.
  yield* sql`
    CREATE TABLE offer (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      provider text NOT NULL CHECK (provider <> ''),
      external_id text NOT NULL CHECK (external_id <> ''),
      kind text NOT NULL CHECK (kind IN ('datacenter', 'residential', 'mobile')),
      mode text NOT NULL CHECK (mode <> ''),
      ip_version text NOT NULL CHECK (ip_version IN ('IPv4', 'IPv6')),
      name text NOT NULL CHECK (name <> ''),
      description text,
      country_code text NOT NULL CHECK (country_code ~ '^[A-Z]{2}$'),
      is_available boolean NOT NULL,
      locations jsonb NOT NULL CHECK (jsonb_typeof(locations) = 'array'),
      protocols jsonb NOT NULL CHECK (protocols <@ '["HTTP", "HTTPS", "SOCKS5"]' AND protocols <> '[]'),
      price_per_gb jsonb NOT NULL CHECK (price_per_gb ?& ARRAY['USD', 'STAR']
        AND (price_per_gb ->> 'STAR' IS NULL OR price_per_gb ->> 'USD' IS NOT NULL)),
      options jsonb NOT NULL CHECK (jsonb_typeof(options) = 'array'),
      listed boolean NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT offer_one_per_provider UNIQUE (provider, external_id),
      CONSTRAINT offer_isp_location CHECK (kind = 'residential' OR locations = '[]'),
      CONSTRAINT offer_priced_in_usd CHECK (options <> '[]' AND NOT jsonb_path_exists(options,
        '$[*] ? (!(exists (@.prices.USD ? (@ like_regex "^[1-9][0-9]{0,14}$"))))'))
    )
  `

  // One row; version 0 is a catalog that no sync has filled.
  yield* sql`
    CREATE TABLE catalog_version (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      version bigint NOT NULL CHECK (version >= 0),
      changed_at timestamptz,
      CHECK ((version = 0) = (changed_at IS NULL))
    )
  `
  yield* sql`INSERT INTO catalog_version (version) VALUES (0)`
})
