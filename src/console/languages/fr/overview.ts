import type { Same } from "../catalogue.ts"
import type { overview as german } from "../de/overview.ts"

export const overview: Same<typeof german> = {
  "(done)": "(terminé)",
  "Answers cite the passages they are based on.": "Les réponses citent les passages sur lesquels elles s’appuient.",
  "Ask it": "L’interroger",
  "Connect a language model": "Connecter un modèle de langage",
  Disk: "Disque",
  "{done} of {total} done": "{done} sur {total} terminées",
  "Drop in documents, spreadsheets, images or archives.": "Déposez-y documents, tableurs, images ou archives.",
  Embedding: "Vectorisation",
  "Fill the library": "Remplir la bibliothèque",
  "First steps": "Premiers pas",
  "{freeBytes} free": "{freeBytes} libres",
  Healthy: "En bon état",
  "How to connect one": "Comment en connecter un",
  Index: "Index",
  indexing: "en cours d’indexation",
  "it failed": "échec",
  "Latest files": "Derniers fichiers",
  loaded: "chargé",
  "Many files of the source <bdi/> are gone at once. <link>Decide what becomes of them</link>":
    "Beaucoup de fichiers de la source <bdi/> ont disparu d’un coup. <link>Décider de leur sort</link>",
  "Needs attention": "À surveiller",
  "No API key of this workspace has been used in the last hour.":
    "Aucune clé d’API de cet espace de travail n’a servi durant la dernière heure.",
  "No language model is connected: answers are quotes from your files.":
    "Aucun modèle de langage n’est connecté : les réponses sont des citations de vos fichiers.",
  "of {length} available": "sur {length} disponibles",
  "{pending} in the queue": "{pending} en attente",
  "{perMinute, plural, one {# request} other {# requests}}": "{perMinute, plural, one {# requête} other {# requêtes}}",
  queued: "en attente",
  ready: "prêt",
  "Requests in the last hour": "Requêtes de la dernière heure",
  "Requests per minute of {name}": "Requêtes par minute de {name}",
  searchable: "interrogeable",
  "{searchable, plural, one {# file} other {# files}} searchable":
    "{searchable, plural, one {# fichier interrogeable} other {# fichiers interrogeables}}",
  "The source <bdi/> could not be synced: {message}. <link>See the source</link>":
    "La source <bdi/> n’a pas pu être synchronisée : {message}. <link>Voir la source</link>",
  "The webhook <bdi/> was disabled: {reason}. <link>See webhooks</link>":
    "Le webhook <bdi/> a été désactivé : {reason}. <link>Voir les webhooks</link>",
  unavailable: "indisponible",
  Uptime: "En service depuis",
  Version: "Version",
  "With a key of its own: curl, SDKs, OpenAI clients, assistants.":
    "Avec sa propre clé : curl, SDK, clients OpenAI, assistants.",
  "Without one, answers are quotes from your files.": "Sans lui, les réponses sont des citations de vos fichiers.",
  Working: "Traitement en cours",
}
