import { defineConfig, type OxlintOverride } from "oxlint"

/**
 * The folders that each folder may import besides itself. The lists point one way, so the folders form layers without a
 * circle.
 */
export const uses: Record<string, ReadonlyArray<string>> = {
  platform: [],
  gateway: ["platform"],
  provider: ["platform", "gateway"],
  accounts: ["platform"],
  agents: ["platform", "accounts"],
  flags: ["platform", "accounts"],
  idempotency: ["platform", "accounts"],
  oauth: ["platform", "accounts", "agents"],
  catalog: ["platform", "accounts", "flags", "provider"],
  notifications: ["platform", "accounts"],
  wallet: ["platform", "accounts", "notifications"],
  webhooks: ["platform", "accounts", "notifications"],
  orders: ["platform", "accounts", "catalog", "flags", "idempotency", "notifications", "provider", "wallet"],
  "ip-check": ["platform", "accounts", "flags", "idempotency", "orders", "wallet"],
  reconciliation: ["platform", "orders", "provider", "wallet"],
  rpc: ["platform", "accounts", "catalog", "flags", "idempotency", "ip-check", "oauth", "orders", "wallet", "webhooks"],
  mcp: ["platform", "accounts", "agents", "oauth", "rpc"],
  dashboard: ["platform", "accounts", "agents", "oauth", "wallet"],
  http: [
    "platform",
    "accounts",
    "agents",
    "catalog",
    "dashboard",
    "flags",
    "ip-check",
    "mcp",
    "notifications",
    "oauth",
    "orders",
    "rpc",
    "wallet",
    "webhooks"
  ],
  cli: [
    "platform",
    "accounts",
    "catalog",
    "flags",
    "gateway",
    "http",
    "ip-check",
    "oauth",
    "provider",
    "reconciliation",
    "wallet"
  ]
}

/**
 * The rooms that each room may import besides itself, by the same rule. "" is the folder without its rooms. A folder
 * without an entry here has no such limits.
 */
export const rooms: Record<string, Record<string, ReadonlyArray<string>>> = {
  platform: {
    "": ["errors"],
    errors: ["postgres"],
    fields: [],
    mail: ["settings"],
    outbound: ["fields", "settings"],
    postgres: ["settings"],
    requests: ["errors", "settings"],
    settings: []
  },
  accounts: {
    "": [],
    "api-keys": [""],
    authentication: ["", "api-keys", "sessions"],
    mail: [""],
    passwords: ["", "mail"],
    sessions: ["", "mail"],
    "sign-in": ["", "api-keys", "mail", "passwords", "sessions"],
    users: ["", "mail", "passwords"]
  },
  wallet: {
    "": [],
    gateways: [""],
    payments: ["", "gateways", "referrals"],
    "promo-codes": [""],
    referrals: [""]
  },
  orders: {
    "": [],
    provisioning: [""],
    proxies: [""],
    traffic: [""],
    checkout: ["", "provisioning"],
    changes: ["", "proxies"]
  },
  gateway: {
    "": [],
    admission: [""],
    traffic: [""],
    ports: ["", "admission", "traffic"],
    protocols: ["admission", "ports", "traffic"],
    process: ["", "admission", "ports", "protocols", "traffic"]
  },
  provider: {
    "": [],
    vendors: [""],
    adapters: ["", "vendors"]
  },
  "ip-check": {
    "": ["blocklists", "signals", "vendors"],
    blocklists: ["signals"],
    signals: [],
    vendors: ["signals"]
  }
}

const folders = Object.keys(uses)

