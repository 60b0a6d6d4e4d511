import { defineConfig, type OxlintOverride } from "oxlint"

/**
 * The folders that each folder may import besides itself. The lists point one way, so the folders form layers without a
 * circle.
 */
export const uses: Record<string, ReadonlyArray<string>> = {
  platform: [],
  brand: ["platform"],
  gateway: ["platform"],
  abuse: ["platform", "gateway"],
  provider: ["platform", "gateway"],
  accounts: ["platform", "brand"],
  announcements: ["platform", "accounts", "brand"],
  agents: ["platform", "accounts", "brand"],
  flags: ["platform", "accounts"],
  idempotency: ["platform", "accounts"],
  oauth: ["platform", "accounts", "agents", "brand"],
  catalog: ["platform", "accounts", "flags", "provider"],
  shop: ["platform", "catalog", "gateway", "provider"],
  notifications: ["platform", "accounts", "brand"],
  wallet: ["platform", "accounts", "brand", "notifications"],
  webhooks: ["platform", "accounts", "brand", "notifications"],
  orders: ["platform", "accounts", "brand", "catalog", "flags", "idempotency", "notifications", "provider", "wallet"],
  "ip-check": ["platform", "accounts", "flags", "idempotency", "orders", "wallet"],
  "account-export": ["platform", "accounts", "ip-check", "notifications", "oauth", "orders", "wallet", "webhooks"],
  reconciliation: ["platform", "provider", "wallet"],
  doctor: ["platform", "brand", "gateway", "ip-check", "provider", "wallet"],
  rpc: ["platform", "accounts", "catalog", "flags", "ip-check", "oauth", "orders", "wallet", "webhooks"],
  mcp: ["platform", "accounts", "agents", "brand", "rpc"],
  pages: ["platform", "accounts", "brand"],
  staff: [
    "platform",
    "abuse",
    "account-export",
    "accounts",
    "announcements",
    "brand",
    "catalog",
    "doctor",
    "gateway",
    "orders",
    "provider",
    "shop",
    "wallet",
    "webhooks"
  ],
  "back-office": ["platform", "account-export", "accounts", "brand", "pages", "staff"],
  dashboard: [
    "platform",
    "account-export",
    "accounts",
    "agents",
    "announcements",
    "brand",
    "catalog",
    "flags",
    "idempotency",
    "ip-check",
    "notifications",
    "oauth",
    "orders",
    "pages",
    "wallet",
    "webhooks"
  ],
  http: [
    "platform",
    "accounts",
    "agents",
    "announcements",
    "back-office",
    "catalog",
    "dashboard",
    "flags",
    "gateway",
    "ip-check",
    "mcp",
    "notifications",
    "oauth",
    "orders",
    "pages",
    "rpc",
    "staff",
    "wallet",
    "webhooks"
  ],
  cli: [
    "platform",
    "abuse",
    "accounts",
    "brand",
    "catalog",
    "doctor",
    "flags",
    "gateway",
    "http",
    "ip-check",
    "notifications",
    "oauth",
    "orders",
    "provider",
    "reconciliation",
    "shop",
    "staff",
    "wallet"
  ]
}

/**
 * The rooms that each room may import besides itself, by the same rule. "" is the folder without its rooms. A folder
 * without an entry here has no rooms.
 */
