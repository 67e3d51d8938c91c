/**
 * Tells from a question whether it is about the whole of some files: a summary, all of something, a count, what they are
 * about, a comparison of them. Precision goes first: a question for a detail that were read as one about the whole would
 * cost minutes; the other way round its asker says `reading: "whole"`. Rules and their measure: test/chat/intent.test.ts.
 */

/** UTF-16 units at each end of a message that are looked at: longer ones quote documents. */
const LOOKED_AT = 500

/** Words for a document, as whole words. */
const DOCUMENT = {
  en: "(?:documents?|files?|texts?|contracts?|agreements?|reports?|books?|papers?|articles?|pdfs?|attachments?|presentations?|policies|proposals|offers|versions|minutes)",
  de: "(?:dokumente?n?s?|datei(?:en)?|texte?s?n?|vertr(?:ag|äge)[esn]*|berichte?s?n?|b(?:uch|ücher)(?:es)?n?|unterlagen|artikels?|angebote?n?|fassungen|versionen|protokolle?s?)",
  fr: "(?:documents?|fichiers?|textes?|contrats?|rapports?|livres?|articles?|offres|versions|compte rendu)",
  es: "(?:documentos?|archivos?|textos?|contratos?|informes?|libros?|artículos?|ofertas|versiones|actas?)",
  it: "(?:document[oi]|file|test[oi]|contratt[oi]|relazion[ei]|rapport[oi]|libr[oi]|articol[oi]|offerte|versioni|verbal[ei])",
  pt: "(?:documentos?|arquivos?|ficheiros?|textos?|contratos?|relatórios?|livros?|artigos?|propostas|versões|atas?)",
  nl: "(?:document(?:en)?|bestand(?:en)?|teksten?|tekst|contract(?:en)?|rapport(?:en)?|verslag(?:en)?|boek(?:en)?|artikel(?:en)?|offertes|versies)",
  sv: "(?:dokument(?:et|en)?|fil(?:en|er|erna)?|text(?:en|er|erna)?|avtal(?:et|en)?|kontrakt(?:et|en)?|rapport(?:en|er|erna)?|bok(?:en)?|artikel(?:n)?|versionerna|protokollet)",
  pl: "(?:dokument\\p{L}*|plik\\p{L}*|tek[sś]\\p{L}*|umow\\p{L}*|raport\\p{L}*|książ\\p{L}*|artykuł\\p{L}*|ofert\\p{L}*|wersj\\p{L}*|sprawozda\\p{L}*)",
  ru: "(?:документ\\p{L}*|файл\\p{L}*|текст\\p{L}*|договор(?:[аеуы]|ом|ов|ам|ах|ами)?(?!\\p{L})|отч[её]т\\p{L}*|книг\\p{L}*|стать\\p{L}*|верси\\p{L}*|предложени\\p{L}*|протокол\\p{L}*)",
  tr: "(?:belge\\p{L}*|dosya\\p{L}*|metin\\p{L}*|metn\\p{L}*|sözleşme\\p{L}*|rapor\\p{L}*|kitap\\p{L}*|kitab\\p{L}*|makale\\p{L}*|teklif\\p{L}*|sürüm\\p{L}*)",
  ar: "(?:(?:ال|لل|بال)?(?:مستند|وثيقة|وثائق|مستندات|ملف|ملفات|نص|نصوص|عقد|عقدين|عقود|تقرير|تقريرين|تقارير|كتاب|مقال))",
  zh: "(?:文档|文件|文章|文本|合同|报告|书|资料|論文|论文|版本|附件)",
  ja: "(?:文書|文章|資料|ファイル|契約書|報告書|レポート|本|論文|記事|書類|テキスト)",
  ko: "(?:문서|파일|글|계약서|보고서|책|자료|논문|기사|텍스트)",
} as const

/** A rule about words of letters: it begins and ends with a word. */
const words = (pattern: string): RegExp => new RegExp(`(?<![\\p{L}\\p{M}])(?:${pattern})(?![\\p{L}\\p{M}])`, "iu")
/** The same without an end: what follows may be an ending of the word. */
const stems = (pattern: string): RegExp => new RegExp(`(?<![\\p{L}\\p{M}])(?:${pattern})`, "iu")
/** For scripts without blanks between words. */
const signs = (pattern: string): RegExp => new RegExp(pattern, "u")

