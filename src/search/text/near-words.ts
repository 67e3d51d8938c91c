/** Words at one letter's distance from a misspelt one: letters swapped, one too many, one missing, one changed. */

/** Letters that are tried, of each script as `foldText` leaves it. A word of another script is tried with its own letters. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзиклмнопрстуфхцчшщъыьэюяієґђјљњћџ",
  "αβγδεζηθικλμνξοπρσςτυφχψω",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءپچژگکی",
  "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
  "अआइईउऊऋएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहािीुूृेैोौंँः़्",
  "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
  "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
] as const

/**
 * The likeliest first: people swap and drop letters more often than they change one, and seldom miss the first.
 * At most some 1 300 for a word of 24 letters.
 */
export function nearWords(word: string): string[] {
  const letters = [...word]
  const alphabet = [...(ALPHABETS.find(each => letters.some(letter => each.includes(letter))) ?? new Set(letters))]
  const later: string[] = []
  const sooner: string[] = []
  const note = (at: number, ...near: string[]) => {
    if (at === 0) later.push(...near)
    else sooner.push(...near)
  }
  const spelt = (upTo: number, between: string, from: number): string =>
    letters.slice(0, upTo).join("") + between + letters.slice(from).join("")
  swapped(word).forEach((near, at) => void note(at, near))
  for (let at = 0; at < letters.length; at++) note(at, spelt(at, "", at + 1))
  for (let at = 0; at <= letters.length; at++) note(at, ...alphabet.map(letter => spelt(at, letter, at)))
  for (let at = 0; at < letters.length; at++) note(at, ...alphabet.map(letter => spelt(at, letter, at + 1)))
  const near = new Set([...sooner, ...later])
  near.delete(word)
  return [...near]
}

/** With each two neighboring letters swapped, in the order of their places. */
export function swapped(word: string): string[] {
  const letters = [...word]
  return letters.slice(1).map((letter, at) =>
    letters
      .with(at, letter)
      .with(at + 1, letters[at]!)
      .join(""),
  )
}