export const rooms: Record<string, Record<string, ReadonlyArray<string>>> = {
  platform: {
    "": ["errors"],
    errors: ["postgres"],
    fields: [],
    mail: ["settings"],
    outbound: ["", "fields", "settings"],
    postgres: ["settings"],
    requests: ["errors", "settings", "workers"],
    settings: [],
    workers: []
  },
  accounts: {
    "": [],
    "api-keys": [""],
    authentication: ["", "api-keys", "sessions"],
    mail: [""],
    passkeys: ["", "mail", "passwords", "second-factor", "sessions"],
    passwords: ["", "mail"],
    restrictions: ["", "mail"],
    "second-factor": ["", "mail", "passwords"],
    sessions: ["", "mail"],
    "sign-in": ["", "api-keys", "mail", "passkeys", "passwords", "restrictions", "second-factor", "sessions"],
    users: ["", "mail", "passwords", "restrictions"]
  },
  wallet: {
    "": [],
    adjustments: [""],
    "auto-top-up": ["", "gateways"],
    gateways: [""],
    invoices: [""],
    payments: ["", "auto-top-up", "gateways", "payouts", "referrals", "refunds"],
    payouts: ["", "adjustments"],
    "promo-codes": [],
    referrals: [""],
    refunds: ["", "gateways", "referrals"]
  },
  orders: {
    "": [],
    provisioning: [""],
    proxies: [""],
    traffic: [""],
    exports: [""],
    refunds: ["", "proxies"],
    checkout: ["", "provisioning"],
    changes: ["", "proxies"],
    care: ["", "changes", "provisioning", "proxies"]
  },
  gateway: {
    "": [],
    admission: [""],
    traffic: [""],
    control: ["", "traffic"],
    nodes: ["", "control", "traffic"],
    remote: [""],
    ports: ["", "admission", "traffic"],
    protocols: ["admission", "ports", "traffic"],
    process: ["", "admission", "control", "ports", "protocols", "traffic"]
  },
  brand: {
    "": ["english", "german"],
    english: [],
    german: ["english"]
  },
  "back-office": {
    "": [
      "abuse",
      "announcements",
      "customers",
      "desk",
      "documents",
      "doors",
      "members",
      "money",
      "orders",
      "payments",
      "promo-codes",
      "providers",
      "reports",
      "shop",
      "todo"
    ],
    announcements: ["desk"],
    abuse: ["desk"],
    desk: [],
    documents: ["desk"],
    doors: ["desk"],
    "promo-codes": ["desk"],
    members: ["desk"],
    customers: ["desk"],
    money: ["customers", "desk"],
    orders: ["desk", "money"],
    payments: ["desk"],
    providers: ["desk"],
    reports: ["desk"],
    shop: ["desk"],
    todo: ["desk"]
  },
  dashboard: {
    "": [
      "account",
      "consent",
      "desk",
      "doors",
      "help",
      "ip-check",
      "keys",
      "notifications",
      "overview",
      "payments",
      "proxies",
      "security",
      "shop",
      "wallet",
      "webhooks"
    ],
    desk: [],
    doors: [],
    account: ["desk"],
    consent: ["desk", "doors"],
    help: ["desk"],
    "ip-check": ["desk"],
    keys: ["desk"],
    notifications: ["desk"],
    overview: ["desk"],
    payments: ["desk"],
    proxies: ["desk", "payments"],
    security: ["desk"],
    shop: ["desk", "payments"],
    wallet: ["desk", "payments"],
    webhooks: ["desk"]
  },
  provider: {
    "": [],
    vendors: [""],
    adapters: ["", "vendors"]
  },
  staff: {
    "": [],
    abuse: ["", "audit"],
    access: ["", "audit"],
    announcements: ["", "audit"],
    audit: [""],
    customers: ["", "audit"],
    documents: ["", "audit"],
    members: ["", "audit"],
    money: ["", "audit"],
    orders: ["", "audit", "customers", "money"],
    payments: ["", "audit", "customers"],
    "promo-codes": ["", "audit"],
    providers: ["", "audit"],
    reports: ["", "audit"],
    shop: ["", "audit"],
    todo: ["", "audit"]
  },
  "ip-check": {
    "": ["blocklists", "signals", "vendors"],
    blocklists: ["signals"],
    signals: [],
    vendors: ["signals"]
  }
}

const folders = Object.keys(uses)

interface Pattern {
  readonly regex: string
  readonly message: string
}

/** Refuses the folders that the table does not name. `up` is the path from the place to `src`. */
const outside = (folder: string, up: string): Pattern => ({
  regex: `^${up}(${folders.filter((other) => !uses[folder]!.includes(other)).join("|")})/`,
  message: `src/${folder} may not use this folder; see the table in oxlint.config.ts.`
})