/** Whose answer is one name, day or place, whatever else the question says. */
const DETAIL: readonly RegExp[] = [
  stems(
    `^\\P{L}*(?:who|whose|when|where|why|wer|wessen|wann|warum|wo|qui|quand|où|pourquoi|quién|cuándo|dónde|chi|quando|dove|quem|onde|wanneer|vem|när|varför|kto|kiedy|gdzie|dlaczego|кто|когда|где|почему|kim|متى|أين)(?!\\p{L})`,
  ),
  signs("^(?:谁|誰が|誰の|何时|什么时候|哪里|为什么|いつ|どこ|なぜ|누가|언제|어디|왜)"),
]

/** A summary is asked for. */
const SUMMARY: readonly RegExp[] = [
  words("(?:summari[sz]e|sum up|recap|outline|condense)(?! of)|summary,? please|tl;?dr|in a nutshell"),
  words(
    "(?:give|write|make|provide|create|draft|produce|need|want|get|have|prepare)(?: \\p{L}+){0,2} (?:an? |the )?(?:\\p{L}+ ){0,2}(?:summary|overview|synopsis|abstract|outline|recap|gist)",
  ),
  words(
    "^(?:an? )?(?:(?:short|brief|quick|executive|concise) )*(?:summary|overview|synopsis)(?: of| for)?(?: \\p{L}+){0,4}",
  ),
  words("fass\\p{L}*(?: \\p{L}+){0,8} zusammen|zusammenfass(?:en|end)|zusammenzufassen|resümiere\\p{L}*"),
  words(
    "(?:gib|geben|schreib\\p{L}*|erstell\\p{L}*|mach\\p{L}*|brauche|möchte|liefere?)(?: \\p{L}+){0,4} (?:zusammenfassung|überblick|übersicht|inhaltsangabe|kurzfassung)",
  ),
  words("^(?:eine )?(?:kurze )?(?:zusammenfassung|inhaltsangabe|kurzfassung)(?: \\p{L}+){0,4}"),
  words(
    "résume[rz]?(?:-moi)?|synthétise[rz]?|(?:un|le|en) (?:bref |court )?résumé (?:de|du|des|d)|(?:fais|faites|donne[rz]?|écri\\p{L}+|rédige[rz]?|prépare[rz]?)(?:-(?:moi|nous))?(?: \\p{L}+){0,3} (?:résumé|synthèse|aperçu)|vue d['’]ensemble (?:de|du|des)",
  ),
  words(
    "resum(?:e|a|ir|an|en|a[mn]|ida)(?:me|lo)?(?: (?:el|la|los|las|este|esta|estos|o|a|os|as|me|brevemente|esse)(?: \\p{L}+)?)|resúm(?:eme|elo)|sintetiza|(?:haz|hazme|dame|escribe|prepara|necesito|quiero)(?: \\p{L}+){0,2} (?:resumen|síntesis|sinopsis)|^resumen (?:de|del)",
  ),
  words(
    "riassum(?:i|a|ere|imi|ete)|sintetizza\\p{L}*|riepilog(?:a|ami|are)|(?:fai|fammi|dammi|scrivi|prepara|vorrei)(?: \\p{L}+){0,3} (?:riassunto|sintesi|riepilogo|panoramica)|^(?:breve )?riassunto (?:del|dell|di)",
  ),
  words(
    "resum[aei](?:-me|r)?(?= (?:o|a|os|as|este|esta|esse|isto))|(?:faça|faz|fazer|dê|dá|escreva|prepare|quero|preciso de)(?:-me)?(?: \\p{L}+){0,3} (?:resumo|síntese|sinopse)|^resumo (?:do|da|deste)|sintetize",
  ),
  words(
    "vat(?: \\p{L}+){0,6} samen|samenvatten|(?:geef|maak|schrijf|wil)(?: \\p{L}+){0,4} (?:samenvatting|overzicht)|^(?:korte )?samenvatting van",
  ),
  words(
    "sammanfatta|(?:ge|gör|skriv|behöver|vill ha)(?: \\p{L}+){0,4} (?:sammanfattning|översikt|överblick)|^(?:kort )?sammanfattning av|oppsummer|opsummer|sammenfat",
  ),
  words(
    "streść|streśc(?:ić|isz)|podsumuj|podsumować|(?:napisz|zrób|przygotuj|daj|podaj|potrzebuję|poproszę o)(?: \\p{L}+){0,3} (?:streszczeni[ea]|podsumowani[ea])|^(?:krótkie )?streszczenie",
  ),
  stems(
    "(?:резюмируй|подытожь|суммируй|обобщи|перескажи)|(?:сделай|напиши|дай|составь|подготовь|нужно)\\p{L}*(?: \\p{L}+){0,3} (?:резюме|выжимк|краткое содержание|пересказ|сводк)|кратк(?:о|ое)(?: \\p{L}+)? (?:изложи|перескажи|содержание|опиши)",
  ),
  stems("özetle(?!n)|(?:kısa )?(?:bir )?özet(?:ini|i)? (?:çıkar|yaz|ver|hazırla|yap|istiyorum)"),
  stems("لخ[ّ]?ص|(?:قدم|اكتب|أعطني|اعطني|أريد|اعمل)(?: \\p{L}+){0,3} (?:ملخص|خلاصة|موجز)|تلخيص"),
  signs(
    "(?:请|帮|给|把|对|简要|简单|^).{0,20}(?:总结|概括|归纳|概述|總結|歸納)|(?:写|给|做|生成).{0,8}(?:摘要|概要|总结)|总结一下|概括一下",
  ),
  signs(
    "要約(?:して|を(?:作|書|お願い|くだ|教え)|し(?:なさい|ろ))|(?:まとめて(?:ください|くれ|ほしい|$)|まとめを(?:作|書))|概要を(?:教え|説明|書|作|まとめ)|要点を(?:まとめ|教え|挙げ|箇条)",
  ),
  signs("요약(?:해|을|본|하)|간추려|개요를 (?:알려|작성|써)|정리해 ?(?:줘|주세요|주십시오)|한 문단으로"),
]

