/** Kinds of text that name nobody although their capitals, numbers or layout look as if they might. */
export const PLAIN_TEMPLATES = [
  // Recipes
  "({n} |{frac} |{n} {frac} ){measure} {food}(, {cut}|)(\n|, )({frac}|{n}) {measure} {food}(, {cut}|)(\n|, )(Salt|salt|Black pepper|pepper to taste|a pinch of salt|{n} cloves garlic, {cut})",
  "({frac}|{n}) {measure} (salt|sugar|vanilla|baking powder|cinnamon|{food}), {n}(/{n}|) {measure} {food}(, {cut}|)( and {frac} {measure} {food}|)",
  "(Preheat|Heat|Warm) (the |)(oven|pan|grill|broiler) to {deg}(F|C| degrees|°F|°C)(.| and (grease|line|butter) a {n}-inch (pan|tin|dish).)( {Cook} the {food}( and {food}|) (for {n} minutes|until {cooked}|in a (large|small) bowl)(.|, then {cook} in the {food}.)|)",
  "{Cook} (together |in |)(the |){food}, {food} and {food}(.| (until {cooked}|for {n} (minutes|hours)|over medium heat).)( {Cook} (well|again|at once|immediately|and serve).|)",
  "{n}. {Cook} the {food}(.| with the {food}.)\n{n}. {Cook} until {cooked}.( Serves {n}.|)( Makes {n} {food}s.|)",
  "({Adj} |Classic |Homemade |Creamy |Spicy |Grilled |Roasted |Baked |)({Food} {Food}|{Food} (Soup|Salad|Pie|Cake|Curry|Stew|Bread|Casserole|Sauce|Muffins))( with {Food}( and {Food}|)|)(\n|: |)(Serves {n}|Prep time: {n} minutes|Ingredients|Yield: {n} servings|)",
  "(Step|Steps|Directions|Method|Ingredients|Preparation|Notes)(:|\n)( |)({Cook} the {food}|{n} {measure} {food})(.|)",
  // Living things
  "(The |A |An |)({Thing}|{thing}) (is|are) (a|an) ((genus|family|species|order|class) of|{adj}) ({noun}s|plants|birds|fish|beetles|mosses|bacteria|fungi)( (in|of) the family {Latin}idae| native to {place}| found in {place}|)(.|)",
  "(In|The genome of|Populations of|Larvae of|Mutants of|Cells of|Strains of) {Thing}( {latin}|)(,| and {Thing}| (was|were|is|are) (sequenced|studied|grown|{adj}))( the {noun} (is|was) {adj}|)(.|)",
  "(the |)({Thing}|{Latin}us|{Latin}a) {latin}(us|a|um|ensis|is)( \\(L.\\)|) (is|was|has|can|feeds|grows|nests|lives) (in|on|by) (the |){noun}s(.|)",
  "(the {Thing}|the {Latin}|an? {Thing}) (flies|hunts|swims|grows|dives|catches|carries|was seen) (over|near|in|with) (the |its |){noun}(s|)(.|)",
  // Programs
  "(Install|Start|Run|Deploy|Configure|Use|Upgrade|Restart|With|In|On|Using|Unlike|Why does|How do I|Can|Does) {Product}( {num}| and {Product}| on {Product}| cluster| pods| modules| with {Product}|)( (the|a|your) {noun} (is|was|fails|must be) {adj}|)(.|?|:|)",
  "{Product} (is|was|can|will|does|has|uses|needs|runs|provides|lets you|keeps|stores|supports|handles) (a|the|an|your) ({noun}|{adj} {noun}|state of the {noun}|{noun} for {Product})(.|)",
  "(import|from|use|package|require) {noun}\n(def|class|function|const|let|var) {Noun}{Noun}({noun}, {noun}={num})(:|)",
  "{NOUN}_{NOUN}={num}\n{noun}.{noun}.{noun}: {num}\n# {Verb} the {noun} (before|if|when) {Noun}{Noun} (is|returns) (None|null|true)",
  "[{num}] (ERROR|WARN|INFO|DEBUG) {noun}.{Noun}{Noun}: {noun} {adj} (after {num} ms|at line {num}|in {Product})",
  "(SELECT|INSERT INTO|UPDATE|CREATE TABLE) {noun}, {noun} (FROM|SET|WHERE) {noun} (= {num}|> {num})(;| ORDER BY {noun};)",
  "(Open|Click|Press|Select|Choose|Go to|Tap) ({Noun}|{Verb} {Noun}|{Noun} > {Noun}|the {Noun} (button|menu|tab))( to {verb} the {noun}| and {verb} {n} {noun}s|)(.|)",
  // Tables and measures
  "({Noun}|{Adj} {noun}|{Product}|{place})\t{num}\t{num}\n({Noun}|{Adj} {noun}|{Product}|{place})\t{num}\t{num}\n",
  "{noun},{noun},{noun}\n{adj},{num},{num}\n{adj},{num},{place}\n",
  "| {Noun} | {Adj} {noun} | {num} |\n| {Noun} | {place} | {num}{unit} |",
  "{num}, {adj} {num}(, {noun} {num}|)\n(red|green|blue|grey|black|white) {num}, (red|green|blue|grey|black|white) {num}",
  "(a|the) {noun} of {num}( {noun}s|{unit}| mg| ml| grams| square feet| nanograms per litre) (or|to|and) {num}(.|)",
  "{num} {noun} = {num} {noun}( (and|or) {num} {noun}| so {n} {noun}s cost {num} dollars|)(.|)",
  "(about|over|nearly|some|all|than|between) {num} (and {num} |)({noun}s|{place} dollars|people|homes|words|of the {noun}s|miles|years)(.| in {place}.)",
  // Business, sport, news, law
  "({Product}|{org}|{Thing}) (said|says|posted|reported|announced|cut|raised|beat|sells|opened) (its|a|the) ({adj} {noun}|profit|forecast|dividend|{num} {noun}s)(.| in {place}.| on {weekday}.| for {month}.)",
  "(Shares of|Sales at|Investors in|Customers of|A rival of|The board of) ({Product}|{org}|{Thing}) (rose|fell|slid|jumped|{verb}) {num}%(.| on {weekday}.)",
  "(The|Both) ({place}|{Noun}s|{Adj} {Noun}s|{Thing}s) (beat|played|lost to|drew with|face|host) (the |)({place}|{Noun}s|{Thing}s) {n}-{n}( in {place}| on {weekday}| at home|)(.|)",
  "(The|A) (Court|Tenant|Landlord|Buyer|Seller|Licensor|Licensee|Company|Contractor|Employer|Board|Minister|Parliament|Commission) (shall|may|must|agrees to|held that|is entitled to) {verb} the {noun}( under (Section|Article|Clause|Schedule) {n}| within {n} days|)(.|)",
  "(Figure|Table|Theorem|Lemma|Proof|Corollary|Remark|Example|Chapter|Appendix) {n}(.|:) ({Adj} {noun}s|The {noun} of a {noun}|{Verb} the {noun})(.|)",
  "the {Thing} (matrix|equation|theorem|distribution|algorithm|effect|test|number|method|process|disease|syndrome|scale|index) (is|was|of|for) (a |the |){adj}( {noun}|)(.|)",
  "(people with|treatment of|a diagnosis of|patients with|signs of) ({Thing}|{Latin}|{Latin}-{Latin}) (disease|syndrome|disorder)( (is|are|may|can) {adj}|)(.|)",
  // Questions and single words
  "(What|Which|How|Why|When|Where|Who) (is|are|does|do|did|was|were|can) (a|an|the|) ({noun}s|{thing}|{adj} {noun}|{Product}|{latin}s)( {verb}| of the {noun}| and {noun}|)(?|)",
  "(what|which|how|why|when|where|who) (is|are|does|do|did|was|were|can) (a|an|the|) ({noun}s|{thing}|{adj} {noun}|{latin}|{thing} and {thing})( {verb}| of the {noun}| in {thing}|)(?|)",
  "({adj}|{noun}|{thing}) ({noun}s|{thing}|{latin})( and ({adj} |){noun}s|)",
  "({Adj} {Noun}|{Noun} {Verb}|{Product} {Noun}|{Thing}|{Noun})(\n|: |. |!)( |)({Noun}s|{Adj}|{Verb} {noun})",
  "(my|the|your) (card|phone|number|telephone|order|code|pin) (is|was|ends in|starts with|:) {num}( {num}|)(.|)",
  "(Telefon|Tel.|Phone|Teléfono|Fax|Handy|Card|Karte|Konto|Bestellung|Nr.|No.)(:| ) {num} {num}( {num}|)(.|)",
]

