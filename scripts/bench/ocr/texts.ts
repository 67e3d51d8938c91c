/** What the pages of the OCR benchmark say: the same report of a harbor office in each language. */

/** By Tesseract's name of the language; paragraphs. */
export const TEXTS: Record<string, string[]> = {
  eng: [
    "Report of the harbor office, 14 March 2024",
    "The old warehouse at the north quay was inspected last week. The roof leaks in three places, and the wooden floor of the second hall must be replaced before winter.",
    "Repairs will cost about 48,500 and take six weeks. Until then the fishermen may keep their nets in the new building beside the market. Keys are handed out every morning between seven and nine.",
  ],
  deu: [
    "Bericht des Hafenamtes vom 14. März 2024",
    "Das alte Lagerhaus am Nordkai wurde letzte Woche geprüft. Das Dach ist an drei Stellen undicht, und der hölzerne Fußboden der zweiten Halle muss vor dem Winter erneuert werden.",
    "Die Ausbesserung kostet ungefähr 48.500 Euro und dauert sechs Wochen. Bis dahin dürfen die Fischer ihre Netze im neuen Gebäude neben dem Markt aufbewahren. Schlüssel gibt es jeden Morgen zwischen sieben und neun Uhr.",
  ],
  fra: [
    "Rapport de la capitainerie du 14 mars 2024",
    "Le vieil entrepôt du quai nord a été inspecté la semaine dernière. Le toit fuit à trois endroits et le plancher en bois de la deuxième salle doit être remplacé avant l'hiver.",
    "Les réparations coûteront environ 48 500 euros et dureront six semaines. D'ici là, les pêcheurs peuvent garder leurs filets dans le nouveau bâtiment à côté du marché. Les clés sont remises chaque matin entre sept et neuf heures.",
  ],
  spa: [
    "Informe de la oficina del puerto, 14 de marzo de 2024",
    "El viejo almacén del muelle norte fue revisado la semana pasada. El tejado tiene goteras en tres lugares y el suelo de madera de la segunda nave debe cambiarse antes del invierno.",
    "La reparación costará unos 48.500 euros y durará seis semanas. Mientras tanto, los pescadores podrán guardar sus redes en el edificio nuevo, junto al mercado. Las llaves se entregan cada mañana entre las siete y las nueve.",
  ],
  ita: [
    "Rapporto dell'ufficio del porto, 14 marzo 2024",
    "Il vecchio magazzino del molo nord è stato controllato la settimana scorsa. Il tetto perde in tre punti e il pavimento di legno della seconda sala deve essere sostituito prima dell'inverno.",
    "La riparazione costerà circa 48.500 euro e durerà sei settimane. Fino ad allora i pescatori possono tenere le reti nel nuovo edificio accanto al mercato. Le chiavi si ritirano ogni mattina tra le sette e le nove; così è più facile per tutti.",
  ],
  por: [
    "Relatório da capitania do porto, 14 de março de 2024",
    "O velho armazém do cais norte foi inspecionado na semana passada. O telhado deixa entrar água em três lugares e o chão de madeira da segunda sala tem de ser substituído antes do inverno.",
    "A reparação custará cerca de 48.500 euros e vai durar seis semanas. Até lá, os pescadores podem guardar as redes no novo edifício ao lado do mercado. As chaves são entregues todas as manhãs entre as sete e as nove horas; não é preciso marcação.",
  ],
  nld: [
    "Verslag van het havenkantoor, 14 maart 2024",
    "Het oude pakhuis aan de noordkade is vorige week nagekeken. Het dak lekt op drie plaatsen en de houten vloer van de tweede hal moet voor de winter worden vervangen.",
    "De herstelling kost ongeveer 48.500 euro en duurt zes weken. Tot die tijd mogen de vissers hun netten bewaren in het nieuwe gebouw naast de markt. Sleutels worden elke ochtend tussen zeven en negen uur uitgereikt.",
  ],
  pol: [
    "Sprawozdanie kapitanatu portu z 14 marca 2024 roku",
    "Stary magazyn przy nabrzeżu północnym został sprawdzony w zeszłym tygodniu. Dach przecieka w trzech miejscach, a drewnianą podłogę drugiej hali trzeba wymienić przed zimą.",
    "Naprawa będzie kosztować około 48 500 złotych i potrwa sześć tygodni. Do tego czasu rybacy mogą trzymać swoje sieci w nowym budynku obok targu. Klucze wydaje się każdego ranka między siódmą a dziewiątą.",
  ],
  tur: [
    "Liman dairesinin raporu, 14 Mart 2024",
    "Kuzey rıhtımındaki eski depo geçen hafta incelendi. Çatı üç yerden su alıyor ve ikinci salonun ahşap döşemesinin kıştan önce değiştirilmesi gerekiyor.",
    "Onarım yaklaşık 48.500 liraya mal olacak ve altı hafta sürecek. O zamana kadar balıkçılar ağlarını pazarın yanındaki yeni binada saklayabilir. Anahtarlar her sabah yedi ile dokuz arasında dağıtılır.",
  ],
  rus: [
    "Отчёт портовой конторы от 14 марта 2024 года",
    "Старый склад на северной набережной осмотрели на прошлой неделе. Крыша протекает в трёх местах, а деревянный пол второго зала нужно заменить до наступления зимы.",
    "Ремонт будет стоить около 48 500 рублей и займёт шесть недель. До тех пор рыбаки могут хранить свои сети в новом здании рядом с рынком. Ключи выдают каждое утро с семи до девяти часов.",
  ],
  ukr: [
    "Звіт портової контори від 14 березня 2024 року",
    "Старий склад на північній набережній оглянули минулого тижня. Дах протікає в трьох місцях, а дерев'яну підлогу другої зали треба замінити ще до зими.",
    "Ремонт коштуватиме близько 48 500 гривень і триватиме шість тижнів. До того часу рибалки можуть тримати свої сіті в новій будівлі біля ринку. Ключі видають щоранку між сьомою та дев'ятою годиною.",
  ],
  ell: [
    "Έκθεση του λιμεναρχείου, 14 Μαρτίου 2024",
    "Η παλιά αποθήκη στη βόρεια προβλήτα ελέγχθηκε την περασμένη εβδομάδα. Η στέγη στάζει σε τρία σημεία και το ξύλινο πάτωμα της δεύτερης αίθουσας πρέπει να αλλαχτεί πριν από τον χειμώνα.",
    "Η επισκευή θα κοστίσει περίπου 48.500 ευρώ και θα διαρκέσει έξι εβδομάδες. Ως τότε οι ψαράδες μπορούν να φυλάνε τα δίχτυα τους στο νέο κτίριο δίπλα στην αγορά. Τα κλειδιά δίνονται κάθε πρωί από τις επτά έως τις εννέα.",
  ],
  ara: [
    "تقرير مكتب الميناء بتاريخ 14 مارس 2024",
    "جرى فحص المستودع القديم على الرصيف الشمالي في الأسبوع الماضي. يتسرب الماء من السقف في ثلاثة مواضع، ويجب استبدال الأرضية الخشبية في القاعة الثانية قبل حلول الشتاء.",
    "ستكلف أعمال الإصلاح مبلغا كبيرا وتستغرق ستة أسابيع. وحتى ذلك الحين يستطيع الصيادون حفظ شباكهم في المبنى الجديد بجانب السوق. تسلم المفاتيح كل صباح بين الساعة السابعة والتاسعة.",
  ],
  heb: [
    "דוח של משרד הנמל מיום 14 במרץ 2024",
    "המחסן הישן ברציף הצפוני נבדק בשבוע שעבר. הגג דולף בשלושה מקומות, ואת רצפת העץ של האולם השני צריך להחליף לפני החורף.",
    "התיקון יעלה סכום גדול ויימשך שישה שבועות. עד אז הדייגים יכולים לשמור את הרשתות שלהם בבניין החדש ליד השוק. המפתחות נמסרים בכל בוקר בין שבע לתשע.",
  ],
  hin: [
    "बंदरगाह कार्यालय की रिपोर्ट, 14 मार्च 2024",
    "उत्तरी घाट के पुराने गोदाम की जाँच पिछले सप्ताह की गई। छत तीन जगहों से टपकती है और दूसरे कमरे का लकड़ी का फर्श सर्दियों से पहले बदलना होगा।",
    "मरम्मत पर काफी पैसा लगेगा और छह सप्ताह का समय लगेगा। तब तक मछुआरे अपने जाल बाजार के पास नए भवन में रख सकते हैं। चाबियाँ हर सुबह सात से नौ बजे के बीच दी जाती हैं।",
  ],
  chi_sim: [
    "港口办公室报告，2024年3月14日",
    "北码头的旧仓库上周接受了检查。屋顶有三处漏水，第二大厅的木地板必须在冬天之前更换。",
    "修理费用大约是四万八千五百元，需要六个星期。在此之前，渔民可以把渔网放在市场旁边的新楼里。每天早上七点到九点之间发放钥匙，请大家准时来领取。",
  ],
  chi_tra: [
    "港口辦公室報告，2024年3月14日",
    "北碼頭的舊倉庫上週接受了檢查。屋頂有三處漏水，第二大廳的木地板必須在冬天之前更換。",
    "修理費用大約是四萬八千五百元，需要六個星期。在此之前，漁民可以把漁網放在市場旁邊的新樓裡。每天早上七點到九點之間發放鑰匙，請大家準時來領取。",
  ],
  jpn: [
    "港湾事務所の報告、2024年3月14日",
    "北の埠頭にある古い倉庫は先週点検されました。屋根は三か所で雨漏りしており、二番目のホールの木の床は冬になる前に取り替えなければなりません。",
    "修理には約四万八千五百円かかり、六週間続きます。それまで漁師たちは市場の隣の新しい建物に網を置いておくことができます。鍵は毎朝七時から九時の間に渡されます。",
  ],
  kor: [
    "항만 사무소 보고서, 2024년 3월 14일",
    "북쪽 부두의 오래된 창고를 지난주에 점검했습니다. 지붕은 세 곳에서 물이 새고, 두 번째 홀의 나무 바닥은 겨울이 오기 전에 바꾸어야 합니다.",
    "수리 비용은 약 사만 팔천오백 원이고 여섯 주가 걸립니다. 그때까지 어부들은 시장 옆의 새 건물에 그물을 보관할 수 있습니다. 열쇠는 매일 아침 일곱 시에서 아홉 시 사이에 나누어 줍니다.",
  ],
}

/** Pages in two languages: paragraphs of both, and lines in which both stand. */
export const MIXED: Record<string, string[]> = {
  "rus+eng": [
    TEXTS.rus![0]!,
    TEXTS.eng![1]!,
    TEXTS.rus![2]!,
    "Подрядчик North Quay Repairs Ltd. подтвердил срок; договор называется Roof and Floor, Second Hall.",
  ],
  "jpn+eng": [
    TEXTS.jpn![0]!,
    TEXTS.jpn![1]!,
    TEXTS.eng![2]!,
    "契約の名前は Roof and Floor で、会社は North Quay Repairs Ltd. です。",
  ],
  "ara+fra": [TEXTS.ara![0]!, TEXTS.ara![1]!, TEXTS.fra![1]!, TEXTS.ara![2]!, TEXTS.fra![2]!],
  "deu+fra": [TEXTS.deu![0]!, TEXTS.deu![1]!, TEXTS.fra![1]!, TEXTS.deu![2]!, TEXTS.fra![2]!],
}

/** Where a page is read from right to left. */
export const RIGHT_TO_LEFT = new Set(["ara", "heb"])