/** Refuses the rooms of the same folder that the table does not name. `up` is the path from the place to the folder. */
const inside = (folder: string, room: string, up: string): Pattern => {
  const { [room]: allowed = [], ...others } = rooms[folder] ?? {}
  const forbidden = Object.keys(others).filter((other) => !allowed.includes(other))
  return {
    regex: `^${up}(${forbidden.map((other) => (other === "" ? "[^/]+\\.ts$" : `${other}/`)).join("|") || "-"})`,
    message: `src/${folder}/${room} may not use this room; see the rooms in oxlint.config.ts.`
  }
}

const privateRepo: Pattern = {
  regex: "^\\.\\.?/(.+/)?[^./]+/\\w+Repo\\.ts$",
  message: "A repository is private to its folder and its room; use the service."
}

/** Limits of every file in a room; "" is the folder without its rooms. */
const limits = (folder: string, room = ""): ReadonlyArray<Pattern> =>
  room === ""
    ? [outside(folder, "\\.\\./"), inside(folder, room, "\\./"), privateRepo]
    : [outside(folder, "\\.\\./\\.\\./"), inside(folder, room, "\\.\\./"), privateRepo]

/** Lists the files of each folder and of each room, with their limits. */
const places = folders.flatMap((folder) =>
  Object.keys(rooms[folder] ?? { "": [] }).map((room) => ({
    files: room === "" ? `src/${folder}/*` : `src/${folder}/${room}/*`,
    limits: limits(folder, room)
  }))
)

const sql: Pattern = {
  regex: "^(effect/sql|@effect/sql-pg)(/|$)",
  message:
    "SQL lives in *Repo.ts, src/platform/postgres/Database.ts, DatabaseFailure.ts, Atomically.ts, RunInBatches.ts and Wakes.ts."
}
const wholeApi: Pattern = {
  regex: "^(\\.\\./)+(Admin)?Api\\.ts$",
  message: "Only *Http.ts files implement the Api and the AdminApi."
}
const edges: Pattern = {
  regex: "^effect/(http-api|ai|cli)(/|$)",
  message: "HTTP and CLI shapes stay in *Api.ts, *Http.ts, http/ and cli/."
}

const protocols: Pattern = {
  regex: "^effect/(http-api|cli)(/|$)",
  message: "HTTP and CLI shapes stay in *Api.ts, *Http.ts, http/ and cli/."
}

const restrict = (files: ReadonlyArray<string>, ...patterns: ReadonlyArray<Pattern>): OxlintOverride => ({
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
    ...places.flatMap(({ files, limits }) => [
      restrict([files], ...limits, sql, wholeApi, edges),
      restrict([`${files}Repo.ts`], ...limits, wholeApi, edges),
      restrict([`${files}Api.ts`], ...limits, sql, wholeApi),
      restrict([`${files}Http.ts`], ...limits, sql)
    ]),
    restrict(
      ["src/platform/postgres/{Database,DatabaseFailure,Atomically,RunInBatches,Wakes}.ts"],
      ...limits("platform", "postgres"),
      wholeApi,
      edges
    ),
    // Declares the middlewares that run before every operation.
    restrict(["src/accounts/Authentication.ts"], ...limits("accounts"), sql, wholeApi),
    // The one folder that speaks the Model Context Protocol.
    restrict(["src/mcp/*"], ...limits("mcp"), sql, wholeApi, protocols),
    restrict(["src/http/*"], ...limits("http"), sql),
    restrict(["src/cli/*"], ...limits("cli"), sql, wholeApi),
    restrict(["src/*.ts"], privateRepo, sql),
    // A test suite or a migration is a list, so its length says nothing. Tests read responses as `any`.
    {
      files: ["test/**", "migrations/**"],
      rules: { "max-lines-per-function": "off", "typescript/no-explicit-any": "off" }
    },
    // NestJS finds the parts of a class by the types of its constructor, so it needs the import; a module is an empty class.
    {
      files: ["bench/nest/**"],
      rules: {
        "typescript/consistent-type-imports": "off",
        "typescript/no-extraneous-class": "off",
        "import/no-unassigned-import": "off"
      }
    },
    { files: ["faults/**"], rules: { "typescript/no-explicit-any": "off" } },
    restrict(["faults/**"], {
      regex: `^\\.\\./src/(${folders.filter((folder) => folder !== "platform").join("|")})/`,
      message: "The fault harness uses the service only from outside: its API, its tables and its protocols."
    })
  ]
})
