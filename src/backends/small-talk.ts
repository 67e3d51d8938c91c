/** Tells greetings, thanks and questions about the assistant itself from questions about files, in many languages. Pure. */
import { foldWords } from "./question-words.ts"

/** What may stand before a question, and is not part of it. */
const GREETINGS = `hello|hello there|hi|hi there|hiya|hey|hey there|heya|howdy|greetings|good morning|good afternoon|good evening|good day|good night|morning
nice to meet you|pleased to meet you|welcome|thanks|thank you|thanks a lot|thank you very much|thank you so much|many thanks|thx|cheers|great|ok|okay|cool|perfect|well done|goodbye|good bye|bye|bye bye|see you|see you later|sorry|please
hallo|hallo zusammen|guten tag|guten morgen|guten abend|gute nacht|grüß gott|grüezi|servus|moin|moin moin|danke|danke schön|danke sehr|vielen dank|besten dank|tschüss|tschüs|auf wiedersehen|bitte
bonjour|bonsoir|salut|coucou|merci|merci beaucoup|merci bien|au revoir|bonne nuit|enchanté|ça va|s il vous plaît|s il te plaît
hola|buenos días|buen día|buenas tardes|buenas noches|buenas|gracias|muchas gracias|mil gracias|adiós|hasta luego|por favor|qué tal
ciao|buongiorno|buon giorno|buonasera|buona sera|salve|grazie|grazie mille|molte grazie|arrivederci|per favore
olá|oi|bom dia|boa tarde|boa noite|obrigado|obrigada|muito obrigado|muito obrigada|tchau|até logo|tudo bem|por favor
привет|приветик|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|доброй ночи|спасибо|большое спасибо|спасибо большое|благодарю|до свидания|пока|пожалуйста
привіт|добрий день|вітаю|дякую|hej|hejsan|hei|god morgon|god dag|tack|tack så mycket|takk|tak|goddag|farvel|moi|terve|kiitos|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag|dank je|dank je wel|dank u|bedankt|tot ziens
cześć|dzień dobry|dobry wieczór|hejka|dziękuję|dzięki|do widzenia|ahoj|dobrý den|děkuji|díky|szia|jó napot|köszönöm|salut|bună|bună ziua|mulțumesc|γεια|γεια σου|γεια σας|καλημέρα|καλησπέρα|ευχαριστώ
merhaba|selam|günaydın|iyi günler|iyi akşamlar|teşekkürler|teşekkür ederim|sağ ol|hoşça kal|xin chào|chào|chào bạn|cảm ơn|halo|selamat pagi|selamat siang|terima kasih
مرحبا|مرحبا بك|مرحبا بكم|أهلا|أهلا وسهلا|السلام عليكم|وعليكم السلام|صباح الخير|مساء الخير|شكرا|شكرا لك|شكرا جزيلا|مع السلامة|من فضلك|سلام|درود|ممنون|متشکرم|שלום|בוקר טוב|תודה|תודה רבה
नमस्ते|नमस्कार|प्रणाम|सुप्रभात|शुभ संध्या|धन्यवाद|शुक्रिया|बहुत धन्यवाद|अलविदा|कृपया|สวัสดี|สวัสดีครับ|สวัสดีค่ะ|ขอบคุณ|ขอบคุณครับ
你好|你好吗|您好|大家好|嗨|哈喽|早上好|早安|下午好|晚上好|晚安|谢谢|谢谢你|谢谢您|多谢|非常感谢|再见|拜拜|請問|请问|謝謝
こんにちは|こんばんは|おはよう|おはようございます|はじめまして|もしもし|やあ|ありがとう|ありがとうございます|どうもありがとう|どうも|さようなら|お願いします|すみません
안녕|안녕하세요|안녕하십니까|반갑습니다|감사합니다|고마워|고맙습니다|안녕히 계세요`