/** All of something is asked for. */
const ALL: readonly RegExp[] = [
  words(
    "(?:list|name|enumerate|extract|find|show|give|collect|mention|identify|tell)(?: me| us)?(?: out)? (?:all|every|each|the (?:full|complete) list)|(?:full|complete|exhaustive) list of|list (?:of )?the names of all|what are all the",
  ),
  words(
    "(?:liste?|nenne?n?|zähle?n?|zeige?n?|gib|finde|suche|extrahiere|nennen)(?: \\p{L}+){0,3} (?:alle|sämtliche|jede[nsr]?)|alle [^.?!]{1,60} (?:auflisten|aufzählen|nennen|auf)|(?:vollständige|komplette) liste",
  ),
  words(
    "(?:liste[rz]?|énumère[rz]?|énumérer|cite[rz]?|donne[rz]?|indique[rz]?|extrai[st]|trouve[rz]?|relève[rz]?|dresse[rz]?)(?:-(?:moi|nous))?(?: \\p{L}+){0,2} (?:tous|toutes|chaque|la liste (?:complète|de tou\\p{L}+|des))|liste complète",
  ),
  words(
    "(?:lista|listar|enumera|menciona|nombra|dame|muéstrame|extrae|indica|encuentra|haz una lista de)(?: \\p{L}+){0,2} (?:todos|todas|cada)|lista completa",
  ),
  words(
    "(?:elenca|elencami|elencare|dammi|nomina|enumera|estrai|trova|mostrami|indica)(?: \\p{L}+){0,2} (?:tutt[ie]|ogni)|(?:lista|elenco) complet[ao]",
  ),
  words(
    "(?:liste|listar|lista|enumere|cite|mostre|dê-me|extraia|encontre|indique|mencione)(?: \\p{L}+){0,2} (?:todos|todas|cada)|lista completa",
  ),
  words(
    "(?:noem|geef|toon|zoek|lijst|som|vermeld|maak een lijst van)(?: \\p{L}+){0,2} (?:alle|elke|ieder)|volledige lijst",
  ),
  words(
    "(?:lista|räkna upp|nämn|ge mig|hitta|visa|ange|ta fram)(?: \\p{L}+){0,2} (?:alla|samtliga|varje)|fullständig lista",
  ),
  words(
    "(?:wymień|wypisz|podaj|wylicz|znajdź|wyszczególnij|pokaż)(?: \\p{L}+){0,2} (?:wszystkie|wszystkich|każd\\p{L}+)|pełn[aą] list[aęy]|list[aęy] wszystkich",
  ),
  words(
    "(?:перечисли|назови|выпиши|укажи|найди|покажи|составь)(?:те)?(?: \\p{L}+){0,2} (?:все|всех|каждый|каждую)|(?:полный )?список всех|полный список",
  ),
  stems("(?:tüm|bütün)[^.?!]{1,60}(?:listele|sırala|sayar mısın|yaz|çıkar|göster|bul)|tam liste"),
  words(
    "(?:اذكر|عدد|عدّد|اسرد|استخرج|أعطني|اعرض|أدرج|اكتب)(?: \\p{L}+){0,2} (?:جميع|كل|كافة)|قائمة (?:كاملة|بجميع|بكل)",
  ),
  signs(
    "(?:列出|列举|找出|给出|罗列|提取|列舉).{0,20}(?:所有|全部|每一?[个条项]|各)|(?:所有|全部).{0,20}(?:列出|列举|找出|有哪些)|完整(?:的)?(?:列表|清单)",
  ),
  signs(
    "(?:すべて|全て|全部|全ての).{0,24}(?:挙げ|列挙|リスト|一覧|抜き出|書き出|抽出)|(?:の|を)一覧(?:に|を|表)|(?:挙げ|列挙).{0,6}(?:すべて|全て)",
  ),
  signs("(?:모든|모두|전부).{0,30}(?:나열|열거|목록|찾아|뽑아|적어)|목록을 (?:만들|작성|전부)|전체 목록"),
]

