import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { rooms, uses } from "../../oxlint.config.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Each file imports one other; `allowed` says whether the table lets it. */
const imports = [
  { file: "src/orders/Order.ts", from: "./OrderStatus.ts", allowed: true },
  { file: "src/orders/Order.ts", from: "./checkout/BuyOrders.ts", allowed: false },
  { file: "src/orders/OrdersApi.ts", from: "./proxies/OrderDetailsView.ts", allowed: false },
  { file: "src/orders/OrdersHttp.ts", from: "./traffic/TrafficUsage.ts", allowed: false },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../Order.ts", allowed: true },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../provisioning/Provisioning.ts", allowed: true },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../changes/ProxyChange.ts", allowed: false },
  { file: "src/orders/provisioning/Provisioning.ts", from: "../checkout/BuyOrders.ts", allowed: false },
  { file: "src/orders/provisioning/ProvisioningRepo.ts", from: "../proxies/ProxySync.ts", allowed: false },
  { file: "src/orders/proxies/ProxyEnd.ts", from: "../changes/ProxyChange.ts", allowed: false },
  { file: "src/orders/proxies/ProxyEnd.ts", from: "../../orders/changes/ProxyChange.ts", allowed: false },
  { file: "src/orders/proxies/ProxyEnd.ts", from: "../../wallet/Wallets.ts", allowed: true },
  { file: "src/orders/proxies/ProxyEnd.ts", from: "../../webhooks/Webhooks.ts", allowed: false },
  { file: "src/orders/changes/MakeProxyChange.ts", from: "../proxies/ProxyHold.ts", allowed: true },
  { file: "src/orders/changes/MakeProxyChange.ts", from: "../proxies/ProxyHoldRepo.ts", allowed: false },
  { file: "src/platform/fields/Text.ts", from: "../Money.ts", allowed: false },
  { file: "src/platform/postgres/Database.ts", from: "../outbound/OutboundHttp.ts", allowed: false },
  { file: "src/wallet/gateways/Decimal.ts", from: "../payments/Payments.ts", allowed: false },
  { file: "src/gateway/GatewayProxies.ts", from: "./process/Gateway.ts", allowed: false },
  { file: "src/gateway/protocols/Socks5.ts", from: "../ports/ProxyPort.ts", allowed: true },
  { file: "src/gateway/ports/ProxyPort.ts", from: "../protocols/Socks5.ts", allowed: false },
  { file: "src/gateway/traffic/TrafficMeter.ts", from: "../ports/ProxyPort.ts", allowed: false },
  { file: "src/gateway/process/Gateway.ts", from: "../HeldPortsRepo.ts", allowed: true },
  { file: "src/gateway/process/Gateway.ts", from: "../control/TrafficRepo.ts", allowed: false },
  { file: "src/provider/adapters/GatewayProvider.ts", from: "../ProxyProvider.ts", allowed: true },
  { file: "src/provider/Providers.ts", from: "./adapters/GatewayProvider.ts", allowed: false },
  { file: "src/provider/vendors/VendorHttp.ts", from: "../adapters/IpRoyalClient.ts", allowed: false },
  { file: "src/ip-check/signals/Verdict.ts", from: "../IpCheck.ts", allowed: false },
  { file: "src/accounts/mail/EmailOutbox.ts", from: "../sign-in/SignUp.ts", allowed: false },
  { file: "src/orders/Order.ts", from: "../orders/checkout/OrderPlacement.ts", allowed: false },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../OrdersRepo.ts", allowed: true },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../../accounts/SessionsRepo.ts", allowed: false },
  { file: "src/orders/checkout/BuyOrders.ts", from: "../../accounts/sessions/SessionsRepo.ts", allowed: false },
  { file: "src/ip-check/IpChecks.ts", from: "./IpChecksRepo.ts", allowed: true },
  { file: "src/ip-check/IpChecks.ts", from: "./blocklists/Blocklists.ts", allowed: true },
  { file: "src/ip-check/IpChecks.ts", from: "./blocklists/BlocklistsRepo.ts", allowed: false },
  { file: "src/ip-check/IpChecks.ts", from: "../orders/proxies/Proxies.ts", allowed: true },
  { file: "src/ip-check/IpChecks.ts", from: "../orders/proxies/ProxiesRepo.ts", allowed: false },
  { file: "src/Services.ts", from: "./orders/proxies/Proxies.ts", allowed: true },
  { file: "src/Services.ts", from: "./orders/proxies/ProxiesRepo.ts", allowed: false },
  { file: "src/cli/Serve.ts", from: "../Services.ts", allowed: true },
  { file: "src/catalog/Catalog.ts", from: "../orders/Orders.ts", allowed: false },
  { file: "src/catalog/Catalog.ts", from: "../provider/Providers.ts", allowed: true }
]

/** The place of a case's file: two cases may have the same file. */
const placeOf = (file: string, index: number) => path.join(path.dirname(file), `Case${index}${path.basename(file)}`)

/** Lints a tree of these imports with the project's own configuration; answers the files that it refuses. */
const refused = (directory: string): ReadonlyArray<string> => {
  fs.copyFileSync(path.join(root, "oxlint.config.ts"), path.join(directory, "oxlint.config.ts"))
  fs.symlinkSync(path.join(root, "node_modules"), path.join(directory, "node_modules"))
  imports.forEach(({ file, from }, index) => {
    fs.mkdirSync(path.join(directory, path.dirname(file)), { recursive: true })
    fs.writeFileSync(path.join(directory, placeOf(file, index)), `export { it } from "${from}"\n`)
  })
  const linter = path.join(root, "node_modules/oxlint/bin/oxlint")
  const { stdout } = spawnSync(process.execPath, [linter, "--format=json", "src"], { cwd: directory })
  const { diagnostics } = JSON.parse(String(stdout)) as {
    readonly diagnostics: ReadonlyArray<{ readonly code: string; readonly filename: string }>
  }
  return diagnostics.filter(({ code }) => code.includes("no-restricted-imports")).map(({ filename }) => filename)
}

it("The linter refuses every import against the table of folders and rooms, and no other", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "rooms-"))
  try {
    const expected = imports.flatMap(({ allowed, file }, index) => (allowed ? [] : [placeOf(file, index)]))
    assert.sameMembers([...refused(directory)], expected)
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
})

it("The tables have an entry for each folder of src and each of its rooms, and no other", () => {
  const folders = fs
    .readdirSync(path.join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(path.join(root, "src"), path.join(entry.parentPath, entry.name)))
  const listed = Object.keys(uses).flatMap((folder) =>
    Object.keys(rooms[folder] ?? { "": [] }).map((room) => path.join(folder, room))
  )
  assert.sameMembers(folders, listed)
})
