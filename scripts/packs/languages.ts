/**
 * The languages that packs are made of. Their data are packages of the registry, `@tesseract.js-data/NAME` 1.0.0, in the
 * variant `4.0.0_best_int`: the networks of tessdata_best with whole numbers, .6 to 3 MB a language. The variant `4.0.0`
 * holds the same network beside the older engine, in 2 to 27 MB. Russian is not among the packages; `rus.traineddata.gz`
 * beside this file is that of tessdata_fast 4.1.0, as Debian's package tesseract-ocr-rus 1:4.1.0-2 has it.
 */
import { join } from "node:path"

export interface LanguageSource {
  /** In English. */
  name: string
  /** Of the packed file. */
  sha256: string
  /** In the project, where it is no package. */
  local?: string
  /** Where it was taken from, for those that are local. */
  origin?: string
}

export const PACKAGE = "@tesseract.js-data"
export const PACKAGE_VERSION = "1.0.0"
export const VARIANT = "4.0.0_best_int"
/** Of the data; the packages around it say MIT. */
export const LICENSE = "Apache-2.0"

export const LANGUAGES: Record<string, LanguageSource> = {
  ara: { name: "Arabic", sha256: "f4746c44b02342dd5b3d4f0198000f47d7c49f1a229e63e0f436c0592dcd9639" },
  chi_sim: { name: "Chinese (simplified)", sha256: "b8a23f10c7de500891eb458a8adc9cc58ab7f242f08b7d149f5e9aea4ad5db7c" },
  chi_tra: {
    name: "Chinese (traditional)",
    sha256: "11fe2610dab05d8a880d02f193ce70203f4c4bbe061b987d5529a2c038a22743",
  },
  deu: { name: "German", sha256: "306c4280d0cbed46fbff727486bd43b92730181bae80f56941a091f363bdf28b" },
  ell: { name: "Greek", sha256: "e8a293abb398ec479176c1575aef24e2bacb0611c713f3fa996f97f0cd996fb3" },
  fra: { name: "French", sha256: "d611139672b3752c7097e671e4a1d9209dfd37f2aeb081ef6487fba3351e9255" },
  heb: { name: "Hebrew", sha256: "9c70b524200dae77fb25e3567566eee600ccbcae9aeb89722990ccae0e84e805" },
  hin: { name: "Hindi", sha256: "f3b6a0d320df38d886178cdd727b90dbf9df3db053adb32bd9cf73f0463cda07" },
  ita: { name: "Italian", sha256: "f702fcfad297ce028ede3626d1467b67939f23ff23595f9badd54681cf25a4d3" },
  jpn: { name: "Japanese", sha256: "2b63ebfbf1484de4a08ce53b29ef98a1c17658a93cbd38acb665d7d316d0be88" },
  kor: { name: "Korean", sha256: "78c21276ab14c9bb734d83be1055d9fe5469a4e7e977c51ad385be5737e61126" },
  nld: { name: "Dutch", sha256: "a2d904b6ddc4feb0d31ecfcd7361a554102e7aa2e278c54f4fc029e0d0815571" },
  pol: { name: "Polish", sha256: "a20fdec4ff99d8f8e84c708da3e42a4e935c26863055a0ed88aef5c66a59b91b" },
  por: { name: "Portuguese", sha256: "dacebc1386ddaaf8389f81094236cca0d690897cde693d48cbdaa881c86e2b4c" },
  rus: {
    name: "Russian",
    sha256: "96ee63cb5fdc4eec75314ef05f82c61b1f99f73136931977dc4c86b4f9189eae",
    local: join(import.meta.dir, "rus.traineddata.gz"),
    origin: "tessdata_fast 4.1.0 (Debian tesseract-ocr-rus 1:4.1.0-2)",
  },
  spa: { name: "Spanish", sha256: "40be52f97b5d4eb7460073dc1f94cd546b27150333c0bf854ed7e7132db6bceb" },
  tur: { name: "Turkish", sha256: "384ba0dc28040451b7818d7d60e0a88df0d3003fa5a01d713a468779bc3d8c04" },
  ukr: { name: "Ukrainian", sha256: "ea2789a0ad99ff84bfd252a7410a1e8661a7bc5acaa41573d23b54b71446aa4c" },
}
