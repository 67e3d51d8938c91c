export const overview = {
  "(done)": "(erledigt)",
  "Answers cite the passages they are based on.": "Antworten zitieren die Passagen, auf denen sie beruhen.",
  "Ask it": "Fragen stellen",
  "Connect a language model": "Ein Sprachmodell verbinden",
  Disk: "Datenträger",
  "{done} of {total} done": "{done} von {total} erledigt",
  "Drop in documents, spreadsheets, images or archives.": "Ziehen Sie Dokumente, Tabellen, Bilder oder Archive hinein.",
  Embedding: "Einbettung",
  "Fill the library": "Die Bibliothek füllen",
  "First steps": "Erste Schritte",
  "{freeBytes} free": "{freeBytes} frei",
  Healthy: "In Ordnung",
  "How to connect one": "Wie man eines verbindet",
  Index: "Index",
  indexing: "wird indiziert",
  "it failed": "es ist fehlgeschlagen",
  "Latest files": "Neueste Dateien",
  loaded: "geladen",
  "Many files of the source <bdi/> are gone at once. <link>Decide what becomes of them</link>":
    "Viele Dateien der Quelle <bdi/> sind auf einmal verschwunden. <link>Entscheiden, was mit ihnen geschieht</link>",
  "Needs attention": "Braucht Aufmerksamkeit",
  "No API key of this workspace has been used in the last hour.":
    "Kein API-Schlüssel dieses Arbeitsbereichs wurde in der letzten Stunde benutzt.",
  "No language model is connected: answers are quotes from your files.":
    "Kein Sprachmodell ist verbunden: Antworten sind Zitate aus Ihren Dateien.",
  "of {length} available": "von {length} verfügbar",
  "{pending} in the queue": "{pending} in der Warteschlange",
  "{perMinute, plural, one {# request} other {# requests}}": "{perMinute, plural, one {# Anfrage} other {# Anfragen}}",
  queued: "wartet",
  ready: "bereit",
  "Requests in the last hour": "Anfragen in der letzten Stunde",
  "Requests per minute of {name}": "Anfragen pro Minute von {name}",
  searchable: "durchsuchbar",
  "{searchable, plural, one {# file} other {# files}} searchable":
    "{searchable, plural, one {# Datei} other {# Dateien}} durchsuchbar",
  "The source <bdi/> could not be synced: {message}. <link>See the source</link>":
    "Die Quelle <bdi/> konnte nicht synchronisiert werden: {message}. <link>Zur Quelle</link>",
  "The webhook <bdi/> was disabled: {reason}. <link>See webhooks</link>":
    "Der Webhook <bdi/> wurde deaktiviert: {reason}. <link>Zu den Webhooks</link>",
  unavailable: "nicht verfügbar",
  Uptime: "Laufzeit",
  Version: "Version",
  "With a key of its own: curl, SDKs, OpenAI clients, assistants.":
    "Mit einem eigenen Schlüssel: curl, SDKs, OpenAI-Clients, Assistenten.",
  "Without one, answers are quotes from your files.": "Ohne eines sind Antworten Zitate aus Ihren Dateien.",
  Working: "Arbeitet",
}
