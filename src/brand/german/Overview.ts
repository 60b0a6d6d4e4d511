import type { overview as english } from "../english/Overview.ts"

/** The first page of the dashboard. */
export const overview: Readonly<Record<keyof typeof english, string>> = {
  "overview.ending_title": "Diese Proxys enden bald und verlängern sich nicht",
  "overview.ends": "{{proxy}} endet {{when}}",
  "overview.ending_more": "Noch {{count}}: alle ansehen",
  "overview.news_title": "Neue Mitteilungen",
  "overview.news_more": "Noch {{count}}: alle ansehen",
  "overview.first_title": "Ihre ersten Schritte",
  "overview.first_verify": "E-Mail-Adresse bestätigen",
  "overview.first_key": "API-Schlüssel für Ihre Programme erstellen",
  "overview.active": "Aktive Proxys",
  "overview.expiring": "Enden bald",
  "overview.expiring_about": "Weniger als drei Tage übrig. Bei Laufzeiten unter 15 Tagen: das letzte Fünftel",
  "overview.traffic": "Daten in 30 Tagen",
  "overview.traffic_title": "Datenverbrauch aller Proxys in den letzten 30 Tagen",
  "overview.traffic_missing":
    "Ein Anbieter meldet den Datenverbrauch gerade nicht. Laden Sie die Seite in einer Minute neu.",

  "proxy.datacenter": "Rechenzentrum",
  "proxy.residential": "Privater Anschluss",
  "proxy.mobile": "Mobilfunk",
  "proxy.unnamed": "{{kind}}, {{country}}"
}