/** Lists of persons, in letters of any case and in all the ways in which people are listed. */
export const LIST_TEMPLATES = [
  "(Attendees|Present|Team|Members|Speakers|Guests|Reviewers|Cast|Players|Winners|Signed|Cc|Invited|Assigned to)(:|: |:\n|\n)(- |* |){person}(, |\n- |; |\n){person}(, |\n- |; |\n){person}(, | and |, and |\n- ){person}",
  "{person}, {person}, {person}(,|) and {person} (came|met|signed|work here|are invited|will present|agreed|left|sent regrets)(.|)",
  "{last}, {first}\n{last}, {first}\n{last}, {first}",
  "{n}. {person}\n{n}. {person}\n{n}. {person}",
  "{person} ({age}), {person} ({age}) and {person} ({age})",
  "(between|from|for|by|with|to|of) {person}(,|) {person}(,|) and {person}",
  "{first}, {first}, {first} (and|&) {first} (will|would|should|can) (bring|prepare|send|book|{verb}) (the |){noun}(s|)(.|)",
  "(minutes by|chair|scribe|absent|regrets|apologies)(:|) {person}(, {person}|)(\n|; )(present|in attendance)(:|) {person}, {person}, {person}",
  "{person}\t{job}\t{city}\n{person}\t{job}\t{city}\n{person}\t{job}\t{city}",
  "{person} <{email}>, {person} <{email}>(, {person} <{email}>|)",
  "({last}|{person}) (and|or) ({last}|{person})",
]

