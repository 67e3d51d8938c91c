/** Questions by language: about the whole of some files, and for a detail of them. Rules were made with those at even places. */
export const QUESTIONS: Record<string, { whole: string; detail: string }> = {
  en: {
    whole: `Summarize this report.
Can you give me a short summary of the attached contract?
List all suppliers that are named in the agreement.
How many contracts are there?
What is this document about?
Compare the two offers.
What are the main points?
Give me every deadline mentioned in these files: list all of them.
How many persons does this document mention?
Please write an executive summary for the board.
What are the differences between these two versions?
Tell me all the risks that the report names.`,
    detail: `How many days of leave do I have?
Who wrote the summary of the annual report?
What is the notice period?
When is the overview due?
What does chapter 3 say about deposits?
What is the difference between gross and net rent?
How much did the Oslo branch spend in 2022?
Is smoking allowed in the building?
What is the main reason for the delay?
How do I reset the password?
Which supplier delivers the pumps?
How many employees work at the Bergen office?`,
  },
  de: {
    whole: `Fasse dieses Dokument zusammen.
Gib mir bitte eine kurze Zusammenfassung des Berichts.
Liste alle Lieferanten auf, die im Vertrag genannt werden.
Wie viele Verträge gibt es insgesamt?
Worum geht es in diesem Dokument?
Vergleiche die beiden Angebote.
Was sind die wichtigsten Punkte?
Nenne mir alle Fristen.
Wie viele Personen werden in dem Text erwähnt?
Kannst du mir einen Überblick über die Datei geben?
Welche Unterschiede zwischen den beiden Fassungen gibt es?
Nenne die Kernaussagen des Berichts.`,
    detail: `Wie viele Urlaubstage habe ich?
Wer hat die Zusammenfassung geschrieben?
Wie lang ist die Kündigungsfrist?
Wann ist die Übersicht fällig?
Was steht in Kapitel 3 zur Kaution?
Was ist der Unterschied zwischen Brutto und Netto?
Wie hoch waren die Kosten in Oslo im Jahr 2022?
Ist Rauchen im Gebäude erlaubt?
Was ist der Hauptgrund für die Verzögerung?
Wie setze ich das Passwort zurück?
Welcher Lieferant liefert die Pumpen?
Wie viele Mitarbeiter arbeiten in Bergen?`,
  },
  fr: {
    whole: `Résume ce document.
Peux-tu me faire un bref résumé du rapport ?
Liste tous les fournisseurs cités dans le contrat.
Combien de contrats y a-t-il au total ?
De quoi parle ce document ?
Compare les deux offres.
Quels sont les points principaux ?
Donne-moi toutes les échéances.
Combien de personnes sont mentionnées dans le texte ?
Donnez-moi une vue d'ensemble du fichier.
Quelles sont les différences entre les deux versions ?
Énumère chaque risque évoqué dans le rapport.`,
    detail: `Combien de jours de congé ai-je ?
Qui a écrit le résumé du rapport annuel ?
Quel est le délai de préavis ?
Quand la synthèse doit-elle être rendue ?
Que dit le chapitre 3 sur la caution ?
Quelle est la différence entre brut et net ?
Combien la filiale d'Oslo a-t-elle dépensé en 2022 ?
Est-il permis de fumer dans le bâtiment ?
Quelle est la raison principale du retard ?
Comment réinitialiser le mot de passe ?
Quel fournisseur livre les pompes ?
Combien d'employés travaillent à Bergen ?`,
  },
  es: {
    whole: `Resume este documento.
¿Puedes hacerme un resumen breve del informe?
Enumera todos los proveedores que aparecen en el contrato.
¿Cuántos contratos hay en total?
¿De qué trata este documento?
Compara las dos ofertas.
¿Cuáles son los puntos principales?
Dame todas las fechas límite.
¿Cuántas personas se mencionan en el texto?
Necesito una síntesis del archivo.
¿Qué diferencias hay entre las dos versiones?
Haz una lista de todos los riesgos.`,
    detail: `¿Cuántos días de vacaciones tengo?
¿Quién escribió el resumen del informe anual?
¿Cuál es el plazo de preaviso?
¿Cuándo hay que entregar el resumen?
¿Qué dice el capítulo 3 sobre la fianza?
¿Cuál es la diferencia entre bruto y neto?
¿Cuánto gastó la sucursal de Oslo en 2022?
¿Se permite fumar en el edificio?
¿Cuál es el motivo principal del retraso?
¿Cómo restablezco la contraseña?
¿Qué proveedor entrega las bombas?
¿Cuántos empleados trabajan en Bergen?`,
  },
  it: {
    whole: `Riassumi questo documento.
Puoi farmi un breve riassunto della relazione?
Elenca tutti i fornitori citati nel contratto.
Quanti contratti ci sono in totale?
Di cosa parla questo documento?
Confronta le due offerte.
Quali sono i punti principali?
Dammi tutte le scadenze.
Quante persone sono menzionate nel testo?
Fammi una sintesi del file.
Quali sono le differenze tra le due versioni?
Trova tutti i rischi indicati nel rapporto.`,
    detail: `Quanti giorni di ferie ho?
Chi ha scritto il riassunto della relazione annuale?
Qual è il termine di preavviso?
Quando va consegnata la sintesi?
Che cosa dice il capitolo 3 sulla cauzione?
Qual è la differenza tra lordo e netto?
Quanto ha speso la filiale di Oslo nel 2022?
È permesso fumare nell'edificio?
Qual è il motivo principale del ritardo?
Come reimposto la password?
Quale fornitore consegna le pompe?
Quanti dipendenti lavorano a Bergen?`,
  },
  pt: {
    whole: `Resuma este documento.
Pode fazer um breve resumo do relatório?
Liste todos os fornecedores citados no contrato.
Quantos contratos existem no total?
Do que trata este documento?
Compare as duas propostas.
Quais são os pontos principais?
Mostre todos os prazos.
Quantas pessoas são mencionadas no texto, ao todo?
Preciso de uma síntese do arquivo.
Quais são as diferenças entre as duas versões?
Indique cada risco mencionado no relatório.`,
    detail: `Quantos dias de férias eu tenho?
Quem escreveu o resumo do relatório anual?
Qual é o prazo de aviso prévio?
Quando o resumo deve ser entregue?
O que diz o capítulo 3 sobre a caução?
Qual é a diferença entre bruto e líquido?
Quanto a filial de Oslo gastou em 2022?
É permitido fumar no edifício?
Qual é o principal motivo do atraso?
Como redefino a senha?
Qual fornecedor entrega as bombas?
Quantos funcionários trabalham em Bergen?`,
  },
  nl: {
    whole: `Vat dit document samen.
Kun je een korte samenvatting van het rapport geven?
Noem alle leveranciers die in het contract staan.
Hoeveel contracten zijn er in totaal?
Waar gaat dit document over?
Vergelijk de twee offertes.
Wat zijn de belangrijkste punten?
Geef me alle termijnen.
Hoeveel personen worden in de tekst genoemd?
Maak een overzicht van dit bestand.
Wat zijn de verschillen tussen de twee versies?
Som elk risico op dat in het rapport staat.`,
    detail: `Hoeveel vakantiedagen heb ik?
Wie heeft de samenvatting van het jaarverslag geschreven?
Wat is de opzegtermijn?
Wanneer moet de samenvatting klaar zijn?
Wat zegt hoofdstuk 3 over de waarborgsom?
Wat is het verschil tussen bruto en netto?
Hoeveel gaf het filiaal in Oslo uit in 2022?
Mag er in het gebouw gerookt worden?
Wat is de belangrijkste reden voor de vertraging?
Hoe stel ik het wachtwoord opnieuw in?
Welke leverancier levert de pompen?
Hoeveel medewerkers werken er in Bergen?`,
  },
  sv: {
    whole: `Sammanfatta det här dokumentet.
Kan du ge mig en kort sammanfattning av rapporten?
Lista alla leverantörer som nämns i avtalet.
Hur många avtal finns det totalt?
Vad handlar dokumentet om?
Jämför de två versionerna.
Vilka är de viktigaste punkterna?
Ge mig alla tidsfrister.
Hur många personer nämns i texten?
Skriv en översikt av filen.
Vad är skillnaden mellan de två avtalen?
Räkna upp samtliga risker i rapporten.`,
    detail: `Hur många semesterdagar har jag?
Vem skrev sammanfattningen av årsrapporten?
Vad är uppsägningstiden?
När ska sammanfattningen vara klar?
Vad säger kapitel 3 om depositionen?
Vad är skillnaden mellan brutto och netto?
Hur mycket spenderade filialen i Oslo 2022?
Är det tillåtet att röka i byggnaden?
Vilken är den främsta orsaken till förseningen?
Hur återställer jag lösenordet?
Vilken leverantör levererar pumparna?
Hur många anställda arbetar i Bergen?`,
  },
  pl: {
    whole: `Streść ten dokument.
Czy możesz napisać krótkie streszczenie raportu?
Wymień wszystkich dostawców wskazanych w umowie.
Ile umów jest łącznie?
O czym jest ten dokument?
Porównaj obie oferty.
Jakie są najważniejsze punkty?
Podaj wszystkie terminy.
Ile osób wymieniono w tekście?
Podsumuj ten plik w kilku zdaniach.
Jakie są różnice między tymi dwiema wersjami?
Wypisz każde ryzyko opisane w raporcie.`,
    detail: `Ile mam dni urlopu?
Kto napisał streszczenie raportu rocznego?
Jaki jest okres wypowiedzenia?
Kiedy trzeba oddać podsumowanie?
Co mówi rozdział 3 o kaucji?
Jaka jest różnica między brutto a netto?
Ile wydał oddział w Oslo w 2022 roku?
Czy w budynku wolno palić?
Jaki jest główny powód opóźnienia?
Jak zresetować hasło?
Który dostawca dostarcza pompy?
Ilu pracowników pracuje w Bergen?`,
  },
  ru: {
    whole: `Кратко изложи этот документ.
Сделай краткое содержание отчёта.
Перечисли всех поставщиков, указанных в договоре.
Сколько всего договоров?
О чём этот документ?
Сравни эти два предложения.
Каковы основные выводы?
Назови все сроки.
Сколько человек упоминается в тексте?
Подготовь резюме файла.
Какие различия между этими версиями?
Выпиши все риски из отчёта.`,
    detail: `Сколько у меня дней отпуска?
Кто написал резюме годового отчёта?
Какой срок уведомления?
Когда нужно сдать сводку?
Что говорится в главе 3 о залоге?
В чём разница между брутто и нетто?
Сколько потратил филиал в Осло в 2022 году?
Можно ли курить в здании?
Какова причина задержки?
Как сбросить пароль?
Какой поставщик поставляет насосы?
Сколько сотрудников работает в Бергене?`,
  },
  tr: {
    whole: `Bu belgeyi özetle.
Raporun kısa bir özetini çıkarır mısın?
Sözleşmede geçen tüm tedarikçileri listele.
Toplam kaç sözleşme var?
Bu belge ne hakkında?
İki teklifi karşılaştır.
Ana noktalar nelerdir?
Bütün son tarihleri yaz.
Metinde kaç kişi geçiyor?
Dosyanın özetini ver.
Bu iki sürüm arasındaki farklar neler?
Raporda anlatılan tüm riskleri sırala.`,
    detail: `Kaç gün iznim var?
Yıllık raporun özetini kim yazdı?
İhbar süresi nedir?
Özet ne zaman teslim edilmeli?
3. bölüm depozito hakkında ne diyor?
Brüt ile net arasındaki fark nedir?
Oslo şubesi 2022'de ne kadar harcadı?
Binada sigara içmek serbest mi?
Gecikmenin asıl nedeni nedir?
Parolayı nasıl sıfırlarım?
Pompaları hangi tedarikçi teslim ediyor?
Bergen'de kaç çalışan var?`,
  },
  ar: {
    whole: `لخص هذا المستند.
هل يمكنك تلخيص التقرير باختصار؟
اذكر جميع الموردين المذكورين في العقد.
كم عدد العقود إجمالا؟
عن ماذا يتحدث هذا المستند؟
قارن بين العقدين.
ما هي النقاط الرئيسية؟
أعطني كل المواعيد النهائية.
كم شخصا في هذا النص؟
اكتب ملخصا للملف.
ما الفرق بين هذين التقريرين؟
استخرج كافة المخاطر من التقرير.`,
    detail: `كم يوم إجازة لدي؟
من كتب ملخص التقرير السنوي؟
ما هي مدة الإشعار؟
متى يجب تسليم الملخص؟
ماذا يقول الفصل 3 عن التأمين؟
ما الفرق بين الإجمالي والصافي؟
كم أنفق فرع أوسلو في عام 2022؟
هل يسمح بالتدخين في المبنى؟
ما السبب الرئيسي للتأخير؟
كيف أعيد تعيين كلمة المرور؟
أي مورد يسلم المضخات؟
كم موظفا يعمل في بيرغن؟`,
  },
  zh: {
    whole: `请总结这份文件。
给我写一份报告的摘要。
列出合同中提到的所有供应商。
一共有多少份合同？
这份文件讲了什么？
比较这两份合同。
主要内容是什么？
找出全部截止日期。
文中一共提到多少人？
概括一下这篇文章。
这两个版本有什么区别？
请列举报告里的每个风险。`,
    detail: `我有多少天年假？
谁写了年度报告的摘要？
通知期是多长？
总结什么时候要交？
第三章关于押金说了什么？
毛租金和净租金有什么区别？
奥斯陆分公司2022年花了多少钱？
大楼里可以吸烟吗？
延误的主要原因是什么？
怎么重置密码？
哪家供应商提供水泵？
卑尔根有多少员工？`,
  },
  ja: {
    whole: `この文書を要約してください。
報告書の概要を教えてください。
契約書に出てくる業者をすべて挙げてください。
契約は全部でいくつありますか。
この文書は何について書かれていますか。
二つの契約書を比較してください。
主なポイントは何ですか。
期限を一覧にしてください。
文書には何人の人物が出てきますか。
内容をまとめてください。
この二つの資料の違いは何ですか。
報告書にあるリスクを全て列挙して。`,
    detail: `有給休暇は何日ありますか。
年次報告書の要約は誰が書きましたか。
解約予告期間はどのくらいですか。
要約の締め切りはいつですか。
第3章では敷金について何が書かれていますか。
総額と純額の違いは何ですか。
オスロ支店は2022年にいくら使いましたか。
建物の中でたばこを吸ってもいいですか。
遅れの主な理由は何ですか。
パスワードはどうやって再設定しますか。
ポンプを納入している業者はどこですか。
ベルゲンでは何人の社員が働いていますか。`,
  },
  ko: {
    whole: `이 문서를 요약해 주세요.
보고서의 개요를 작성해 줘.
계약서에 나오는 모든 업체를 나열해 주세요.
계약은 총 몇 개인가요?
이 문서는 무엇에 관한 것인가요?
두 계약서를 비교해 줘.
주요 내용이 무엇인가요?
마감일을 모두 찾아 줘.
문서에는 모두 몇 명이 나오나요?
이 파일을 간단히 정리해 주세요.
두 보고서의 차이점은 무엇인가요?
보고서의 핵심 요점을 알려 줘.`,
    detail: `제 연차는 며칠인가요?
연간 보고서 요약은 누가 썼나요?
해지 통지 기간은 얼마인가요?
요약은 언제까지 제출해야 하나요?
제3장에서 보증금에 대해 뭐라고 하나요?
총액과 순액의 차이는 무엇인가요?
오슬로 지점은 2022년에 얼마를 썼나요?
건물 안에서 담배를 피워도 되나요?
지연의 주된 이유는 무엇인가요?
비밀번호는 어떻게 재설정하나요?
어느 업체가 펌프를 납품하나요?
베르겐에는 직원이 몇 명 일하나요?`,
  },
}

/** Also for a detail, though they sound like the others. */
export const NEAR_MISSES = `What does the summary say about revenue?
Is there a list of holidays?
How many pages may an abstract have?
Compare the rent in 2021 and 2022.
What is paragraph 7 about?
Was sagt die Zusammenfassung zum Umsatz?
Wie viele Zimmer hat die Wohnung?
Que dit le résumé sur le chiffre d'affaires ?
¿Qué dice el resumen sobre los ingresos?
О чём договорились стороны?
合同对违约说了什么？
この本の値段はいくらですか。`
