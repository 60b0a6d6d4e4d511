import type { proxyConnections as english } from "../english/ProxyConnections.ts"

/** The connections of a proxy: which were refused and why, and the rules about destinations. */
export const proxyConnections: Readonly<Record<keyof typeof english, string>> = {
  "proxies.refused_title": "Abgelehnte Verbindungen",
  "proxies.refused_about":
    "Die letzten 7 Tage, die neuesten zuerst. Gleiche Ablehnungen eines Tages sind eine Zeile. Neue erscheinen nach wenigen Sekunden.",
  "proxies.refused_why": "Warum",
  "proxies.refused_whom": "Client oder Ziel",
  "proxies.refused_count": "Anzahl",
  "proxies.refused_last": "Zuletzt",
  "proxies.refused_no_credentials":
    "Der Client sendete keine Zugangsdaten. Browser senden sie erst nach dieser Antwort.",
  "proxies.refused_wrong_credentials": "Falsche Zugangsdaten",
  "proxies.refused_not_whitelisted": "Die Adresse ist nicht unter den erlaubten Adressen",
  "proxies.refused_wrong_protocol": "Der Client spricht nicht das Protokoll des Proxys",
  "proxies.refused_too_many_guesses": "Zu viele falsche Zugangsdaten von dieser Adresse",
  "proxies.refused_bad_request": "Die Anfrage ist fehlerhaft",
  "proxies.refused_ended": "Der Proxy ist beendet",
  "proxies.refused_suspended": "Der Proxy ist gesperrt",
  "proxies.refused_traffic_used": "Das Datenvolumen ist verbraucht",
  "proxies.refused_too_many_connections": "Zu viele offene Verbindungen durch den Proxy",
  "proxies.refused_too_fast": "Zu viele neue Verbindungen auf einmal durch den Proxy",
  "proxies.refused_gateway_full": "Unser Gateway war an seiner Grenze",
  "proxies.refused_not_public": "Das Ziel ist keine öffentliche Adresse",
  "proxies.refused_blocked_by_operator": "Wir haben dieses Ziel gesperrt",
  "proxies.refused_blocked_by_owner": "Ihre Regeln schließen dieses Ziel aus",
  "proxies.refused_port_closed": "Port 25 ist geschlossen",
  "proxies.refused_no_address": "Das Ziel hat keine Adresse der IP-Version des Proxys",
  "proxies.refused_name_not_found": "Der Name des Ziels wurde nicht gefunden",
  "proxies.refused_unreachable": "Das Ziel nahm die Verbindung nicht an",
  "proxies.refused_exit_down": "Die Ausgangsadresse des Proxys ist außer Betrieb",
  "proxies.refused_timeout": "Das Ziel antwortete nicht rechtzeitig",
  "proxies.refused_bad_answer": "Das Ziel sendete keine gültige Antwort",
  "proxies.event_destinations": "Regeln für Ziele geändert",
  "proxies.destinations_title": "Ziele",
  "proxies.destinations": "Regeln",
  "proxies.destinations_hint":
    "Eine Regel in jeder Zeile, höchstens 50: deny (verbieten) oder allow (erlauben), dann ein Host (mit allen Namen darunter), ein Netz oder *, dann auf Wunsch Ports. Zum Beispiel: deny example.com, deny 198.51.100.0/24, allow * 80-443. Mit einem allow ist alles geschlossen, worauf kein allow passt. Ein deny gilt immer.",
  "proxies.destinations_button": "Regeln speichern",
  "proxies.destinations_changed": "Die Regeln sind geändert. Verbindungen, die sie verbieten, enden in einer Sekunde.",
  "proxies.destinations_wrong":
    "Zeile {{line}} ist keine Regel: {{entry}}. Schreiben Sie zum Beispiel: deny example.com 443",
  "proxies.destinations_too_many": "Geben Sie höchstens 50 Regeln ein"
}
