/** `deu.traineddata` or `deu.traineddata.gz`; the first group is the language as Tesseract calls it. */
export const LANGUAGE_FILE = /^([\w-]+)\.traineddata(\.gz)?$/
