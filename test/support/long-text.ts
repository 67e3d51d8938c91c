/** Long texts for tests of reading: each chapter holds one fact that stands nowhere else. */
const FILLER =
  "The committee met again in the long hall and went through the papers of the week without coming to any decision worth a line. "

/** @param length characters of one chapter, about */
export const chapter = (number: number, length = 2_000): string =>
  `Chapter ${number}\n\nIn chapter ${number} the lighthouse keeper counted ${1_000 + number} gulls. ${FILLER.repeat(Math.ceil(length / FILLER.length))}`

export const longText = (chapters: number, length?: number): string =>
  Array.from({ length: chapters }, (_, at) => chapter(at + 1, length)).join("\n\n")
