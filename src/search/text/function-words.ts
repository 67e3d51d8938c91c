/**
 * Words that bind other words and say nothing of a subject, for languages other than English, whose own are not indexed. In a
 * library that is mostly English they are as rare as names, and would vouch for any passage of their language. They stay in the
 * ranking; relevance leaves them out. Counting them in the passages of their language instead would need many of these.
 */
import { formsOf, type TermGroup } from "./analyze.ts"
import { foldText } from "./fold.ts"
import { likelyLanguages } from "./language.ts"

const LISTS: Record<string, string> = {
  ar: "في من على إلى عن ما ماذا هو هي هم هذا هذه ذلك تلك التي الذي الذين أن إن كان كانت كم متى أين كيف لماذا أي أو ثم لا لم لن قد مع بين كل بعد قبل حتى عند إذا هل ليس يكون تكون له لها وهو وهي ومن وفي",
  cs: "a i v ve na se si je jsou byl byla bylo být že který která které kdo co kdy kde jak jaký jaká proč kolik do od z ze za pro při po před pod nad s k o u ale nebo ne to ten ta tento podle mám má",
  da: "og i på af til for med som er var den det de en et at der hvad hvem hvor hvornår hvordan hvorfor hvilken mange ikke om fra har havde ved efter før eller men kan skal",
  de: "der die das den dem des ein eine einer eines einem einen und oder aber in im an am auf aus bei beim mit nach von vom vor zu zum zur für über unter um durch gegen ohne ist sind war waren wird werden wurde hat haben hatte ich du er sie es wir ihr man sich wer was wann wo wie warum wieso welche welcher welches wen wem wessen viel viele lang nicht kein keine auch als wenn dass ob dieser diese dieses mein meine kann muss",
  el: "ο η το οι τα του της των τον την και ή σε στο στη στην στον από για με είναι ήταν που ποιος ποια ποιο πότε πώς γιατί πόσο πόσα τι να θα δεν μην ότι ως κατά μετά",
  es: "el la los las lo un una unos unas de del al a en y e o u que qué quien quién quienes quiénes cual cuál cuales cuáles cuando cuándo donde dónde como cómo cuanto cuánto cuanta cuánta cuantos cuántos cuantas cuántas por para con sin sobre entre hasta desde ante bajo tras contra según es son era eran fue fueron ser sido está están hay ha han había he se su sus mi mis tu tus me te le les nos no ni si sí más muy también pero porque este esta esto estos estas ese esa eso",
  fa: "از به در با برای که این آن را است بود شد می و یا تا هم چه کی کجا چگونه چرا چند کدام هر بر های ها",
  fr: "le la les l un une des du de d au aux à en dans et ou où mais que qu qui quoi quel quelle quels quelles quand comment pourquoi combien par pour avec sans sur sous entre vers chez est sont était étaient fut furent être été a ont avait il elle ils elles on nous vous je tu ce cet cette ces c se s sa son ses leur leurs mon ma mes ne n pas plus y t il",
  hi: "का की के को में से पर ने है हैं था थी थे हो होता होती और या कि जो यह वह ये वे इस उस इन उन एक क्या कौन कब कहाँ कहां कैसे क्यों कितना कितनी कितने किस किसने लिए तक भी ही नहीं तो साथ अपने अपनी द्वारा गया गई गए कर किया किसी",
  id: "yang di ke dari dan atau untuk dengan pada dalam adalah ini itu apa siapa kapan di mana bagaimana mengapa berapa tidak akan telah oleh sebagai",
  it: "il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dalla in nel nella nei nelle con su sul sulla per tra fra e ed o ma che chi cosa quale quali qual quando dove come perché quanto quanta quanti quante è sono era erano fu furono essere stato stata ha hanno aveva si suo sua suoi sue mio mia non più questo questa",
  nl: "de het een en of maar in op aan uit bij met naar van voor door over onder tot te is zijn was waren wordt worden werd heeft hebben had ik je hij zij ze wij er wie wat wanneer waar hoe waarom welke welk hoeveel lang niet geen ook als dat die dit deze om mijn",
  no: "og i på av til for med som er var den det de en et at hva hvem hvor når hvordan hvorfor hvilken mange ikke om fra har hadde ved etter før eller men kan skal",
  pl: "i a w we z ze na do od o u po za przed pod nad przy dla przez jest są był była było były być się że który która które kto co kiedy gdzie jak jaki jaka jakie dlaczego ile czy nie to ten ta tego tej oraz lub ale ma mam",
  pt: "o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela para com sem sobre entre até e ou mas que quem qual quais quando onde como porque quê quanto quanta quantos quantas é são era eram foi foram ser sido está há tem se seu sua seus suas meu minha não mais este esta isso",
  ru: "и в во на с со к ко по за из от до о об у для при без под над между что кто как когда где куда почему зачем какой какая какое какие каком сколько который которая которые не ни но или а же ли бы это этот эта эти тот был была было были быть есть он она оно они его её их мой я мы вы",
  sv: "och i på av till för med som är var den det de en ett att vad vem hur när varför vilken vilka många inte om från har hade vid efter före eller men kan ska",
  tr: "ve veya bir bu şu o da de ile için ne kim kimdir nedir nasıl neden niçin hangi kaç nerede zaman kadar gibi daha çok mi mı mu mü olan olarak değil ise",
  uk: "і й та в у на з із зі до від по за для при без під над між що хто як коли де куди чому який яка яке які скільки не ні але або це цей ця був була було були бути є він вона вони його її їх",
  vi: "là và của ở trong có được cho với từ đến khi nào ai gì đâu sao bao nhiêu như thế những các một này đó không người ta thì mà",
}

const sets = new Map<string, ReadonlySet<string>>()

/** The groups of a query that say something of its subject; in a language without a list, and in English, all. */
export function subjectGroups(text: string, groups: TermGroup[]): TermGroup[] {
  const lists = likelyLanguages(text).flatMap(language => termsFor(language) ?? [])
  return lists.length ? groups.filter(({ terms }) => !lists.some(list => list.has(terms.join(" ")))) : groups
}

function termsFor(language: string): ReadonlySet<string> | undefined {
  const words = LISTS[language]
  if (words === undefined) return undefined
  let terms = sets.get(language)
  if (!terms) {
    terms = new Set(words.split(" ").flatMap(word => formsOf(foldText(word)).map(forms => forms.join(" "))))
    sets.set(language, terms)
  }
  return terms
}
