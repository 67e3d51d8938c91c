/** The job that turns a file's bytes into something searchable; its subject is the file's id. */
export const INDEX_FILE = "index_file"
