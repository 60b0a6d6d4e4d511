import type { ipCheck as english } from "../english/IpCheck.ts"

/** The pages of the IP checks. */
export const ipCheck: Readonly<Record<keyof typeof english, string>> = {
  "ip_check.about": "Sehen Sie, was Reputationsdienste und öffentliche Listen über eine Adresse wissen.",
  "ip_check.off": "IP-Prüfungen sind zurzeit abgeschaltet.",
  "ip_check.form_title": "Adresse prüfen",
  "ip_check.ip": "IP-Adresse",
  "ip_check.ip_hint": "Eine öffentliche IPv4- oder IPv6-Adresse, zum Beispiel die Ausgangsadresse eines Proxys",
  "ip_check.ip_wrong": "Geben Sie eine öffentliche IPv4- oder IPv6-Adresse ein, zum Beispiel 8.8.8.8, ohne Portnummer",
  "ip_check.what_wrong": "Drücken Sie eine der beiden Schaltflächen",
  "ip_check.survey_button": "Öffentliche Listen, kostenlos",
  "ip_check.check_button": "Prüfen für {{price}}",
  "ip_check.free_button_one": "Prüfen, kostenlos (noch {{count}})",
  "ip_check.free_button_other": "Prüfen, kostenlos (noch {{count}})",
  "ip_check.explained":
    "Kostenlos sehen wir nur in öffentlichen Listen nach. Eine Prüfung fragt auch Reputationsdienste und gibt ein Urteil. Sie kostet nichts, wenn es ein Ergebnis der letzten Stunde gibt oder wenn wir keines bekommen.",
  "ip_check.quota":
    "Jede gelieferte Bestellung gibt Ihnen eine kostenlose Prüfung. Sie haben {{used}} von {{entitled}} verbraucht. Jede weitere kostet {{price}} von Ihrem Guthaben.",
  "ip_check.too_little": "Ihr Guthaben reicht nicht für eine Prüfung.",
  "ip_check.top_up_link": "Aufladen",

  "ip_check.result_title": "Prüfung von {{ip}}",
  "ip_check.clean": "Unauffällig",
  "ip_check.suspicious": "Verdächtig",
  "ip_check.risky": "Riskant",
  "ip_check.blacklisted": "Auf einer Sperrliste",
  "ip_check.about_clean": "Keine Quelle, die wir erreicht haben, weiß etwas Schlechtes über diese Adresse.",
  "ip_check.about_suspicious":
    "Ein Dienst hält diese Adresse für verdächtig oder meldet Tor, ein VPN oder aktuellen Missbrauch. Manche Websites lehnen sie vielleicht ab oder fragen genauer nach.",
  "ip_check.about_risky":
    "Ein Dienst stuft diese Adresse als hohes Risiko ein. Viele Websites lehnen sie vielleicht ab.",
  "ip_check.about_blacklisted":
    "Diese Adresse steht auf einer Sperrliste. Rechnen Sie damit, dass viele Websites und Mailserver sie ablehnen.",
  "ip_check.partial":
    "Dieses Ergebnis ist unvollständig: Ein Dienst hat nicht geantwortet, oder eine Liste ist nicht geladen. Sie wissen vielleicht mehr über diese Adresse.",
  "ip_check.score": "Risikowert",
  "ip_check.of_100": "{{score}} von 100",
  "ip_check.cost": "Kosten",
  "ip_check.cost_free": "kostenlose Prüfung",
  "ip_check.cost_reused": "nichts: ein Ergebnis der letzten Stunde",
  "ip_check.checked": "Geprüft",

  "ip_check.signals_title": "Merkmale",
  "ip_check.tor": "Tor-Ausgang",
  "ip_check.vpn": "VPN",
  "ip_check.proxy_detected": "Als Proxy erkannt",
  "ip_check.datacenter": "Adresse eines Rechenzentrums",
  "ip_check.recent_abuse": "Aktueller Missbrauch",
  "ip_check.known_abuser": "Bekannt für Missbrauch",
  "ip_check.reported": "Gemeldet",
  "ip_check.not_reported": "Nicht gemeldet",
  "ip_check.signals_note": "„Proxy“ und „Rechenzentrum“ ändern das Urteil nie.",

  "ip_check.vendors_title": "Dienste",
  "ip_check.vendor": "Dienst",
  "ip_check.opinion": "Meinung",
  "ip_check.vendor_score": "Wert",
  "ip_check.vendor_risk": "Einzelheiten",
  "ip_check.band_clean": "Unauffällig",
  "ip_check.band_suspicious": "Verdächtig",
  "ip_check.band_high_risk": "Hohes Risiko",
  "ip_check.not_reached": "Nicht erreicht",
  "ip_check.not_reached_about": "Er sagt nichts über diese Adresse.",
  "ip_check.derived": "aus seiner Meinung geschätzt",

  "ip_check.lists_title": "Sperrlisten",
  "ip_check.lists_on": "Die Adresse steht auf diesen Sperrlisten:",
  "ip_check.lists_none": "Die Adresse steht auf keiner unserer Sperrlisten.",
  "ip_check.lists_none_of_some":
    "Die Adresse stand auf keiner Sperrliste, die geladen war. Eine Liste, die nicht geladen war, sagt nichts.",
  "ip_check.lists_not_loaded":
    "Zurzeit ist keine Sperrliste geladen; dieses Ergebnis sagt also nichts über Sperrlisten.",

  "ip_check.survey_title": "Öffentliche Listen über {{ip}}",
  "ip_check.on_lists_one": "Auf {{count}} von {{loaded}} geladenen Listen",
  "ip_check.on_lists_other": "Auf {{count}} von {{loaded}} geladenen Listen",
  "ip_check.on_none": "Auf keiner geladenen Liste",
  "ip_check.nothing_loaded": "Zurzeit ist keine Liste geladen; deshalb können wir nichts über diese Adresse sagen.",
  "ip_check.missing_lists_one": "{{count}} Liste ist nicht geladen und sagt nichts.",
  "ip_check.missing_lists_other": "{{count}} Listen sind nicht geladen und sagen nichts.",
  "ip_check.known_title": "Bekannt aus einer Prüfung der letzten Stunde",
  "ip_check.not_asked": "Die Reputationsdienste wurden nicht gefragt. Eine Prüfung fragt sie.",
  "ip_check.list": "Liste",
  "ip_check.meaning": "Bedeutung",
  "ip_check.listing": "Diese Adresse",
  "ip_check.synced": "Aktualisiert",
  "ip_check.listed": "Enthalten",
  "ip_check.listed_as": "in {{network}}",
  "ip_check.not_listed": "Nicht enthalten",
  "ip_check.not_loaded": "Nicht geladen",
  "ip_check.claim_blocklist": "Sperrliste",
  "ip_check.claim_recent_abuse": "Kürzlich wegen Missbrauchs gemeldet",
  "ip_check.claim_tor_exit": "Ausgang des Tor-Netzes",

  "ip_check.history_title": "Ihre Prüfungen",
  "ip_check.history_none": "Sie haben noch keine Adresse geprüft.",
  "ip_check.address": "Adresse",
  "ip_check.verdict": "Urteil",
  "ip_check.free": "kostenlos",
  "ip_check.incomplete": "unvollständig",
  "ip_check.survey_link": "Diese Adresse in öffentlichen Listen nachsehen, kostenlos",

  "failure.IpChecksDisabled": "IP-Prüfungen sind zurzeit abgeschaltet.",
  "failure.TooFewSources":
    "Zu wenige Dienste haben geantwortet. Wir haben nichts berechnet. Versuchen Sie es gleich noch einmal.",
  "failure.NoSources": "Kein Dienst kennt diese Art von Adresse. Wir haben nichts berechnet.",
  "failure.IpCheckInterrupted":
    "Die Prüfung wurde unterbrochen. Wir haben nichts berechnet. Versuchen Sie es noch einmal.",
  "failure.IpCheckUnderWay":
    "Diese Adresse wird gerade geprüft. Wir haben nichts berechnet. Versuchen Sie es gleich noch einmal.",
  "failure.IpCheckNotFound": "Es gibt keine solche Prüfung.",
  "failure.IpCheckNotYours": "Diese Prüfung gehört zu einem anderen Konto.",
  "failure.IpCheckPriceChanged":
    "Der Preis der Prüfung hat sich inzwischen geändert. Wir haben nichts berechnet. Sehen Sie den Preis auf der Schaltfläche, und entscheiden Sie noch einmal.",
  "failure.RateLimited": "Das waren zu viele Anfragen in kurzer Zeit. {{when}}",
  "failure.InsufficientBalance": "Ihr Guthaben reicht nicht. Laden Sie es auf, und versuchen Sie es noch einmal.",
  "failure.EmailNotVerified": "Bestätigen Sie zuerst Ihre E-Mail-Adresse auf der Seite „Ihre E-Mail-Adresse“."
}
