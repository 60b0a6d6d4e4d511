import type { keys as english } from "../english/Keys.ts"

/** The page of the API keys. */
export const keys: Readonly<Record<keyof typeof english, string>> = {
  "keys.title": "API-Schlüssel",
  "keys.about": "Mit einem Schlüssel nutzen Ihre Programme Ihr Konto. Halten Sie ihn geheim.",
  "keys.list_title": "Ihre Schlüssel",
  "keys.none": "Sie haben noch keinen API-Schlüssel.",
  "keys.key": "Schlüssel",
  "keys.may": "Der Schlüssel darf",
  "keys.everything": "alles",
  "keys.from_anywhere": "von überall",
  "keys.from": "von {{addresses}}",
  "keys.up_to": "bis {{amount}} am Tag ausgeben",
  "keys.last_used": "Zuletzt verwendet",
  "keys.expires": "Läuft ab",
  "keys.expires_hint": "Danach funktioniert der Schlüssel nicht mehr",
  "keys.expires_wrong": "Wählen Sie, wann der Schlüssel abläuft",
  "keys.never": "nie",
  "keys.in_days": "in {{days}} Tagen",
  "keys.in_a_year": "in einem Jahr",
  "keys.new_title": "Neuer Schlüssel",
  "keys.name": "Name",
  "keys.name_hint": "Zum Beispiel das Programm, das den Schlüssel verwendet",
  "keys.name_wrong": "Geben Sie einen Namen mit 1 bis 100 Zeichen ein",
  "keys.scopes_hint": "Ohne Auswahl darf der Schlüssel alles, auch Webhooks verwalten",
  "keys.scopes_wrong": "Wählen Sie nur aus dieser Liste",
  "keys.only_from": "Erlaubte Adressen",
  "keys.only_from_hint": "IP-Adressen oder Netze, eine in jeder Zeile. Leer: von überall",
  "keys.only_from_wrong":
    "Geben Sie IP-Adressen oder Netze ein, zum Beispiel 192.0.2.7 oder 2001:db8::/32, eine in jeder Zeile",
  "keys.limit": "Tageslimit in Dollar",
  "keys.limit_hint": "So viel darf der Schlüssel am Tag (UTC) höchstens von Ihrem Guthaben ausgeben",
  "keys.limit_wrong": "Geben Sie einen Betrag wie 25 oder 12,50 ein, höchstens 1.000.000",
  "keys.create_button": "Schlüssel erstellen",
  "keys.created": "Ihr neuer Schlüssel „{{name}}“",
  "keys.copy_now": "Kopieren Sie den Schlüssel jetzt. Wir zeigen ihn nur einmal.",
  "keys.shown_already":
    "Der Schlüssel „{{name}}“ wurde schon erstellt und einmal gezeigt. Wenn Sie ihn nicht haben, widerrufen Sie ihn und erstellen Sie einen neuen.",
  "keys.revoke_button": "Widerrufen…",
  "keys.revoke_title": "„{{name}}“ widerrufen?",
  "keys.revoke_about":
    "Programme mit diesem Schlüssel funktionieren sofort nicht mehr. Sie können das nicht rückgängig machen.",
  "keys.revoke_confirm_button": "Schlüssel widerrufen",
  "keys.keep_button": "Schlüssel behalten",
  "keys.revoked": "Der Schlüssel ist widerrufen."
}