/** How many there are in all. */
const COUNT: readonly RegExp[] = [
  stems(
    `how many [^.?!]{1,60} (?:are there(?: (?:in total|altogether|in all|in (?:this|the|these|all|my) (?:\\p{L}+ )?${DOCUMENT.en}))?\\P{L}*$|(?:in total|altogether)|(?:does|do) (?:this|the|these) ${DOCUMENT.en} (?:mention|contain|list|have|name)|(?:are|is) (?:mentioned|listed|named|described) (?:in|across))|count (?:all|every|the (?:number|occurrences))`,
  ),
  stems(
    `wie viele [^.?!]{1,60} (?:gibt es(?: (?:insgesamt|in (?:diese[mnr]|de[mnr]|allen) ${DOCUMENT.de}))?\\P{L}*$|insgesamt|kommen [^.?!]{0,40}vor|(?:werden|sind) [^.?!]{0,40}(?:genannt|erwähnt|aufgeführt|aufgelistet)|(?:enthält|nennt|erwähnt) (?:das|der|die|diese[rs]?) ${DOCUMENT.de})|zähle? (?:alle|sämtliche)`,
  ),
  stems(
    `combien (?:de |d['’])[^.?!]{1,60}(?:y a-t-il(?: (?:au total|en tout|dans (?:ce|le|les|ces) ${DOCUMENT.fr}))?\\P{L}*$|(?:au total|en tout)|(?:contient|mentionne|compte) (?:ce|le) ${DOCUMENT.fr}|sont (?:mentionn|cit|list|nomm)\\p{L}+)|compte[rz]? (?:tous|toutes)`,
  ),
  stems(
    `cu[aá]nt[oa]s [^.?!]{1,60}(?:hay(?: (?:en total|en (?:este|el|los|estos) ${DOCUMENT.es}))?\\P{L}*$|en total|se (?:mencionan|nombran|citan|listan)|(?:contiene|menciona) (?:este|el) ${DOCUMENT.es})|cuenta (?:todos|todas)`,
  ),
  stems(
    `quant[ie] [^.?!]{1,60}(?:ci sono(?: (?:in totale|in tutto|nel(?:l['’])? ?${DOCUMENT.it}|in questo ${DOCUMENT.it}))?\\P{L}*$|(?:in totale|in tutto)|(?:sono|vengono) (?:menzionat|citat|elencat|nominat)[ie])|conta tutt[ie]`,
  ),
  stems(
    `quant[oa]s [^.?!]{1,60}(?:(?:há|existem)(?: (?:no total|ao todo|n[eo]s?t?e? ?${DOCUMENT.pt}))?\\P{L}*$|(?:no total|ao todo)|são (?:mencionad|citad|listad)[oa]s)|conte tod[oa]s`,
  ),
  stems(
    `hoeveel [^.?!]{1,60}(?:(?:zijn|staan) er(?: (?:in totaal|in (?:dit|het|de|deze) ${DOCUMENT.nl}))?\\P{L}*$|in totaal|worden [^.?!]{0,40}(?:genoemd|vermeld))|tel (?:alle|elke)`,
  ),
  stems(
    `hur många [^.?!]{1,60}(?:finns (?:det|i)(?: (?:totalt|sammanlagt|i (?:detta|dokumentet|denna|texten|filen|rapporten)))?\\P{L}*$|(?:totalt|sammanlagt)|(?:nämns|räknas upp|listas))|räkna alla`,
  ),
  stems(
    `ile [^.?!]{1,60}(?:(?:łącznie|w sumie|ogółem)|(?:jest|występuje|wymieniono|znajduje się) (?:w (?:tym |tej |całym )?)${DOCUMENT.pl}|wymieniono)|policz wszystkie`,
  ),
  stems(
    `сколько (?:всего |в общей сложности )[^.?!]{1,60}|сколько [^.?!]{1,60}(?:в (?:этом |этой |данном )?${DOCUMENT.ru}|всего\\P{L}*$|упомина|перечисл|названо)|(?:подсчитай|посчитай)(?:те)? (?:все|всех|количество)`,
  ),
  stems(
    `(?:toplam(?:da)? (?:kaç)|${DOCUMENT.tr} (?:toplam )?kaç|kaç [^.?!]{1,40} (?:geçiyor|sayılıyor|listeleniyor))|(?:tüm|bütün) [^.?!]{1,40}say(?:ısını|$)`,
  ),
  stems(`كم (?:عدد )?[^.?!؟]{1,60}(?:في (?:هذا |هذه )?${DOCUMENT.ar}|إجمالا|في المجموع|المذكور)|احسب (?:عدد|جميع|كل)`),
  signs(
    `(?:一共|总共|總共|共计)(?:有|提到|列出|包含|出现)?.{0,12}(?:多少|几|幾)|${DOCUMENT.zh}(?:里|中|内)?(?:一共|总共)?(?:有|提到|列出|包含)了?(?:多少|几)(?:个|条|项|名|位|处|次|章|种|家)`,
  ),
  signs(
    `(?:全部で|合計で?|合わせて).{0,16}(?:いくつ|何)|${DOCUMENT.ja}(?:の中)?(?:に(?:は)?|で(?:は)?).{0,16}(?:いくつ|何(?:人|個|件|回|章|社|種類))`,
  ),
  signs(
    `(?:총|모두 합쳐|전부 합쳐|통틀어) ?.{0,20}몇|${DOCUMENT.ko}에(?:는|서는)? .{0,24}(?:모두|총|전부) ?몇|${DOCUMENT.ko}에(?:는)? .{0,20}몇 (?:개|명|건|번|곳|가지)(?:나|가)? ?(?:나오|있|언급)`,
  ),
]

