import type { help as english } from "../english/Help.ts"

/** The help, the guides and the state of the service. */
export const help: Readonly<Record<keyof typeof english, string>> = {
  "help.step_top_up": "Guthaben aufladen",
  "help.step_buy": "Im Shop einen Proxy kaufen",
  "help.step_use": "Adresse und Passwort von der Seite des Proxys kopieren",
  "help.examples_title": "Die API verwenden",
  "help.examples_about":
    "Diese Programme listen Ihre aktiven Proxys mit ihren Adressen auf. Ersetzen Sie {{placeholder}} durch Ihren Schlüssel. Sie erstellen ihn unter {{keys}}.",
  "help.base_url": "Adresse der API",
  "help.support_title": "Den Support fragen",
  "help.support_about":
    "Wenn die Anfrage eines Programms fehlschlägt, senden Sie uns den Wert von {{header}} aus der Antwort. Damit finden wir die Anfrage.",

  "guides.title": "Anleitungen",
  "guides.about":
    "Was Sie hier tun können, im Browser und mit eigenen Programmen. Die Anleitungen sind auf Englisch geschrieben.",
  "guides.contents": "Auf dieser Seite",
  "guides.table": "Tabelle",
  "guides.example": "Beispiel",
  "guides.operations": "Alle Operationen der API",
  "guides.operations_about": "Jede Anfrage und Antwort, zum Lesen und Ausprobieren (auf Englisch)",
  "guide.dashboard": "Das Dashboard",
  "guide.dashboard_about": "Was Sie im Browser tun können",
  "guide.api": "Konventionen der API",
  "guide.api_about": "Zugangsdaten, Fehler, sicheres Wiederholen, Listen und Limits",
  "guide.contract": "Der Vertrag",
  "guide.contract_about": "Die Regeln, auf die Sie sich verlassen können, nach Themen",
  "guide.webhooks": "Webhooks",
  "guide.webhooks_about": "Ein Ereignis empfangen, wenn sich ein Proxy ändert",
  "guide.oauth": "OAuth: Apps, die für Menschen handeln",
  "guide.oauth_about": "Ihre App mit den Konten ihrer Nutzer verbinden",
  "guide.tools": "Werkzeuge für Agenten",
  "guide.tools_about": "Einen KI-Agenten Proxys kaufen und verwalten lassen",
  "guide.agents": "Agenten, die sich selbst registrieren",
  "guide.agents_about": "Ein Konto, das ein Agent eröffnet und ein Mensch übernimmt",
  "guide.ip_reputation": "Ruf von IP-Adressen",
  "guide.ip_reputation_about": "Was die Ergebnisse einer IP-Prüfung bedeuten",

  "status.title": "Status",
  "status.ready": "Der Dienst funktioniert.",
  "status.not_ready": "Teile des Dienstes funktionieren gerade nicht. Versuchen Sie es in einigen Minuten noch einmal.",
  "status.nothing": "Zurzeit wird nichts verkauft.",
  "status.in_stock_one": "in {{count}} Land verfügbar",
  "status.in_stock_other": "in {{count}} Ländern verfügbar",
  "status.available": "Verfügbar: {{countries}}",
  "status.sold_out": "Ausverkauft: {{countries}}"
}
