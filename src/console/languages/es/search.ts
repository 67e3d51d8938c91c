import type { Same } from "../catalogue.ts"
import type { search as german } from "../de/search.ts"

export const search: Same<typeof german> = {
  "Any time": "En cualquier momento",
  "Any type": "Cualquier tipo",
  "By file": "Por archivo",
  Contexts: "Contextos",
  "Did you mean <meant/>?": "¿Quiso decir <meant/>?",
  Explain: "Explicar",
  "{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.":
    "{files, plural, one {# archivo se está indexando} other {# archivos se están indexando}}: vuelva a buscar en un momento.",
  "{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.":
    "{files, plural, one {# archivo disponible} other {# archivos disponibles}} para buscar. Pruebe con otras palabras, o con menos.",
  "{files, plural, one {# file} other {# files}} still being indexed":
    "{files, plural, one {# archivo aún se está indexando} other {# archivos aún se están indexando}}",
  "Go to the library": "Ir a la biblioteca",
  "How likely this passage answers the query: of those at 50 %, about half do":
    "Probabilidad de que este pasaje responda a la consulta: de los que tienen un 50 %, alrededor de la mitad lo hace",
  Hybrid: "Híbrida",
  Keyword: "Palabras clave",
  "Keyword search matches words as written, semantic search what they mean. Hybrid uses both.":
    "La búsqueda por palabras clave encuentra las palabras tal como están escritas; la semántica, lo que significan. La híbrida usa ambas.",
  "Last day": "Último día",
  "Last month": "Último mes",
  "Last week": "Última semana",
  "Last year": "Último año",
  "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.":
    "Se conoce por completo el significado de {done} de {total} pasajes: el resto se está calculando y el orden aún puede cambiar.",
  Mode: "Modo",
  "More of this file": "Más de este archivo",
  "Near the query, but unlikely to answer it.": "Cercanos a la consulta, pero es improbable que la respondan.",
  "No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>":
    "Ningún archivo contiene <words/>. También se buscó <tried/>. <only>Buscar solo tal como está escrito</only>",
  "no match": "sin coincidencia",
  "Not reranked: there was no time for it, or the model is off.":
    "Sin reordenar: no hubo tiempo o el modelo está desactivado.",
  "Nothing found": "No se encontró nada",
  "Nothing to search yet": "Aún no hay nada que buscar",
  "Open the passage": "Abrir el pasaje",
  "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, one {# pasaje} other {# pasajes}} en {files, plural, one {# archivo} other {# archivos}}, {time}",
  "{passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, one {# pasaje} other {# pasajes}}, {time}",
  "rank {rank}, score {score}": "posición {rank}, puntuación {score}",
  Relevance: "Relevancia",
  Rerank: "Reordenar",
  "Search again": "Buscar de nuevo",
  "Search for similar words too": "Buscar también palabras parecidas",
  "Search the library": "Buscar en la biblioteca",
  "Search without the filters": "Buscar sin los filtros",
  Semantic: "Semántica",
  "Show more": "Mostrar más",
  "<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.":
    "<slash/> vuelve aquí, <down/> y <up/> recorren lo encontrado, <enter/> lo abre.",
  "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, one {El mejor pasaje} other {Los mejores # pasajes}} en {files, plural, one {# archivo} other {# archivos}}, {time}",
  "The best {passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, one {El mejor pasaje} other {Los mejores # pasajes}}, {time}",
  "The embedding model is not available or does not know the words of the query: these results come from keywords only.":
    "El modelo de embeddings no está disponible o no conoce las palabras de la consulta: estos resultados proceden solo de palabras clave.",
  "The library is empty.": "La biblioteca está vacía.",
  Types: "Tipos",
  "under {value} %": "menos del {value} %",
  "{value} %": "{value} %",
  "Weak matches": "Coincidencias débiles",
  "What are you looking for?": "¿Qué busca?",
  "What the files are": "Tipo de archivos",
  "Words were searched for exactly as they are written.": "Las palabras se buscaron exactamente como están escritas.",
}