/** What they are about. */
const ABOUT: readonly RegExp[] = [
  words(
    `what(?:['’]?s| is| are) (?:it|this|that|these|those|they|(?:this|the|these|my|that|those) (?:\\p{L}+ )?${DOCUMENT.en}) (?:all )?about|what (?:does|do) (?:it|this|these|(?:this|the|these) (?:\\p{L}+ )?${DOCUMENT.en}) (?:say|cover|contain|deal with|discuss|describe)\\P{L}*$|(?:main|key|central|most important) (?:points|topics|themes|ideas|findings|arguments|conclusions|takeaways|messages|statements)(?! (?:about|on|regarding|in (?:chapter|section)))`,
  ),
  words(
    `worum (?:geht|handelt) es(?: hier)?(?: in (?:diese[mnr]|de[mnr]) ${DOCUMENT.de})?\\P{L}*$|worum geht['’]?s|wovon (?:handelt|handeln|ist)|was steht (?:in (?:diese[mnr]|de[mnr]) ${DOCUMENT.de}|hier|drin)\\P{L}*$|(?:haupt|kern)(?:punkte|aussagen?|themen|thesen|gedanken)|(?:wichtigsten|zentralen|wesentlichen) (?:punkte|themen|aussagen|inhalte|erkenntnisse|ergebnisse|thesen|gedanken)|überblick über (?:das|den|die|diese\\p{L}?) ${DOCUMENT.de}`,
  ),
  words(
    `de quoi (?:parle|parlent|traite|traitent|s['’]agit|est-il question)(?! l['’]article \\d)|que dit (?:ce|le) ${DOCUMENT.fr}\\P{L}*$|(?:points|idées|thèmes|messages|conclusions|sujets) (?:clés?|principa\\p{L}+|essentiel\\p{L}+|les plus importants)|(?:principa\\p{L}+|grandes) (?:points|idées|thèmes|lignes|conclusions|sujets)`,
  ),
  words(
    `de qu[eé] (?:trata|tratan|habla|hablan|va)(?: (?:este|el|los|estos|esto) ?(?:${DOCUMENT.es})?)?\\P{L}*$|qué dice (?:este|el) ${DOCUMENT.es}\\P{L}*$|(?:puntos|ideas|temas|conclusiones|mensajes) (?:claves?|principales|centrales|más importantes)|(?:principales) (?:puntos|ideas|temas|conclusiones)|visión general (?:de|del)`,
  ),
  words(
    `di (?:che )?(?:che )?cosa (?:parla|parlano|tratta|trattano|si tratta)|di che parla|cosa dice (?:questo|il) ${DOCUMENT.it}\\P{L}*$|(?:punti|temi|idee|conclusioni|concetti) (?:chiave|principali|centrali|più importanti)|principali (?:punti|temi|idee|conclusioni)`,
  ),
  words(
    `(?:d[eo]|sobre) (?:o )?qu[eê] (?:é que )?(?:trata|tratam|fala|falam|se trata|é est[ea])|(?:pontos|ideias|temas|conclusões|mensagens) (?:-?chave|principais|centrais|mais importantes)|principais (?:pontos|ideias|temas|conclusões)|visão geral (?:do|da|deste)`,
  ),
  words(
    `waar(?:over)? (?:gaat|gaan) (?:dit|het|de|deze) (?:\\p{L}+ )?(?:over)?|waarover gaat|(?:hoofd|kern)(?:punten|gedachten?|boodschap|zaken)|belangrijkste (?:punten|thema['’]?s|onderwerpen|conclusies|bevindingen|boodschappen)|wat staat er in (?:dit|het|de|deze) ${DOCUMENT.nl}\\P{L}*$`,
  ),
  words(
    `vad handlar (?:det|den|detta|denna|de|dessa)?(?: här)? ?(?:${DOCUMENT.sv})? ?om|vad går (?:det|den|detta|denna)? ?(?:här )?(?:${DOCUMENT.sv})? ?ut på|vad står det i (?:${DOCUMENT.sv}|(?:detta|denna|det här|den här) ${DOCUMENT.sv})\\P{L}*$|huvud(?:punkter|punkterna|teman|dragen|budskap\\p{L}*)|viktigaste (?:punkterna|slutsatserna|budskapen|temana)`,
  ),
  words(
    `o czym (?:jest|są|mówi|mówią|traktuje|opowiada)|czego dotycz[yą] (?:ten|ta|to|te) ${DOCUMENT.pl}|(?:główn[eay]|najważniejsze|kluczowe) (?:punkty|tezy|tematy|wnioski|myśli|informacje|założenia|wątki)`,
  ),
  stems(
    `о ч[её]м (?:эт|данн|здесь|говорится|ид[её]т речь|${DOCUMENT.ru})|что (?:говорится|написано) в (?:этом |этой |данном )?${DOCUMENT.ru}\\P{L}*$|(?:основн|ключев|главн)\\p{L}+ (?:мысл|иде|тезис|вывод|тем[аы]|момент|пункт|положени)`,
  ),
  stems(
    `(?:${DOCUMENT.tr}|bu(?:nlar)?) (?:ne hakkında|neyle ilgili|ne ile ilgili|neden bahsed|ne anlat)|(?:${DOCUMENT.tr}) (?:ana )?konusu ne|(?:ana|temel|en önemli) (?:noktalar|fikir|konular|sonuçlar|mesajlar|hatlar|başlıklar)`,
  ),
  stems(
    `(?:عن )?(?:ماذا|ما الذي|عمّ|عم|عما|عن ماذا|علام) (?:يتحدث|تتحدث|يتناول|تتناول|يدور|يقول) (?:هذا |هذه )?${DOCUMENT.ar}|ما (?:هو )?موضوع (?:هذا |هذه )?${DOCUMENT.ar}|(?:النقاط|الأفكار|المحاور|الاستنتاجات|المواضيع) (?:الرئيسية|الأساسية|المهمة)|(?:أهم|أبرز) (?:النقاط|الأفكار|الاستنتاجات|ما جاء)`,
  ),
  signs(
    `(?:这|该|此|本)?(?:份|篇|本|个|些)?${DOCUMENT.zh}(?:主要)?(?:是)?(?:讲|说|谈|写|关于)(?:了|的)?(?:是)?(?:些)?什么|(?:这|它)(?:是)?关于什么|(?:主要|核心|重要)(?:内容|观点|要点|思想|论点|结论|主题)(?:是|有|$|？|\\?)|大意|中心思想`,
  ),
  signs(
    `(?:これ|${DOCUMENT.ja})(?:は|って)?(?:何|なに)(?:について|の話|が書(?:いて|かれて))|${DOCUMENT.ja}に(?:は)?何が書(?:いて|かれて)|どんな内容|どういう内容|(?:主な|重要な|主要な)(?:内容|論点|ポイント|テーマ|結論|主張)|${DOCUMENT.ja}の(?:主題|テーマ|内容|要旨)(?:は|を)`,
  ),
  signs(
    `무엇에 (?:관한|대한)|(?:무슨|어떤) 내용(?:이|인|을|$)|${DOCUMENT.ko}(?:은|는|이|가)? ?(?:무슨|무엇을|뭐에|뭘) |(?:주요|핵심|중요한) (?:내용|논점|요점|주제|결론|사항|주장)`,
  ),
]