/** What is small talk only where nothing else is said: `help` begins many a question. */
const ABOUT_ITSELF = `help|help me|help me please|test|testing|ping|start|menu
how are you|how are you doing|how are you today|how do you do|how is it going|hows it going|how s it going|what s up|whats up|are you there|is anyone there|anybody there
who are you|what are you|who made you|who built you|who created you|what is your name|what s your name|whats your name|tell me about yourself|introduce yourself
what can you do|what can you do for me|what are you able to do|what do you do|how can you help|how can you help me|what can i ask|what can i ask you|how do you work|how does this work
are you an ai|are you ai|are you a bot|are you a robot|are you human|are you a human|are you real|are you chatgpt|are you gpt|are you a language model|which model are you|what model are you|do you speak english|can you help me|can you hear me|tell me a joke|i love you
wie geht es dir|wie geht es ihnen|wie geht s|wie gehts|wer bist du|wer sind sie|was bist du|was kannst du|was können sie|was kannst du alles|was machst du|wie heißt du|wie funktionierst du|bist du eine ki|bist du ein mensch|hilfe|kannst du mir helfen
comment ça va|comment vas tu|comment allez vous|qui es tu|qui êtes vous|que peux tu faire|que pouvez vous faire|que sais tu faire|qu est ce que tu peux faire|comment tu t appelles|comment t appelles tu|es tu une ia|aide|aide moi|peux tu m aider
cómo estás|cómo está|cómo te llamas|quién eres|qué eres|qué puedes hacer|qué sabes hacer|qué haces|eres una ia|eres humano|ayuda|puedes ayudarme
come stai|come va|chi sei|cosa sei|cosa puoi fare|che cosa puoi fare|che cosa sai fare|cosa sai fare|come ti chiami|aiuto|sei una ia
como vai|como está|como estás|quem é você|quem és|quem és tu|o que você pode fazer|o que podes fazer|o que você faz|qual é o seu nome|ajuda
как дела|как ты|как поживаешь|кто ты|кто ты такой|кто вы|что ты|что ты умеешь|что вы умеете|что ты можешь|что ты умеешь делать|как тебя зовут|ты бот|ты человек|помощь|помоги
хто ти|що ти вмієш|як справи|vem är du|vad kan du göra|hvem er du|hvad kan du|hva kan du gjøre|hur mår du|wie ben je|wat kun je|wat kan je|hoe gaat het|kim jesteś|co potrafisz|co umiesz|jak się masz|kdo jsi|co umíš|sen kimsin|kimsin|ne yapabilirsin|nasılsın|bạn là ai|siapa kamu
من أنت|من انت|ما اسمك|ماذا تستطيع أن تفعل|ماذا يمكنك أن تفعل|ماذا تفعل|كيف حالك|هل أنت إنسان|هل أنت روبوت|ساعدني|تو کی هستی|מי אתה|מה שלומך
तुम कौन हो|आप कौन हैं|आप क्या कर सकते हैं|तुम क्या कर सकते हो|आप कैसे हैं|तुम कैसे हो|आपका नाम क्या है|मदद
你是谁|你是誰|您是谁|你叫什么|你叫什么名字|你能做什么|你会什么|你会做什么|你可以做什么|你是机器人吗|你是人工智能吗|你好吗|帮助|帮帮我
あなたは誰ですか|あなたは誰|君は誰|誰ですか|何ができますか|何ができるの|あなたは何ができますか|お名前は|名前は何ですか|元気ですか|お元気ですか|助けて
누구세요|너는 누구니|당신은 누구입니까|무엇을 할 수 있나요|뭐 할 수 있어|도와줘`

/** Beside them: whom they are said to, and when. */
const FILLERS =
  "there|everyone|everybody|all|carrel|friend|bot|assistant|again|today|now|then|so much|very much|a lot|for your help|for that|for the help|and|und|et|y|e|и"

/** Longer messages are more than small talk, and are not taken apart further than this. */
const LOOKED_AT = 200

const alternatives = (list: string): string =>
  [...new Set(list.split(/[|\n]/).map(foldWords))].sort((left, right) => right.length - left.length).join("|")
/** A phrase ends with a word, where its script has spaces. */
const END = "(?:\\s+|$|(?<=[\\u0e00-\\u0eff\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af]))"
const OPENING = new RegExp(`^(?:${alternatives(GREETINGS)})${END}`, "u")
const FILLER = new RegExp(`^(?:${alternatives(FILLERS)})${END}`, "u")
const WHOLE = new RegExp(`^(?:${alternatives(ABOUT_ITSELF)})${END}`, "u")

/** Nothing is asked of the library. */
export function isSmallTalk(message: string): boolean {
  if (message.length > LOOKED_AT) return false
  const said = foldWords(message)
  if (said === "") return /\p{Extended_Pictographic}/u.test(message)
  const { rest, greeted } = ungreeted(said)
  if (rest === "") return greeted
  return stripped(rest.replace(WHOLE, ""), FILLER) === "" && WHOLE.test(rest)
}

/** The question without a greeting before it; folded where there was one. */
export function withoutGreeting(message: string): string {
  const said = foldWords(message.slice(0, LOOKED_AT))
  const { rest, greeted } = ungreeted(said)
  return greeted && rest !== "" ? rest + message.slice(LOOKED_AT) : message
}

/** What may set a greeting off from the question behind it. */
const SET_OFF = /[\p{P}\n]/u
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/**
 * The question behind a greeting, as it is written; undefined where none is, or where nothing sets the greeting off: in
 * “Great Britain” and “welcome bonus” it is a part of the question.
 */
export function behindGreeting(message: string): string | undefined {
  const looked = message.slice(0, LOOKED_AT)
  const { rest, greeted } = ungreeted(foldWords(looked))
  if (!greeted || rest === "") return undefined
  let end = 0
  for (const { 0: word, index } of looked.matchAll(WORD)) {
    const between = looked.slice(end, index)
    if (end > 0 && SET_OFF.test(between) && foldWords(looked.slice(index)) === rest) return message.slice(index)
    end = index + word.length
  }
  return undefined
}

function ungreeted(said: string): { rest: string; greeted: boolean } {
  let rest = said
  let greeted = false
  for (let before = ""; before !== rest; ) {
    before = rest
    rest = rest.replace(OPENING, "")
    if (rest === before) break
    greeted = true
    rest = stripped(rest, FILLER)
  }
  return { rest, greeted }
}

function stripped(text: string, what: RegExp): string {
  let rest = text
  for (let before = ""; before !== rest; ) {
    before = rest
    rest = rest.replace(what, "")
  }
  return rest
}
