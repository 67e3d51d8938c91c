import type { Same } from "../catalogue.ts"
import type { search as german } from "../de/search.ts"

export const search: Same<typeof german> = {
  "Any time": "N’importe quand",
  "Any type": "Tout type",
  "By file": "Par fichier",
  Contexts: "Contextes",
  "Did you mean <meant/>?": "Vouliez-vous dire <meant/> ?",
  Explain: "Expliquer",
  "{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.":
    "{files, plural, one {# fichier est} other {# fichiers sont}} en cours d’indexation : relancez la recherche dans un instant.",
  "{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.":
    "{files, plural, one {# fichier interrogeable} other {# fichiers interrogeables}}. Essayez d’autres mots, ou moins de mots.",
  "{files, plural, one {# file} other {# files}} still being indexed":
    "{files, plural, one {# fichier encore en cours d’indexation} other {# fichiers encore en cours d’indexation}}",
  "Go to the library": "Aller à la bibliothèque",
  "How likely this passage answers the query: of those at 50 %, about half do":
    "Probabilité que ce passage réponde à la requête : parmi ceux à 50 %, environ la moitié y répond",
  Hybrid: "Hybride",
  Keyword: "Mots-clés",
  "Keyword search matches words as written, semantic search what they mean. Hybrid uses both.":
    "La recherche par mots-clés trouve les mots tels qu’ils sont écrits, la recherche sémantique ce qu’ils veulent dire. Hybride utilise les deux.",
  "Last day": "Dernier jour",
  "Last month": "Dernier mois",
  "Last week": "Dernière semaine",
  "Last year": "Dernière année",
  "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.":
    "Le sens est entièrement connu pour {done} passages sur {total} : le reste est en cours de calcul, et l’ordre peut encore changer.",
  Mode: "Mode",
  "More of this file": "Plus de ce fichier",
  "Near the query, but unlikely to answer it.": "Proches de la requête, mais peu susceptibles d’y répondre.",
  "No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>":
    "Aucun fichier ne contient <words/>. <tried/> a aussi été recherché. <only>Rechercher uniquement tel quel</only>",
  "no match": "aucune correspondance",
  "Not reranked: there was no time for it, or the model is off.":
    "Non reclassé : le temps a manqué, ou le modèle est désactivé.",
  "Nothing found": "Rien trouvé",
  "Nothing to search yet": "Rien à rechercher pour l’instant",
  "Open the passage": "Ouvrir le passage",
  "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, one {# passage} other {# passages}} dans {files, plural, one {# fichier} other {# fichiers}}, {time}",
  "{passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, one {# passage} other {# passages}}, {time}",
  "rank {rank}, score {score}": "rang {rank}, score {score}",
  Relevance: "Pertinence",
  Rerank: "Reclasser",
  "Search again": "Relancer la recherche",
  "Search for similar words too": "Rechercher aussi des mots proches",
  "Search the library": "Rechercher dans la bibliothèque",
  "Search without the filters": "Rechercher sans les filtres",
  Semantic: "Sémantique",
  "Show more": "Afficher plus",
  "<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.":
    "<slash/> ramène ici, <down/> et <up/> parcourent les résultats, <enter/> en ouvre un.",
  "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, one {Le meilleur passage} other {Les # meilleurs passages}} dans {files, plural, one {# fichier} other {# fichiers}}, {time}",
  "The best {passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, one {Le meilleur passage} other {Les # meilleurs passages}}, {time}",
  "The embedding model is not available or does not know the words of the query: these results come from keywords only.":
    "Le modèle d’embeddings n’est pas disponible ou ne connaît pas les mots de la requête : ces résultats viennent des seuls mots-clés.",
  "The library is empty.": "La bibliothèque est vide.",
  Types: "Types",
  "under {value} %": "moins de {value} %",
  "{value} %": "{value} %",
  "Weak matches": "Correspondances faibles",
  "What are you looking for?": "Que recherchez-vous ?",
  "What the files are": "Nature des fichiers",
  "Words were searched for exactly as they are written.":
    "Les mots ont été recherchés exactement tels qu’ils sont écrits.",
}
