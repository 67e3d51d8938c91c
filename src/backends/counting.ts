/**
 * Questions whose answer has to be counted or added up, which only a language model does: what they are told instead, in their
 * own language where the console speaks it. Pure.
 */

/** What is said of such a question, in one language. */
export interface CountingWords {
  nothing: string
  /** Before the nearest sentence. */
  nearest: string
  /** Where no language model is connected, and where one is that was not chosen. */
  connect: string
  choose: string
}

interface CountingLanguage {
  asks: RegExp
  words: CountingWords
}

/** Without `\b`, which knows ASCII letters alone. */
const phrases = (list: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}])(?:${list.trim().replaceAll(" ", "\\s+")})(?![\\p{L}\\p{M}])`, "iu")

const ENGLISH: CountingWords = {
  nothing: "The library holds nothing that answers this.",
  nearest: "The library holds nothing that plainly answers this. Nearest to it is:",
  connect:
    "To count or add up, in tables too, a language model is needed, and none is connected. To connect one, start Ollama (`--ollama-host` says where it is, if not on this machine), or name a server that speaks OpenAI’s protocol by `--openai-base-url`, and its key by `--openai-api-key` if it wants one.",
  choose:
    "To count or add up, in tables too, a language model is needed, and `builtin/extractive` is none. One is connected: choose it for this conversation, or make it the default with `--default-model`.",
}

const GERMAN: CountingWords = {
  nothing: "Die Bibliothek enthält nichts, was das beantwortet.",
  nearest: "Die Bibliothek enthält nichts, was das eindeutig beantwortet. Am nächsten kommt:",
  connect:
    "Zum Zählen und Zusammenrechnen, auch in Tabellen, braucht es ein Sprachmodell, und es ist keines verbunden. Um eines zu verbinden, starten Sie Ollama (`--ollama-host` sagt, wo es läuft, wenn nicht auf diesem Rechner), oder nennen Sie mit `--openai-base-url` einen Server, der das Protokoll von OpenAI spricht, und mit `--openai-api-key` seinen Schlüssel, wenn er einen verlangt.",
  choose:
    "Zum Zählen und Zusammenrechnen, auch in Tabellen, braucht es ein Sprachmodell, und `builtin/extractive` ist keines. Eines ist verbunden: Wählen Sie es für diese Unterhaltung, oder machen Sie es mit `--default-model` zur Vorgabe.",
}

const FRENCH: CountingWords = {
  nothing: "La bibliothèque ne contient rien qui réponde à cette question.",
  nearest: "La bibliothèque ne contient rien qui réponde clairement à cette question. Le plus proche est :",
  connect:
    "Pour compter ou additionner, dans des tableaux aussi, il faut un modèle de langage, et aucun n’est connecté. Pour en connecter un, démarrez Ollama (`--ollama-host` dit où il se trouve, si ce n’est pas sur cette machine), ou indiquez par `--openai-base-url` un serveur qui parle le protocole d’OpenAI, et par `--openai-api-key` sa clé s’il en demande une.",
  choose:
    "Pour compter ou additionner, dans des tableaux aussi, il faut un modèle de langage, et `builtin/extractive` n’en est pas un. Il y en a un de connecté : choisissez-le pour cette conversation, ou faites-en le modèle par défaut avec `--default-model`.",
}

const SPANISH: CountingWords = {
  nothing: "La biblioteca no contiene nada que responda a esto.",
  nearest: "La biblioteca no contiene nada que responda claramente a esto. Lo más cercano es:",
  connect:
    "Para contar o sumar, también en tablas, hace falta un modelo de lenguaje, y no hay ninguno conectado. Para conectar uno, inicie Ollama (`--ollama-host` dice dónde está, si no es en esta máquina), o indique con `--openai-base-url` un servidor que hable el protocolo de OpenAI, y con `--openai-api-key` su clave si la pide.",
  choose:
    "Para contar o sumar, también en tablas, hace falta un modelo de lenguaje, y `builtin/extractive` no lo es. Hay uno conectado: elíjalo para esta conversación, o hágalo predeterminado con `--default-model`.",
}

const CHINESE: CountingWords = {
  nothing: "资料库中没有能回答这个问题的内容。",
  nearest: "资料库中没有能明确回答这个问题的内容。最接近的是：",
  connect:
    "计数和求和（包括对表格）需要语言模型，而目前没有连接任何语言模型。要连接一个，请启动 Ollama（如果不在本机上，用 `--ollama-host` 指定其地址），或者用 `--openai-base-url` 指定一个使用 OpenAI 协议的服务器；如果它需要密钥，用 `--openai-api-key` 给出。",
  choose:
    "计数和求和（包括对表格）需要语言模型，而 `builtin/extractive` 不是语言模型。已经连接了一个：请为此对话选择它，或用 `--default-model` 将其设为默认。",
}

const ARABIC: CountingWords = {
  nothing: "لا تحتوي المكتبة على ما يجيب عن هذا السؤال.",
  nearest: "لا تحتوي المكتبة على ما يجيب بوضوح عن هذا السؤال. الأقرب إليه:",
  connect:
    "يتطلب العدّ والجمع، في الجداول أيضًا، نموذجًا لغويًا، ولا يوجد نموذج متصل. لتوصيل نموذج، شغّل Ollama (يحدد `--ollama-host` مكانه إن لم يكن على هذا الجهاز)، أو حدد بـ `--openai-base-url` خادمًا يستخدم بروتوكول OpenAI، وبـ `--openai-api-key` مفتاحه إن طلب مفتاحًا.",
  choose:
    "يتطلب العدّ والجمع، في الجداول أيضًا، نموذجًا لغويًا، و`builtin/extractive` ليس نموذجًا لغويًا. يوجد نموذج متصل: اختره لهذه المحادثة، أو اجعله الافتراضي باستخدام `--default-model`.",
}

/** Words that several languages share stand with English, which comes last of those that have words of their own. */
const LANGUAGES: readonly CountingLanguage[] = [
  {
    asks: phrases(
      "wie viele?n?|wieviele?n?|anzahl|summen?|gesamtsumme|gesamtzahl|gesamtbetrag|insgesamt|zusammengerechnet|durchschnitt|durchschnittliche?r?|im schnitt|zähle?n?|addiere?n?",
    ),
    words: GERMAN,
  },
  {
    asks: phrases(
      "combien (?:de|d['’]\\p{L}+|y a|sont|y en a)|nombre (?:de|d['’]\\p{L}+|total)|somme|au total|montant total|moyenne|compte[rz]?|additionne[rz]?",
    ),
    words: FRENCH,
  },
  {
    asks: phrases("cuánt[oa]s|cuantos|cuantas|suma de|en total|promedio|cuenta los|cuenta las|sumar"),
    words: SPANISH,
  },
  {
    asks: /多少(?:个|位|名|人|家|条|份|次|张|件|台|种|本|辆|笔|项|只)|几(?:个|位|名|家|条|份|次|张|件|台|种|本|项)|总共|一共|合计|总(?:额|数|和|计|价)|平均|数量/u,
    words: CHINESE,
  },
  {
    asks: /كم\s+عدد|كم\s+\p{L}+(?:ًا|ا)(?!\p{L})|(?<!\p{L})(?:ما\s+)?(?:ال)?(?:عدد|مجموع|إجمالي|اجمالي|متوسط)(?!\p{L})/u,
    words: ARABIC,
  },
  {
    asks: phrases(
      `how many|number of|count|counting|in total|totals?|altogether|sum|sums|add up|added up|average|averages
      |quant[ie]|somma|totale|numero di|quantos|quantas|soma|em total|média|сколько|количество|сумма|всего|итого|в среднем
      |hoeveel|aantal|totaal|gemiddeld|hur många|antal|totalt|i genomsnitt|ile|liczba|łącznie|średnio|kaç|toplam|ortalama
      |कितने|कितनी|कुल|योग|औसत`.replace(/\s*\n\s*/g, ""),
    ),
    words: ENGLISH,
  },
  { asks: /いくつ|何(?:人|件|個|枚|台|冊|社|回|本|名)|合計|総(?:数|額|計)|몇|합계|총합|평균/u, words: ENGLISH },
]

/** Longer messages are looked at no further than this. */
const LOOKED_AT = 2_000

/** Undefined where nothing is to be counted. */
export function countingWords(question: string): CountingWords | undefined {
  const looked = question.slice(0, LOOKED_AT)
  return LANGUAGES.find(({ asks }) => asks.test(looked))?.words
}