/** A comparison of files with each other. */
const COMPARISON: readonly RegExp[] = [
  words(
    `compare (?:\\p{L}+ ){0,3}${DOCUMENT.en}|(?:comparison|differences?|similarities) (?:of|between|among) (?:the |these |both |all |my )?(?:\\p{L}+ )?${DOCUMENT.en}|how do (?:the|these|both) (?:\\p{L}+ )?${DOCUMENT.en} differ`,
  ),
  words(
    `vergleiche?n? (?:\\p{L}+ ){0,3}${DOCUMENT.de}|${DOCUMENT.de} (?:miteinander )?vergleichen|unterschiede? (?:zwischen|der) (?:den |diesen |beiden )*${DOCUMENT.de}|unterscheiden sich (?:die|diese|beide) (?:beiden )?${DOCUMENT.de}`,
  ),
  words(
    `compare[rz]? (?:\\p{L}+ ){0,3}${DOCUMENT.fr}|différences? entre (?:les |ces |tous les )(?:deux |trois )?${DOCUMENT.fr}`,
  ),
  words(
    `compar[ae]r? (?:\\p{L}+ ){0,3}${DOCUMENT.es}|diferencias? (?:hay )?entre (?:los|las|estos|estas|ambos|ambas) (?:dos |tres )?${DOCUMENT.es}`,
  ),
  words(
    `confronta(?:re)? (?:\\p{L}+ ){0,3}${DOCUMENT.it}|differenz[ae] (?:tra|fra) (?:i|questi|le|gli) (?:due |tre )?${DOCUMENT.it}`,
  ),
  words(
    `compar[ae]r? (?:\\p{L}+ ){0,3}${DOCUMENT.pt}|diferenças? entre (?:os|as|estes|ambos os) (?:dois |duas |três )?${DOCUMENT.pt}`,
  ),
  words(
    `vergelijk (?:\\p{L}+ ){0,3}${DOCUMENT.nl}|verschil(?:len)? tussen (?:de|deze|beide) (?:twee |drie )?${DOCUMENT.nl}`,
  ),
  words(
    `jämför (?:\\p{L}+ ){0,3}${DOCUMENT.sv}|skillnad(?:en|er|erna)? mellan (?:de |dessa |båda )*(?:två |tre )?${DOCUMENT.sv}`,
  ),
  words(
    `porównaj (?:\\p{L}+ ){0,3}${DOCUMENT.pl}|różnic[ae] między (?:tymi |obiema |oboma )?(?:dwoma |dwiema )?${DOCUMENT.pl}|czym różnią się (?:te |obie |oba )?(?:dwie |dwa )?${DOCUMENT.pl}`,
  ),
  words(
    `сравни(?:те)? (?:\\p{L}+ ){0,3}${DOCUMENT.ru}|(?:различия|разница|отличия) между (?:этими |обоими |двумя )*${DOCUMENT.ru}|чем отличаются (?:эти )?(?:два |две )?${DOCUMENT.ru}`,
  ),
  stems(`${DOCUMENT.tr} (?:birbiriyle |birbirleriyle )?karşılaştır|${DOCUMENT.tr} arasındaki fark`),
  words(
    `قارن (?:بين )?(?:هذه |هذين |\\p{L}+ )?${DOCUMENT.ar}|(?:الفرق|الفروق|الاختلافات|الفروقات) بين (?:هذه |هذين )?${DOCUMENT.ar}`,
  ),
  signs(
    `(?:比较|对比|比較)(?:一下)?.{0,10}${DOCUMENT.zh}|${DOCUMENT.zh}(?:之间)?(?:的|有)(?:什么|哪些)?(?:区别|差异|不同|异同)`,
  ),
  signs(`${DOCUMENT.ja}(?:同士)?を(?:互いに)?比較|${DOCUMENT.ja}の(?:違い|相違点|差異)`),
  signs(`${DOCUMENT.ko}(?:들)?(?:을|를) (?:서로 )?비교|${DOCUMENT.ko}(?:들)?(?:의|간의|사이의)? ?차이`),
]

