/** A group of files, and a second one in which `file_b` gets another text. Each line is a passage. */
export const FIRST = {
  file_a: "The heron stands in the water.\nIt waits for fish.",
  file_b: "The otter swims by night.",
  file_c: "The kingfisher dives.\nIt is blue.\nIt is quick.",
}
export const SECOND = {
  file_b: "The badger digs by day.\nIts house is old.",
  file_d: "The crane flies south.",
}
