/** Runs in the browser; the daemon hands it out as it is, from the path of an embedded file. */
declare const path: string
export default path