/** A place in a file: then only a summary of it needs more than a search. */
const PLACE: readonly RegExp[] = [
  stems(
    "(?:chapter|section|page|paragraph|clause|article|annex|kapitel|abschnitt|seite|paragraf|artikel|anlage|chapitre|section|page|capítulo|página|sección|artículo|capitolo|pagina|sezione|articolo|artigo|secção|seção|hoofdstuk|bladzijde|pagina|sida|avsnitt|rozdział\\p{L}*|stron\\p{L}*|paragraf\\p{L}*|глав\\p{L}*|страниц\\p{L}*|раздел\\p{L}*|пункт\\p{L}*|bölüm|sayfa|madde|الفصل|الصفحة|المادة|القسم) ?(?:§|№|no\\.? ?|nr\\.? ?)?\\d|§ ?\\d|\\d+\\. ?(?:bölüm|madde|sayfa)",
  ),
  signs("第.{1,4}[章节節页頁条條]|\\d+(?:ページ|頁|页)|(?:제 ?)?\\d+ ?(?:장|쪽|페이지|조|절)"),
]

const matches = (rules: readonly RegExp[], text: string): boolean => rules.some(rule => rule.test(text))

/** Whether an answer needs everything that the files hold. */
export function asksForWhole(question: string): boolean {
  const text = looked(question)
  if (matches(DETAIL, text)) return false
  if (matches(SUMMARY, text)) return true
  return [ALL, COUNT, ABOUT, COMPARISON].some(rules => matches(rules, text)) && !matches(PLACE, text)
}

function looked(question: string): string {
  const text = question.replace(/\s+/g, " ").trim()
  if (text.length <= 2 * LOOKED_AT) return text
  return `${text.slice(0, LOOKED_AT)} ${text.slice(-LOOKED_AT)}`
}
