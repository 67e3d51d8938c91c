export const search = {
  "Any time": "Jederzeit",
  "Any type": "Jeder Typ",
  "By file": "Nach Datei",
  Contexts: "Kontexte",
  "Did you mean <meant/>?": "Meinten Sie <meant/>?",
  Explain: "Erklären",
  "{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.":
    "{files, plural, one {# Datei wird} other {# Dateien werden}} gerade indiziert: Suchen Sie gleich noch einmal.",
  "{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.":
    "{files, plural, one {# Datei ist} other {# Dateien sind}} durchsuchbar. Versuchen Sie es mit anderen oder weniger Wörtern.",
  "{files, plural, one {# file} other {# files}} still being indexed":
    "{files, plural, one {# Datei wird} other {# Dateien werden}} noch indiziert",
  "Go to the library": "Zur Bibliothek",
  "How likely this passage answers the query: of those at 50 %, about half do":
    "Wie wahrscheinlich diese Passage die Anfrage beantwortet: Bei 50 % tut es etwa jede zweite",
  Hybrid: "Hybrid",
  Keyword: "Stichwort",
  "Keyword search matches words as written, semantic search what they mean. Hybrid uses both.":
    "Die Stichwortsuche findet Wörter, wie sie geschrieben sind, die semantische Suche, was sie bedeuten. Hybrid nutzt beides.",
  "Last day": "Letzter Tag",
  "Last month": "Letzter Monat",
  "Last week": "Letzte Woche",
  "Last year": "Letztes Jahr",
  "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.":
    "Von {done} der {total} Passagen ist die Bedeutung vollständig erfasst: Die übrigen folgen, und die Reihenfolge kann sich noch ändern.",
  Mode: "Modus",
  "More of this file": "Mehr aus dieser Datei",
  "Near the query, but unlikely to answer it.": "Nahe an der Anfrage, aber wohl keine Antwort darauf.",
  "No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>":
    "Keine Datei enthält <words/>. Es wurde auch nach <tried/> gesucht. <only>Nur wie geschrieben suchen</only>",
  "no match": "kein Treffer",
  "Not reranked: there was no time for it, or the model is off.":
    "Nicht neu geordnet: Es war keine Zeit dafür, oder das Modell ist aus.",
  "Nothing found": "Nichts gefunden",
  "Nothing to search yet": "Noch nichts zu durchsuchen",
  "Open the passage": "Passage öffnen",
  "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "{passages, plural, one {# Passage} other {# Passagen}} in {files, plural, one {# Datei} other {# Dateien}}, {time}",
  "{passages, plural, one {# passage} other {# passages}}, {time}":
    "{passages, plural, one {# Passage} other {# Passagen}}, {time}",
  "rank {rank}, score {score}": "Rang {rank}, Wert {score}",
  Relevance: "Relevanz",
  Rerank: "Neu ordnen",
  "Search again": "Erneut suchen",
  "Search for similar words too": "Auch ähnliche Wörter suchen",
  "Search the library": "Die Bibliothek durchsuchen",
  "Search without the filters": "Ohne die Filter suchen",
  Semantic: "Semantisch",
  "Show more": "Mehr anzeigen",
  "<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.":
    "<slash/> führt hierher zurück, <down/> und <up/> gehen durch die Treffer, <enter/> öffnet einen.",
  "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}":
    "Die {passages, plural, one {beste Passage} other {besten # Passagen}} in {files, plural, one {# Datei} other {# Dateien}}, {time}",
  "The best {passages, plural, one {# passage} other {# passages}}, {time}":
    "Die {passages, plural, one {beste Passage} other {besten # Passagen}}, {time}",
  "The embedding model is not available or does not know the words of the query: these results come from keywords only.":
    "Das Einbettungsmodell ist nicht verfügbar oder kennt die Wörter der Anfrage nicht: Diese Ergebnisse beruhen nur auf Stichwörtern.",
  "The library is empty.": "Die Bibliothek ist leer.",
  Types: "Typen",
  "under {value} %": "unter {value} %",
  "{value} %": "{value} %",
  "Weak matches": "Schwache Treffer",
  "What are you looking for?": "Was suchen Sie?",
  "What the files are": "Art der Dateien",
  "Words were searched for exactly as they are written.": "Wörter wurden genau so gesucht, wie sie geschrieben sind.",
}
