import type { Same } from "../catalogue.ts"
import type { library as german } from "../de/library.ts"

export const library: Same<typeof german> = {
  "A scope that searches and chats can be narrowed to":
    "Un périmètre auquel recherches et conversations peuvent se limiter",
  "A view keeps the present filters, order and columns. Only you see it, in every browser that you sign in with.":
    "Une vue enregistre les filtres, l’ordre et les colonnes actuels. Elle n’est visible que de vous, dans chaque navigateur où vous vous connectez.",
  "added {time}": "ajouté {time}",
  "Any state": "Tout état",
  "Beside the name": "À côté du nom",
  "Change {files, plural, one {# file} other {# files}}":
    "Modifier {files, plural, one {# fichier} other {# fichiers}}",
  "Changing: {done} of {total, plural, one {# file} other {# files}}":
    "Modification : {done} sur {total, plural, one {# fichier} other {# fichiers}}",
  "Choose all": "Tout sélectionner",
  "Choose all {total} that match": "Sélectionner les {total} qui correspondent",
  "Choose none": "Tout désélectionner",
  "Choose {name}": "Sélectionner {name}",
  "Chosen files": "Fichiers sélectionnés",
  Clear: "Effacer",
  "Clear the filters": "Effacer les filtres",
  Columns: "Colonnes",
  "Columns of the list": "Colonnes de la liste",
  "Contains …": "Contient…",
  "contracts, 2026": "contrats, 2026",
  "Delete chosen": "Supprimer la sélection",
  "Delete the view {name}": "Supprimer la vue {name}",
  "Delete {files, plural, one {# file} other {# files}}":
    "Supprimer {files, plural, one {# fichier} other {# fichiers}}",
  "Delete {files, plural, one {# file} other {# files}}?":
    "Supprimer {files, plural, one {# fichier} other {# fichiers}} ?",
  "Delete {name}": "Supprimer {name}",
  "Deleted {name}": "{name} supprimé",
  "Deleting: {done} of {total, plural, one {# file} other {# files}}":
    "Suppression : {done} sur {total, plural, one {# fichier} other {# fichiers}}",
  "Drop files here, or select Upload.": "Déposez des fichiers ici, ou choisissez Téléverser.",
  "Drop to upload": "Déposez pour téléverser",
  "External id": "ID externe",
  "{files, plural, one {# file} other {# files}} chosen":
    "{files, plural, one {# fichier sélectionné} other {# fichiers sélectionnés}}",
  "{files, plural, one {# file} other {# files}} done":
    "{files, plural, one {# fichier traité} other {# fichiers traités}}",
  "{files, plural, one {# file} other {# files}} done, {failed} could not be":
    "{files, plural, one {# fichier traité} other {# fichiers traités}}, {failed} impossibles",
  "{files} damaged": "{files} endommagés",
  "{files} locked by a password": "{files} protégés par un mot de passe",
  "{files} refused as archives": "{files} refusés en tant qu’archives",
  "{files} stopped by an error of Carrel": "{files} arrêtés par une erreur de Carrel",
  "{files} took too long to read": "{files} trop longs à lire",
  "{files} without text": "{files} sans texte",
  "Filter the library": "Filtrer la bibliothèque",
  "In progress": "En cours",
  "Index again": "Réindexer",
  "Index it again; the log has the details.": "Réindexez-le ; le journal donne les détails.",
  Indexing: "Indexation",
  "Indexing of the library": "Indexation de la bibliothèque",
  "Indexing of {name}": "Indexation de {name}",
  "It contains no text to search.": "Il ne contient aucun texte à rechercher.",
  "Keep the present filters as {name}": "Enregistrer les filtres actuels sous {name}",
  "Keep this view": "Enregistrer cette vue",
  Label: "Étiqueter",
  "Label new uploads": "Étiqueter les nouveaux téléversements",
  "Label {files, plural, one {# file} other {# files}}":
    "Étiqueter {files, plural, one {# fichier} other {# fichiers}}",
  Metadata: "Métadonnées",
  "Name and labels": "Nom et étiquettes",
  "Names of fields, one in a line": "Noms de champs, un par ligne",
  "{name} could not be deleted: {problem}": "{name} n’a pas pu être supprimé : {problem}",
  "New context": "Nouveau contexte",
  "New name": "Nouveau nom",
  "No files match these filters": "Aucun fichier ne correspond à ces filtres",
  "One by one, {limit} files can be chosen: the first of them are. For more, choose all that match: one job then goes by the filters.":
    "Un par un, {limit} fichiers peuvent être sélectionnés : les premiers le sont. Pour plus, sélectionnez tous ceux qui correspondent : un traitement suivra alors les filtres.",
  "One by one, {limit} files can be chosen: the first of them are. For more, take away the part of the name and narrow the list by state, type, tag or context.":
    "Un par un, {limit} fichiers peuvent être sélectionnés : les premiers le sont. Pour plus, retirez la partie du nom et restreignez la liste par état, type, étiquette ou contexte.",
  "One field in a line, such as year: 2026": "Un champ par ligne, comme year: 2026",
  "One job works through every file that passes these filters. Files that come in later are left alone.":
    "Un traitement parcourt chaque fichier qui passe ces filtres. Ceux qui arrivent plus tard ne sont pas touchés.",
  "Open it in its own program and save it again.": "Ouvrez-le dans son propre programme et enregistrez-le à nouveau.",
  "{pages, plural, one {# page} other {# pages}}": "{pages, plural, one {# page} other {# pages}}",
  "{pages, plural, one {# page} other {# pages}} read by OCR":
    "{pages, plural, one {# page lue} other {# pages lues}} par OCR",
  "{passages, plural, one {# passage} other {# passages}}": "{passages, plural, one {# passage} other {# passages}}",
  "project-x": "projet-x",
  Queued: "En attente",
  "Queueing to be indexed: {done} of {total, plural, one {# file} other {# files}}":
    "Mise en file d’indexation : {done} sur {total, plural, one {# fichier} other {# fichiers}}",
  "Re-index {name}": "Réindexer {name}",
  Reading: "Lecture",
  "Reading images": "Lecture des images",
  "Remove the password and upload it again.": "Retirez le mot de passe et téléversez-le à nouveau.",
  "Rename {name}": "Renommer {name}",
  Replace: "Remplacer",
  "Retry failed": "Réessayer les échecs",
  "{searchable} of {total, plural, one {# file} other {# files}} searchable":
    "{searchable} sur {total, plural, one {# fichier} other {# fichiers}} interrogeables",
  "Show failed": "Afficher les échecs",
  Size: "Taille",
  "Split it into smaller files.": "Divisez-le en fichiers plus petits.",
  Splitting: "Découpage",
  "Stopped after {files, plural, one {# file} other {# files}}":
    "Arrêté après {files, plural, one {# fichier} other {# fichiers}}",
  Storing: "Enregistrement",
  Tag: "Étiquette",
  "Tags and fields": "Étiquettes et champs",
  "Tags and fields come beside those that the files have; a field of the same name takes the place of the former one. What is left empty stays as it is.":
    "Étiquettes et champs s’ajoutent à ceux des fichiers ; un champ du même nom remplace l’ancien. Ce qui reste vide ne change pas.",
  "Tags and fields take the place of all that the files have. What is left empty stays as it is.":
    "Étiquettes et champs remplacent tous ceux des fichiers. Ce qui reste vide ne change pas.",
  "The files lose these tags and fields, and keep the others. What is left empty stays as it is.":
    "Les fichiers perdent ces étiquettes et champs, et gardent les autres. Ce qui reste vide ne change pas.",
  "The library is empty": "La bibliothèque est vide",
  "The list ends after {files, plural, one {# file} other {# files}}: narrow it by the filters to see the others.":
    "La liste s’arrête après {files, plural, one {# fichier} other {# fichiers}} : restreignez-la par les filtres pour voir les autres.",
  "They are gone from the library and from search, and cannot be brought back.":
    "Ils disparaissent de la bibliothèque et de la recherche, et ne peuvent pas être récupérés.",
  "Unpack it and upload the files themselves.": "Décompressez-le et téléversez les fichiers eux-mêmes.",
  Upload: "Téléverser",
  Uploads: "Téléversements",
  View: "Vue",
  "View …": "Vue…",
  Views: "Vues",
  "Views of the library": "Vues de la bibliothèque",
  "{waiting} in progress": "{waiting} en cours",
  "{warnings, plural, one {# warning} other {# warnings}}":
    "{warnings, plural, one {# avertissement} other {# avertissements}}",
  "Working: {done} of {total, plural, one {# file} other {# files}}":
    "En cours : {done} sur {total, plural, one {# fichier} other {# fichiers}}",
  "Loading the library …": "Chargement de la bibliothèque…",
}
