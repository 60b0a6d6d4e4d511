import { assert, describe, it } from "@effect/vitest"
import type { BlocklistFormat } from "../../../src/ip-check/blocklists/Blocklist.ts"
import { read } from "../../../src/ip-check/blocklists/BlocklistParser.ts"

const nothing = { networks: [], special: 0, unreadable: 0 }
const one = (network: string) => ({ ...nothing, networks: [network] })

describe("A line of a blocklist", () => {
  it.each<[format: BlocklistFormat, line: string, expected: ReturnType<typeof read>]>([
    ["networks", "1.2.3.4", one("1.2.3.4/32")],
    ["networks", "  1.2.3.0/24 ; SBL1234", one("1.2.3.0/24")],
    ["networks", "1.2.3.4 # seen today", one("1.2.3.4/32")],
    ["networks", "1.2.3.4#seen today", one("1.2.3.4/32")],
    ["networks", "1.2.3.77/24", one("1.2.3.0/24")],
    ["networks", "2A0E:B107:0:0::/48", one("2a0e:b107::/48")],
    ["networks", "2a0e:b107::1", one("2a0e:b107::1/128")],
    ["networks", "", nothing],
    ["networks", "\r", nothing],
    ["networks", "# Generated at midnight", nothing],
    ["networks", "; Generated at midnight", nothing],
    ["networks", "10.0.0.0/8", { ...nothing, special: 1 }],
    ["networks", "127.0.0.1", { ...nothing, special: 1 }],
    ["networks", "0.0.0.0/0", { ...nothing, special: 1 }],
    ["networks", "224.0.0.0/3", { ...nothing, special: 1 }],
    ["networks", "203.0.112.0/23", one("203.0.112.0/23")],
    ["networks", "fe80::/10", { ...nothing, special: 1 }],
    ["networks", "::/0", { ...nothing, special: 1 }],
    ["networks", "32.0.0.0/4", { ...nothing, unreadable: 1 }],
    ["networks", "2a00::/8", { ...nothing, unreadable: 1 }],
    ["networks", "01.2.3.4", { ...nothing, unreadable: 1 }],
    ["networks", "1.2.3.4/33", { ...nothing, unreadable: 1 }],
    ["networks", "1.2.3.4-1.2.3.9", { ...nothing, unreadable: 1 }],
    ["networks", "::ffff:8.8.8.8", { ...nothing, unreadable: 1 }],
    ["networks", "<!doctype html>", { ...nothing, unreadable: 1 }],
    ["spamhaus", `{"cidr":"1.10.16.0/20","sblid":"SBL256894","rir":"apnic"}`, one("1.10.16.0/20")],
    ["spamhaus", `{"cidr":"2a0e:b107:17fe::/47","sblid":"SBL1"}`, one("2a0e:b107:17fe::/47")],
    ["spamhaus", `{"type":"metadata","timestamp":1770000000,"records":2}`, nothing],
    ["spamhaus", `{"error":"fair use"}`, { ...nothing, unreadable: 1 }],
    ["spamhaus", `{"cidr":"1.10.16.0/20"`, { ...nothing, unreadable: 1 }],
    ["tor", "ExitAddress 185.220.101.1 2026-08-22 10:11:12", one("185.220.101.1/32")],
    ["tor", "ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E", nothing],
    ["tor", "Published 2026-08-22 10:11:12", nothing],
    ["tor", "LastStatus 2026-08-22 10:11:12", nothing],
    ["tor", "185.220.101.1", { ...nothing, unreadable: 1 }]
  ])("%s: %s", (format, line, expected) => {
    assert.deepStrictEqual(read(format, [line]), expected)
  })
})