/** Written without a capital: only what stands around it tells a name. */
export const SMALL_TEMPLATES = [
  "(my|his|her|the patient's|the client's) (full |first |last |)name is {person}(,| and| from {place}|.|)( i need a {noun}| please help| she was here on {weekday}|)",
  "(hi|hello|hey|dear|good morning|thanks|thank you|cheers|bye|sorry|congrats) {first}(,|!|) (can you|could you|did you|please|how are you|the {noun} is {adj}|i need the {noun})",
  "(regards|best|thanks|cheers|sincerely|love|best wishes|kind regards),?\n{person}",
  "(i'm|i am|this is|it's|call me|ask for|i spoke with|i talked to|met with|meeting with|cc|ask) {person}( from {org}| about the {noun}| on {weekday}|, thanks|)",
  "(attendees|present|people|team|cc|invite|participants): {person}, {person}(, {person}|) (and|&) {person}",
  "{first} and {first} (went|came|are coming|said|called|live) (to|in|from|with) (the {noun}|{place})",
  "(dr|mr|mrs|ms|prof|miss) {last} (said|called|will see you|has the {noun}|is {adj})",
  "(send it to|forward this to|tell|remind|ask|email|text|phone|contact|pay) {person}( about the {noun}| by {weekday}| please|)",
  "(did|does|is|has|was|where is|who is|when did) {person} (call|reply|here|sign|born|from|{verb}|arrive)?",
  "{person} (called|emailed|is waiting|signed the {noun}|wants a {noun}|asked about the {noun}|lives in {place})",
]