const outside = (folder: string) => ({
  regex: `^(\\.\\./)+(${folders.filter((other) => other !== folder && !uses[folder]!.includes(other)).join("|") || "-"})/`,
  message: `src/${folder} may not use this folder; see the table in oxlint.config.ts.`
})
/** Lists the paths of a folder's rooms, each with the rooms of the folder that it may not import. */
const places = (folder: string) => {
  const table = rooms[folder]
  if (table === undefined) return [{ place: `src/${folder}/**/*`, inside: [] }]
  return Object.entries(table).map(([room, allowed]) => {
    const others = Object.keys(table).filter((other) => other !== room && !allowed.includes(other))
    const forbidden = others.map((other) => (other === "" ? "[^/]+\\.ts$" : `${other}/`)).join("|")
    return {
      place: room === "" ? `src/${folder}/*` : `src/${folder}/${room}/**/*`,
      inside: [
        {
          regex: `^(\\.\\./\\.\\./${folder}/|${room === "" ? "\\./" : "\\.\\./"})(${forbidden || "-"})`,
          message: `src/${folder}/${room} may not use this room; see the rooms in oxlint.config.ts.`
        }
      ]
    }
  })
}

const privateRepo = {
  regex: "^(\\.\\./)+[^/]+/\\w+Repo\\.ts$",
  message: "A repository is private to its folder; use the folder's service."
}
const sql = {
  regex: "^(effect/sql|@effect/sql-pg)(/|$)",
  message: "SQL lives in *Repo.ts, src/platform/postgres/Database.ts, DatabaseFailure.ts and Atomically.ts."
}
const wholeApi = {
  regex: "^(\\.\\./)+Api\\.ts$",
  message: "Only *Http.ts files implement the Api."
}
const edges = {
  regex: "^effect/(http-api|ai|cli)(/|$)",
  message: "HTTP and CLI shapes stay in *Api.ts, *Http.ts, http/ and cli/."
}

const protocols = {
  regex: "^effect/(http-api|cli)(/|$)",
  message: "HTTP and CLI shapes stay in *Api.ts, *Http.ts, http/ and cli/."
}

const restrict = (
  files: ReadonlyArray<string>,
  ...patterns: ReadonlyArray<{ regex: string; message: string }>
): OxlintOverride => ({
  files: [...files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] }
})

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "import/no-cycle": "error",
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
    "no-console": "error",
    "require-yield": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }]
  },
  overrides: [
    ...folders.flatMap((folder) =>
      places(folder).flatMap(({ inside, place }) => [
        restrict([place], outside(folder), ...inside, privateRepo, sql, wholeApi, edges),
        restrict([`${place}Repo.ts`], outside(folder), ...inside, privateRepo, wholeApi, edges),
        restrict([`${place}Api.ts`], outside(folder), ...inside, privateRepo, sql, wholeApi),
        restrict([`${place}Http.ts`], outside(folder), ...inside, privateRepo, sql)
      ])
    ),
    restrict(["src/platform/postgres/{Database,DatabaseFailure,Atomically}.ts"], outside("platform"), edges),
    // Declares the middlewares that run before every operation.
    restrict(["src/accounts/Authentication.ts"], outside("accounts"), privateRepo, sql, wholeApi),
    // The one folder that speaks the Model Context Protocol.
    restrict(["src/mcp/**"], outside("mcp"), privateRepo, sql, wholeApi, protocols),
    restrict(["src/http/**"], outside("http"), privateRepo, sql),
    restrict(["src/cli/**"], outside("cli"), privateRepo, sql, wholeApi),
    restrict(["src/*.ts"], { ...privateRepo, regex: "^\\./[^/]+/(.+/)?\\w+Repo\\.ts$" }, sql),
    // A test suite or a migration is a list, so its length says nothing. Tests read responses as `any`.
    {
      files: ["test/**", "migrations/**"],
      rules: { "max-lines-per-function": "off", "typescript/no-explicit-any": "off" }
    },
    { files: ["faults/**"], rules: { "typescript/no-explicit-any": "off" } },
    restrict(["faults/**"], {
      regex: `^\\.\\./src/(${folders.filter((folder) => folder !== "platform").join("|")})/`,
      message: "The fault harness uses the service only from outside: its API, its tables and its protocols."
    })
  ]
})
