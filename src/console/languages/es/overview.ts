import type { Same } from "../catalogue.ts"
import type { overview as german } from "../de/overview.ts"

export const overview: Same<typeof german> = {
  "(done)": "(hecho)",
  "Answers cite the passages they are based on.": "Las respuestas citan los pasajes en los que se basan.",
  "Ask it": "Preguntar",
  "Connect a language model": "Conectar un modelo de lenguaje",
  Disk: "Disco",
  "{done} of {total} done": "{done} de {total} hechos",
  "Drop in documents, spreadsheets, images or archives.":
    "Suelte documentos, hojas de cálculo, imágenes o archivos comprimidos.",
  Embedding: "Vectorización",
  "Fill the library": "Llenar la biblioteca",
  "First steps": "Primeros pasos",
  "{freeBytes} free": "{freeBytes} libres",
  Healthy: "En orden",
  "How to connect one": "Cómo conectar uno",
  Index: "Índice",
  indexing: "indexando",
  "it failed": "falló",
  "Latest files": "Últimos archivos",
  loaded: "cargado",
  "Many files of the source <bdi/> are gone at once. <link>Decide what becomes of them</link>":
    "Muchos archivos de la fuente <bdi/> han desaparecido a la vez. <link>Decidir qué hacer con ellos</link>",
  "Needs attention": "Requiere atención",
  "No API key of this workspace has been used in the last hour.":
    "Ninguna clave de API de este espacio de trabajo se usó en la última hora.",
  "No language model is connected: answers are quotes from your files.":
    "No hay ningún modelo de lenguaje conectado: las respuestas son citas de sus archivos.",
  "of {length} available": "de {length} disponibles",
  "{pending} in the queue": "{pending} en cola",
  "{perMinute, plural, one {# request} other {# requests}}":
    "{perMinute, plural, one {# petición} other {# peticiones}}",
  queued: "en cola",
  ready: "listo",
  "Requests in the last hour": "Peticiones en la última hora",
  "Requests per minute of {name}": "Peticiones por minuto de {name}",
  searchable: "disponible",
  "{searchable, plural, one {# file} other {# files}} searchable":
    "{searchable, plural, one {# archivo disponible} other {# archivos disponibles}} para buscar",
  "The source <bdi/> could not be synced: {message}. <link>See the source</link>":
    "La fuente <bdi/> no se pudo sincronizar: {message}. <link>Ver la fuente</link>",
  "The webhook <bdi/> was disabled: {reason}. <link>See webhooks</link>":
    "El webhook <bdi/> se desactivó: {reason}. <link>Ver webhooks</link>",
  unavailable: "no disponible",
  Uptime: "Tiempo en marcha",
  Version: "Versión",
  "With a key of its own: curl, SDKs, OpenAI clients, assistants.":
    "Con su propia clave: curl, SDK, clientes de OpenAI, asistentes.",
  "Without one, answers are quotes from your files.": "Sin uno, las respuestas son citas de sus archivos.",
  Working: "Procesando",
}
