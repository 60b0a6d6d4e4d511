import type { consent as english } from "../english/Consent.ts"

/** The pages for connected apps. */
export const consent: Readonly<Record<keyof typeof english, string>> = {
  "connections.title": "Verbundene Apps",
  "connections.none": "Mit Ihrem Konto ist keine App verbunden.",
  "connections.none_about": "Hier stehen die Apps, die Sie zulassen. Sie können den Zugriff jederzeit beenden.",
  "connections.can": "Die App darf",
  "connections.since": "Verbunden seit",
  "connections.last_used": "Zuletzt genutzt",
  "connections.never_used": "noch nicht",
  "connections.limit": "Tageslimit",
  "connections.no_limit": "keines",
  "connections.limit_link": "Ändern",
  "connections.limit_title": "Tageslimit",
  "connections.limit_about":
    "{{app}} bezahlt ohne weitere Rückfrage von Ihrem Guthaben. Sie bestimmen, wie viel am Tag.",
  "connections.limit_hint":
    "So viel darf die App am Tag (UTC) höchstens von Ihrem Guthaben ausgeben. Leer: kein Limit.",
  "connections.limit_save_button": "Speichern",
  "connections.limited": "Das Tageslimit ist gespeichert und gilt sofort.",
  "connections.disconnect_button": "Verbindung trennen",
  "connections.disconnected": "Die Verbindung ist getrennt. Die App hat keinen Zugriff mehr auf Ihr Konto.",
  "connections.not_connected": "Die App war nicht mehr verbunden. Es wurde nichts geändert.",
  "failure.ConnectedAppNotFound": "Diese App ist nicht mehr mit Ihrem Konto verbunden. Es wurde nichts geändert.",

  "app.verified": "Verifiziert",
  "app.unverified": "Nicht verifiziert",

  "consent.title": "{{app}} verbinden",
  "consent.heading": "{{app}} mit Ihrem Konto verbinden?",
  "consent.published_by": "Diese App wurde von {{host}} veröffentlicht.",
  "consent.impostor":
    "Ein anderes Programm auf diesem Computer kann sich als diese App ausgeben. Fahren Sie nur fort, wenn Sie die Verbindung selbst gestartet haben.",
  "consent.unknown_app":
    "Diese App hat sich selbst registriert. Wir haben den Namen nicht geprüft. Fahren Sie nur fort, wenn Sie die Verbindung selbst gestartet haben.",
  "consent.account": "Ihr Konto",
  "consent.target": "Danach zurück zu",
  "consent.target_computer": "einer App auf diesem Computer",
  "consent.target_links": "der App, die „{{protocol}}“-Links öffnet",
  "consent.can": "Das darf die App",
  "consent.also": "Außerdem: {{access}}",
  "consent.trust": "{{detail}} Setzen Sie das Häkchen nur, wenn Sie der App Ihr Geld anvertrauen.",
  "consent.approve_button": "Zulassen",
  "consent.decline_button": "Ablehnen",
  "consent.never":
    "Die App kann nie Ihre E-Mail-Adresse oder Ihr Passwort ändern, API-Schlüssel oder Webhooks verwalten, Guthaben aufladen oder Ihr Konto löschen. Sie können den Zugriff jederzeit unter „Verbundene Apps“ beenden.",
  "consent.other_account_button": "Anderes Konto verwenden",
  "consent.no_decision": "Wählen Sie „Zulassen“ oder „Ablehnen“.",
  "consent.nothing_granted":
    "Die App möchte nur Ihr Guthaben ausgeben. Setzen Sie das Häkchen, um das zu erlauben, oder lehnen Sie ab.",

  "scope.catalog_read": "Den Katalog sehen",
  "scope.catalog_read_in_sentence": "den Katalog sehen",
  "scope.catalog_read_detail": "Angebotene Proxys mit Standorten und Preisen.",
  "scope.account_read": "Ihr Profil sehen",
  "scope.account_read_in_sentence": "Ihr Profil sehen",
  "scope.account_read_detail":
    "Name und E-Mail-Adresse, Empfehlungen, Gutscheincodes und bisherige Prüfungen von IP-Adressen.",
  "scope.orders_read": "Ihre Bestellungen und Proxys sehen",
  "scope.orders_read_in_sentence": "Ihre Bestellungen und Proxys sehen",
  "scope.orders_read_detail": "Dazu gehören Datenverbrauch, Benutzernamen und Passwörter der Proxys.",
  "scope.wallet_read": "Ihr Guthaben sehen",
  "scope.wallet_read_in_sentence": "Ihr Guthaben sehen",
  "scope.wallet_read_detail": "Kontostand und alle Buchungen.",
  "scope.orders_write": "Ihr Guthaben ausgeben",
  "scope.orders_write_in_sentence": "Ihr Guthaben ausgeben",
  "scope.orders_write_detail":
    "Das heißt: Proxys kaufen und verlängern und Ihre bezahlten Leistungen ändern. Der Preis wird ohne weitere Rückfrage von Ihrem Guthaben abgebucht.",

  "request_gone.title": "Diese Anfrage ist beendet",
  "request_gone.approved":
    "Haben Sie die App gerade zugelassen? Dann sind Sie fertig. Kehren Sie zur App zurück oder öffnen Sie „{{link}}“.",
  "request_gone.otherwise":
    "Sonst wurde die Anfrage abgelehnt, ist älter als 10 Minuten oder begann in einem anderen Browser. Kehren Sie zur App zurück und verbinden Sie sie noch einmal. Bleiben Sie dabei im selben Browser.",
  "authorization_failed.title": "Diese App konnte nicht verbunden werden",
  "authorization_failed.unchanged": "Es wurde nichts geändert. Sie können diese Seite schließen.",
  "authorization_failed.developer": "Für die Entwickler der App: {{error}}"
}
