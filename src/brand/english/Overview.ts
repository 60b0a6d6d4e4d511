/** The first page of the dashboard. */
export const overview = {
  "overview.ending_title": "These proxies end soon and do not renew",
  "overview.ends": "{{proxy}} ends {{when}}",
  "overview.ending_more": "{{count}} more: see all",
  "overview.news_title": "New notifications",
  "overview.news_more": "{{count}} more: see all",
  "overview.first_title": "Your first steps",
  "overview.first_verify": "Verify your email",
  "overview.first_key": "Create an API key for your programs",
  "overview.active": "Active proxies",
  "overview.expiring": "Ending soon",
  "overview.expiring_about": "Less than three days left. With terms under 15 days: the last fifth",
  "overview.traffic": "Traffic in 30 days",
  "overview.traffic_title": "Traffic of all proxies in the last 30 days",
  "overview.traffic_missing": "A provider does not report the traffic at the moment. Reload this page in a minute.",

  "proxy.datacenter": "Datacenter",
  "proxy.residential": "Residential",
  "proxy.mobile": "Mobile",
  "proxy.unnamed": "{{kind}}, {{country}}"
} as const
