import { Duration } from "effect"
import type { Blocklist } from "./Blocklist.ts"

const spamhaus = {
  format: "spamhaus",
  interval: Duration.hours(12),
  minimum: Duration.hours(1),
  claim: "blocklist",
  signal: null,
  mayBeEmpty: false,
  attribution: "The Spamhaus Project, Don't Route Or Peer list (https://www.spamhaus.org/drop/)",
  licence: "Free with credit to Spamhaus; it blocks clients that download more than once an hour"
} as const

/** These lists describe addresses and accuse nobody, so they make no claim. */
const x4b = {
  format: "networks",
  interval: Duration.days(1),
  minimum: Duration.hours(1),
  claim: null,
  mayBeEmpty: false,
  attribution: "X4BNet lists_vpn (https://github.com/X4BNet/lists_vpn)",
  licence: "MIT, the generated lists included"
} as const

const x4bList = (kind: "vpn" | "datacenter", family: "v4" | "v6"): Blocklist => ({
  ...x4b,
  id: `x4b_${kind}_${family}`,
  label: `X4B ${kind === "vpn" ? "VPN" : kind} networks (IP${family})`,
  signal: kind,
  url: `https://raw.githubusercontent.com/X4BNet/lists_vpn/main/output/${kind}/ip${family}.txt`
})

/** Every list that the service supports, in the order in which answers show them. */
export const BlocklistRegistry: ReadonlyArray<Blocklist> = [
  {
    ...spamhaus,
    id: "spamhaus_drop_v4",
    label: "Spamhaus DROP (IPv4)",
    url: "https://www.spamhaus.org/drop/drop_v4.json"
  },
  {
    ...spamhaus,
    id: "spamhaus_drop_v6",
    label: "Spamhaus DROP (IPv6)",
    url: "https://www.spamhaus.org/drop/drop_v6.json"
  },
  {
    id: "firehol_level1",
    label: "FireHOL level 1",
    url: "https://iplists.firehol.org/files/firehol_level1.netset",
    format: "networks",
    interval: Duration.hours(12),
    minimum: Duration.hours(1),
    claim: "blocklist",
    signal: null,
    mayBeEmpty: false,
    attribution: "FireHOL IP Lists, level 1 (https://iplists.firehol.org/)",
    licence: "Combines lists with their own licences, and some forbid redistribution: show matches, never the list"
  },
  {
    id: "feodo",
    label: "abuse.ch Feodo Tracker",
    url: "https://feodotracker.abuse.ch/downloads/ipblocklist_recommended.txt",
    format: "networks",
    interval: Duration.hours(1),
    minimum: Duration.minutes(30),
    claim: "blocklist",
    signal: null,
    mayBeEmpty: true,
    attribution: "abuse.ch Feodo Tracker (https://feodotracker.abuse.ch/)",
    licence: "CC0"
  },
  {
    id: "tor_exits",
    label: "Tor exit nodes",
    url: "https://check.torproject.org/exit-addresses",
    format: "tor",
    interval: Duration.minutes(30),
    minimum: Duration.minutes(5),
    claim: "tor_exit",
    signal: "tor",
    mayBeEmpty: false,
    attribution: "The Tor Project, TorDNSEL exit lists (https://check.torproject.org/)",
    licence: "Public"
  },
  {
    id: "blocklist_de",
    label: "blocklist.de, last 48 hours",
    url: "https://lists.blocklist.de/lists/all.txt",
    format: "networks",
    interval: Duration.minutes(30),
    minimum: Duration.minutes(15),
    claim: "recent_abuse",
    signal: "recent_abuse",
    mayBeEmpty: false,
    attribution: "blocklist.de (https://www.blocklist.de/)",
    licence: "Free with a link to blocklist.de"
  },
  {
    id: "et_compromised",
    label: "Emerging Threats compromised hosts",
    url: "https://rules.emergingthreats.net/blockrules/compromised-ips.txt",
    format: "networks",
    interval: Duration.hours(12),
    minimum: Duration.hours(1),
    claim: "recent_abuse",
    signal: "recent_abuse",
    mayBeEmpty: false,
    attribution: "Proofpoint Emerging Threats Open (https://rules.emergingthreats.net/)",
    licence: "BSD, with credit to Proofpoint ET"
  },
  {
    id: "cins_army",
    label: "CINS Army",
    url: "https://cinsscore.com/list/ci-badguys.txt",
    format: "networks",
    interval: Duration.hours(3),
    minimum: Duration.hours(1),
    claim: "recent_abuse",
    signal: "recent_abuse",
    mayBeEmpty: false,
    attribution: "Sentinel IPS, CINS Army list (https://cinsscore.com/)",
    licence: "Free, as is, with credit to Sentinel IPS"
  },
  {
    id: "greensnow",
    label: "GreenSnow",
    url: "https://blocklist.greensnow.co/greensnow.txt",
    format: "networks",
    interval: Duration.hours(1),
    minimum: Duration.minutes(30),
    claim: "recent_abuse",
    signal: "recent_abuse",
    mayBeEmpty: false,
    attribution: "GreenSnow (https://greensnow.co/)",
    licence: "Free with credit"
  },
  x4bList("vpn", "v4"),
  x4bList("vpn", "v6"),
  x4bList("datacenter", "v4"),
  x4bList("datacenter", "v6")
]
