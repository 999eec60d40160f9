import type { Language } from "./verbs.ts";

/**
 * Words that the review knows, as data per language: folded (no accents, lower case), each a piece of a pattern that is held
 * against whole words. A language that is not here is judged by kind, length and shared terms alone.
 */
export interface Lexicon {
  /** says that work is under way, and nothing else */
  readonly ack: string;
  /** words of assent: an acknowledgement only when next to nothing else is said */
  readonly assent: string;
  /** a whole sentence that says no more than "done" */
  readonly done: string;
  /** says that something did not work, is not done, or was done another way */
  readonly failure: string;
  /** looks like failure, and says that there was none */
  readonly noFailure: string;
  /** the speaker will do something later */
  readonly promise: string;
  /** a future that is none: states, habits, offers, what is kept in mind */
  readonly noPromise: string;
  /** makes a promise wait for the person: an offer or a condition */
  readonly condition: string;
  /** asks the person for something; what is promised in the next sentence waits for it */
  readonly asksPerson: string;
  /** a polite last sentence, which says nothing about the work */
  readonly closing: string;
  /** begins a question for information rather than a wish */
  readonly asksToKnow: string;
  /** asks for the speaker's earlier acts */
  readonly asksForPast: string;
  readonly yesNo: string;
  /** asks to look whether something is in order; a word of the next answers it */
  readonly asksToCheck: string;
  readonly inOrder: string;
  /** asks for a text, whose sentences are not the speaker's own */
  readonly asksForText: string;
  /** says "there is none", which is an answer too */
  readonly negative: string;
  /** frequent small words that tell the language */
  readonly small: string;
}

const en: Lexicon = {
  ack: "(?:i am |i'm |we're )?(?:already |now |currently )?(?:working on (?:it|this|that)|on (?:it|this|my way)|looking into (?:it|this|that)|checking(?: (?:it|this|that))?)|(?:i'll|i will|let me|going to) (?:take a look|have a look|look into (?:it|this|that)|check(?: (?:it|this|that|on (?:it|this|that)))?|get (?:right )?(?:on|to) (?:it|this|that)|get started|start(?: right away)?|do (?:it|this|that)|take care of (?:it|this|that)|handle (?:it|this|that)|work on (?:it|this|that)|see what i can (?:do|find))|one (?:moment|second|sec|minute)|(?:just )?(?:a|give me a|give me one) (?:few )?(?:moments?|seconds?|secs?|minutes?)|hang tight|hold on|stand by|stay tuned|bear with me|will do|right away|in progress|starting (?:now|on it)|get(?:ting)? (?:right )?on (?:it|this|that)|consider it done|received your (?:message|request)",
  assent:
    "ok|okay|sure(?: thing)?|got it|understood|alright|all right|certainly|of course|absolutely|great|perfect|noted|roger|acknowledged|no problem|sounds good|thanks|thank you|happy to help|please|now|for (?:you|your (?:patience|message|request))",
  done: "(?:it's |it is |that's |that is |this is |all |everything(?:'s| is) |i'm |i am |we're |now )?(?:all )?(?:done|finished|completed?|set|sorted|taken care of)(?: now)?|(?:the )?(?:task|job|work|request)(?:'s| is| has been)? (?:now )?(?:done|finished|completed?)|(?:i )?did it|(?:the )?(?:update|deletion|deployment|publication|migration|upload|import|change|setup|refund|booking|clean-?up) (?:is |was )?(?:now )?(?:complete|completed|done|finished|successful)|all good|mission accomplished|(?:i have |i've )?(?:finished|completed) (?:the task|it|that|everything|your request|all of it)|it worked|everything worked",
  failure:
    "fail(?:ed|s|ure|ing)?|(?:could|can|did|do|does|was|were|is|are|have|has|had|would|will) ?(?:not|n't)|(?:could|ca|did|do|does|was|were|is|are|have|has|had|would|wo)n't|cannot|unable|unsuccessful(?:ly)?|not (?:yet |all |every |the |fully |entirely )?(?:done|possible|able|found|available|allowed|permitted|finished|complete|completed|published|created|updated|deleted|sent|known|clear|certain|sure|reachable|included|working)|no (?:access|permission|answer|response|luck)|error(?: |:)(?:\\d+|code|message)|(?:an|the|with|returned|got|this|same) errors?|denied|declined|refused|rejected|not approved|timed out|time-?out|unavailable|unreachable|(?:is|was|are|were) down|blocked|missing|went wrong|problem(?:s)? with|ran into|still (?:open|missing|to do|to be done|pending|outstanding|draft)|remain(?:s|ing)?|stay(?:s|ed)?|left (?:undone|open|out|unchanged|as (?:it|they))|incomplete|only partly|partially|partial|except(?: for)?|skipped|apart from|instead|already (?:exist(?:s|ed)|taken|in use|there)|unknown whether|(?:un|not )(?:clear|known|sure|certain) (?:whether|if)|may (?:or may )?not|might (?:not|have)|without success|nothing (?:was|has been|is) (?:changed|done|published|sent)|outstanding|gave up|broke(?:n)?|crashed|conflict",
  noFailure:
    "(?:there (?:were|was|are) )?(?:no|without(?: any)?|zero|0) (?:errors?|problems?|issues?|failures?|failed|conflicts?|broken|missing|warnings?)(?: \\w+)?|nothing (?:failed|is missing|went wrong|remains|broke)|(?:did|do|does)(?:n't| not) (?:fail|hesitate)|no longer|don't (?:worry|hesitate|need to)|not only|can't wait|has not changed|nothing else",
  promise:
    "(?:i|we)(?:'ll| will| shall) (?:\\w+ ){0,3}\\w+|(?:i'm|i am|we're|we are) (?:now |then |just )?(?:going to|about to)|let me (?!know)\\w+|(?:i'm|i am|we're|we are) (?:now |still |currently |already )?(?:working|looking|checking|preparing|starting|processing|gathering|generating|creating|publishing|updating|writing|compiling)\\b|stay tuned|hang tight|stand by|back (?:to you )?(?:soon|shortly)|more (?:soon|to come|shortly)|(?:give me|just|one) (?:a )?(?:few )?(?:moments?|seconds?|minutes?)|(?:creating|making|building|publishing|updating|deleting|sending|writing|checking|searching|starting|preparing|processing) (?:\\w+ ){0,8}(?:now|right away)|(?:it|this|that|they|these|everything|results?|report|page|update|message|email|draft|version) will (?:then )?(?:be|follow|go|come|arrive) ?(?:\\w+ ){0,4}(?:soon|shortly|later|tomorrow|tonight|today|within|in (?:a|the|\\d+)|by|momentarily|next)|to follow (?:soon|shortly)|coming (?:soon|up|right up)|keep you (?:posted|updated|informed)|get back to you|follow up with",
  noPromise:
    "(?:i|we)(?:'ll| will) (?:not |never |no longer |always |also |only |now )?(?:be (?:here|happy|glad|able|unable|honest|around|ready)|need|remember|keep (?:it|that|this|them)? ?in mind|keep (?:that|it|this) (?:name|rule|preference)|leave|wait|stop|assume|avoid|treat|stay|use|write (?:it |them )?like|stick|refer|call you|respect|ask (?:you )?(?:first|before)|have to|no longer|not|never)|i won't|let me (?:explain|summari[sz]e|clarify|know|be)|(?:working|going) to (?:be|the)|looking (?:forward|for)",
  condition:
    "(?<!\\b(?:i|i've|i'm|we|we've)\\b.*)and (?:then )?(?:i|we)(?:'ll| will)|if|once (?:you|we|it is approved|approved|someone|a person)|when(?:ever)? (?:you|someone)|as soon as (?:you|someone|it is approved)|after (?:you|your|approval)|should you|unless|until you|on your (?:ok|go|word|signal)|with your (?:ok|approval|permission|go-ahead)|just (?:say|tell|ask|let)|(?:tell|say|confirm|reply|choose|pick|send me|give me (?:the|your)|let me know|approve)\\b.{0,80}\\b(?:i|we)(?:'ll| will)|your (?:approval|confirmation|choice|decision|go-ahead)|would you like|shall i|do you want|happy to|feel free|want me to|next time|whenever|from now on|in (?:the )?future|for this session",
  asksPerson:
    "please (?:tell|confirm|choose|send|let|approve|say|give|decide|provide|reply)|(?:tell|let) me|confirm|which|say the word",
  closing:
    "let me know.*|feel free.*|(?:is there|anything else).*|(?:thanks|thank you|cheers|enjoy|best|regards|you're welcome|have a (?:nice|great|good)).*|happy to.*|just (?:ask|say|let me know).*|if you.*|hope (?:this|that|it) helps.*|want me to.*|would you like.*|shall i.*|do you want.*",
  asksToKnow:
    "what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|did|has|(?:do|have) (?:you|we|they|i|the|any)|tell me (?:about|whether|if|what|which|how|who|when)|show(?: me)?|list|explain|describe|count",
  asksForPast:
    "did you|have you|what (?:did|have) you|have we|did we|what has been|what was|what changed|status|recap|summari[sz]e what",
  yesNo:
    "yes|no|yep|yeah|nope|correct|right|true|false|indeed|exactly|it (?:is|does|has)|it (?:isn't|doesn't|hasn't)|they (?:are|do|have)|not yet",
  asksToCheck: "check|verify|test|validate|make sure|see (?:if|whether)|confirm|review|audit",
  inOrder:
    "pass(?:es|ed)?|fine|ok|okay|valid|works?|working|correct|in order|clean|healthy|intact|up to date|green|good|well",
  asksForText:
    "write|draft|compose|translate|rewrite|rephrase|summari[sz]e|formulate|proofread|reword|suggest|give me (?:a|an|some) (?:text|draft|example)",
  negative: "no|none|nothing|not|never|nobody|neither|zero|empty|without",
  small:
    "the|and|is|are|was|of|to|in|it|you|that|this|with|have|has|i|not|for|on|page|there|be|all|can|your|my|we|at|from|an|a|or|but|they|now|no|what|so|will|do|if|by",
};

const de: Lexicon = {
  ack: "(?:ich )?(?:bin (?:schon )?dran|arbeite (?:gerade |schon |bereits )?(?:daran|dran)|kummere mich (?:gleich |sofort |gerade )?(?:darum|drum)|schaue? (?:es |das )?(?:mir )?(?:das |es )?(?:gleich |mal |kurz |sofort )*(?:an|nach)|sehe? (?:es |das )?(?:mir )?(?:das |es )?(?:gleich |mal |kurz )*(?:an|nach)|mache? (?:ich |das |mich )?(?:ich |das |gleich |sofort )*(?:an die arbeit|ran)?|lege? (?:gleich |sofort )?los|fange? (?:gleich |sofort )?an|prufe? (?:das |es )?(?:gleich|kurz|mal)?)|wird (?:gemacht|erledigt)|mache? ich(?: gleich| sofort)?|(?:einen?|ein) (?:kleinen |kurzen )?(?:moment|augenblick|minute)|moment(?: bitte)?|sofort|wird in kurze erledigt|anfrage (?:ist )?(?:erhalten|angekommen)",
  assent:
    "ok|okay|alles klar|klar|gut|gerne?|verstanden|in ordnung|natuerlich|naturlich|selbstverstandlich|danke|bitte|super|perfekt|notiert|ja gerne|sicher",
  done: "(?:alles |ist |ist jetzt |das ist |es ist |schon )?(?:alles )?(?:erledigt|fertig|gemacht|abgeschlossen|geschafft)|(?:die )?(?:aufgabe|arbeit|anfrage) (?:ist |wurde )?(?:erledigt|abgeschlossen|fertig)|hat geklappt|ich bin fertig",
  failure:
    "nicht|kein(?:e|en|er|es|em)?|fehl(?:er|t|en|te|ten|geschlagen|schlug|gelaufen)|fehlgeschlagen|gescheitert|scheiterte|leider|unmoglich|abgelehnt|verweigert|abgebrochen|zeituberschreitung|problem(?:e)?|offen|ausstehend|unvollstandig|teilweise|nur zum teil|ausser|bis auf|ubersprungen|stattdessen|vergeben|belegt|nur|bleib(?:t|en)|schon vorhanden|existiert (?:schon|bereits)|gibt es (?:schon|bereits)|unklar|unbekannt|ohne erfolg|konnte nicht|ungultig",
  noFailure:
    "(?:keine?n?|ohne|null|0) (?:weiteren? )?(?:fehler|probleme?n?|schwierigkeiten|warnungen|konflikte)|nichts (?:fehlt|ging schief)|nicht (?:nur|mehr)|kein problem",
  promise:
    "(?:ich|wir) (?:werde|werden) .{0,120}|(?:werde|werden) (?:ich|wir) .{0,120}|(?:ich )?melde? (?:ich )?mich|kummere? (?:ich )?mich|(?:ich |wir )?arbeite(?:n)? (?:gerade |noch |jetzt |weiter |schon |bereits )*(?:daran|dran|an)|bin (?:schon |noch |gerade )?dran|ich (?:gebe|sage) .{0,40}bescheid|halte (?:ich )?(?:dich|sie|euch) auf dem laufenden|(?:ich|wir) \\w+ .{0,60}(?:gleich|spater|morgen|in kurze|demnachst|nachher|anschliessend|als nachstes|bald)|(?:gleich|spater|morgen|in kurze|demnachst|nachher|anschliessend|als nachstes|bald) \\w+ (?:ich|wir)|einen (?:moment|augenblick)|(?:folgt|kommt|folgen|kommen) (?:gleich|in kurze|bald|spater|morgen|demnachst)|wird (?:in kurze|bald|gleich|spater|demnachst|morgen) .{0,60}",
  noPromise:
    "ich werde (?:es |das |mir |das mir |es mir )*(?:nicht|nie|merken|beachten|warten|abwarten)|mir (?:das |es )?merken|ich werde (?:dafur |das )?(?:brauchen|benotigen)",
  condition:
    "(?<!\\b(?:ich|wir)\\b.*)und (?:dann )?\\w+ (?:ich|wir)|wenn|falls|sobald|sofern|sollten? (?:sie|du|ihr)|auf wunsch|nach (?:ihrer|deiner|der) (?:freigabe|bestatigung|zustimmung)|gern(?:e)?|kann ich|konnte ich|soll ich|mochte(?:st|n)? (?:du|sie)|sag(?:en)? (?:sie |du )?(?:mir )?(?:einfach|bescheid)|bescheid|ab jetzt|kunftig|in zukunft",
  asksPerson:
    "bitte (?:sag|bestatig|wahl|schick|gib|geben|nenn|entscheid)|sag mir|sagen sie|welche\\w*|bestatig\\w*",
  closing:
    "(?:sag|gib|geben sie|sagen sie|melde dich|melden sie sich|lass) .*|(?:kann|soll|darf) ich .*|wenn .*|falls .*|bei (?:fragen|bedarf|weiteren) .*|viel (?:spass|erfolg|freude).*|danke.*|gern(?:e|\\b).*|(?:viele|beste|freundliche|liebe) grusse.*|noch (?:etwas|was).*",
  asksToKnow:
    "was|welche[rsnm]?|wer|wen|wem|wann|wo|warum|wieso|weshalb|wie|ist|sind|war|hat|haben|gibt es|zeig(?:e|en)?(?: mir)?|liste?|erklar(?:e|en)?|beschreib(?:e|en)?|sag mir|nenn",
  asksForPast: "hast du|haben sie|habt ihr|haben wir|was hast|was haben|was wurde|stand der|status",
  yesNo: "ja|nein|doch|genau|richtig|stimmt|korrekt|jawohl|noch nicht",
  asksToCheck: "pruf(?:e|en)?|check(?:e|en)?|kontrollier(?:e|en)|teste?|schau|sieh nach|uberpruf(?:e|en)",
  inOrder: "in ordnung|gut|ok|okay|korrekt|gultig|passt|stimmt|funktionier\\w*|sauber|aktuell",
  asksForText:
    "schreib(?:e|en)?|entwirf|entwerfen|formulier(?:e|en)|ubersetz(?:e|en)|fass(?:e)? .{0,60}zusammen|verfass(?:e|en)|umschreiben|schlag(?:e)? .{0,60}vor",
  negative: "keine?n?|nichts|nicht|nie|niemand|null|leer|ohne|weder",
  small:
    "der|die|das|und|ist|sind|war|zu|in|es|sie|du|dass|mit|haben|hat|ich|nicht|fur|auf|seite|ein|eine|den",
};

const fr: Lexicon = {
  ack: "(?:je )?m'en occupe(?: tout de suite| immediatement)?|je (?:suis|travaille) dessus|j'y travaille|je (?:vais )?(?:regarde(?:r)?|verifie(?:r)?|m'y mets?|commence(?:r)?)(?: ca| cela| tout de suite| ca tout de suite)?|un (?:instant|moment)|une (?:minute|seconde)|tout de suite|c'est (?:parti|en cours)|en cours|(?:votre )?demande (?:est )?bien recue",
  assent:
    "ok|okay|d'accord|entendu|compris|bien sur|bien recu|tres bien|parfait|avec plaisir|merci|s'il vous plait|note|certainement",
  done: "(?:c'est |voila |tout est |voila, c'est )?(?:fait|termine|fini|regle|bon|pret)e?s?|(?:la )?(?:tache|demande) (?:est |a ete )?(?:terminee|faite|accomplie)|j'ai (?:tout )?(?:fini|termine)",
  failure:
    "(?:n'|ne )\\S.{0,60}(?:pas|plus|aucune?|rien|jamais|pu)|pas (?:encore|pu|ete|possible|trouve|fait)|impossible|echou\\w*|echec|erreur|malheureusement|refuse\\w*|rejete\\w*|interdit\\w*|indisponible|introuvable|manqu\\w+|probleme|reste(?:nt)?|seulement|uniquement|incomplet\\w*|partiel\\w*|sauf|excepte|ignore\\w*|a la place|au lieu de|existe deja|inconnu\\w*|incertain\\w*|sans succes|delai depasse|aucun(?:e)? (?:acces|reponse)",
  noFailure:
    "(?:sans|aucun(?:e)?) (?:\\w+ )?(?:erreurs?|problemes?|soucis?|echecs?)|n'hesite\\w* pas|il n'y a (?:plus|pas) d'(?:erreur|autre)s?|il ne manque rien",
  promise:
    "je vais \\w+|nous allons \\w+|je (?:vous |te |le |la |les |l'|m'en |m'y |leur |lui )*(?!pourrai|serai|aurai|devrai|voudrai|saurai|resterai)\\w+rai\\b|je (?:vous |te )?(?:reviens|tiens (?:au courant|informe)|recontacte|previens)|je m'en occupe|j'y travaille|je (?:suis|travaille) (?:en train|dessus)|un instant|(?:arrive|suit|suivra|sera|seront) .{0,40}(?:bientot|sous peu|plus tard|demain|prochainement|dans)",
  noPromise:
    "je (?:ne|n'en) .*|je vais (?:m'en souvenir|retenir|le retenir|attendre|avoir besoin)|je (?:m'en souviendrai|retiendrai|garderai (?:cela|ca) en (?:tete|memoire))",
  condition:
    "(?<!\\b(?:je|j'\\w+|nous)\\b.*)et je|si|des que vous|des que tu|quand (?:vous|tu)|lorsque (?:vous|tu)|une fois que (?:vous|tu)|apres (?:votre|ta) (?:validation|accord|confirmation)|dites|dis-moi|voulez-vous|veux-tu|souhaitez|n'hesite\\w*|volontiers|je peux|desormais|a l'avenir",
  asksPerson: "(?:merci de|veuillez|pouvez-vous|peux-tu) .*|dites-moi|dis-moi|confirmez|quel(?:le)?s?",
  closing:
    "(?:dites|dis)-moi.*|n'hesite.*|si (?:vous|tu).*|(?:voulez|souhaitez)-vous.*|veux-tu.*|merci.*|bonne (?:journee|continuation).*|cordialement.*|avec plaisir.*|autre chose.*|je (?:peux|reste) .*",
  asksToKnow:
    "quoi|quel(?:le)?s?|qui|quand|ou|pourquoi|comment|combien|est-ce|y a-t-il|montre[sz]?(?:-moi)?|liste[sz]?|explique[sz]?|decri[st]|dis-moi",
  asksForPast: "as-tu|avez-vous|qu'avez-vous|qu'as-tu|est-ce que (?:tu as|vous avez)|statut",
  yesNo: "oui|non|si|exact|exactement|correct|tout a fait|en effet|pas encore",
  asksToCheck: "verifie[rz]?|controle[rz]?|teste[rz]?|assure",
  inOrder: "bon(?:ne)?|en ordre|ok|correct\\w*|valide\\w*|fonctionn\\w*|a jour",
  asksForText: "ecri[st]|redige[rz]?|tradui[st]|resume[rz]?|reformule[rz]?|compose[rz]?|propose[rz]?",
  negative: "aucune?|rien|pas|jamais|personne|sans|zero|vide",
  small: "le|la|les|et|est|sont|de|des|du|un|une|que|qui|vous|je|dans|pour|avec|pas|sur|page|ai|a|ete",
};

const es: Lexicon = {
  ack: "(?:ya )?(?:estoy|estamos) (?:en ello|trabajando en (?:ello|eso)|con ello|en eso)|(?:ahora |ya )?(?:mismo )?(?:lo|la) (?:miro|reviso|hago|veo|compruebo)(?: ahora| enseguida)?|voy a (?:mirarlo|verlo|revisarlo|ello|comprobarlo|empezar)|me (?:pongo|encargo)(?: (?:a|con|de) (?:ello|eso))?|un (?:momento|segundo|minuto|instante)|enseguida|ahora mismo|en (?:proceso|curso|marcha)|solicitud recibida",
  assent:
    "ok|okay|vale|claro|de acuerdo|entendido|perfecto|por supuesto|muy bien|gracias|listo para empezar|anotado|con gusto|seguro|recibido",
  done: "(?:ya )?(?:esta |todo |todo esta |queda )?(?:ya )?(?:hecho|list[oa]s?|terminado|completado|acabado|resuelto|finalizado)|ya esta|(?:la )?(?:tarea|solicitud) (?:esta |ha sido )?(?:completada|terminada|hecha)|he terminado",
  failure:
    "no|ningun[oa]?|error|fall[oa]\\w*|imposible|lamentablemente|desafortunadamente|deneg\\w+|rechaz\\w+|no disponible|falta(?:n|ba)?|problema|pendiente\\w*|incomplet\\w+|parcial\\w*|excepto|salvo|omit\\w+|sigue(?:n)?|queda(?:n)? como|solo|en (?:su )?lugar|en cambio|ya existe|desconocid\\w+|sin exito|tiempo agotado",
  noFailure:
    "(?:sin|ningun) (?:\\w+ )?(?:error(?:es)?|problemas?|fallos?)|no (?:hay|hubo|falta) (?:ningun )?(?:mas )?(?:error(?:es)?|problemas?|fallos?|nada)|no dude[sn]?|no solo",
  promise:
    "(?:voy|vamos) a \\w+|(?:te|le|les|os|lo|la|los|las|me) (?!podre|sere|estare|tendre|habre)\\w+[aei]re\\b|(?!podre|sere|estare|tendre|habre)\\w{3,}[aei]re (?:(?:el|la|los|las|un|una|su|tu|esto|eso|ahora)\\b|.{0,40}(?:luego|despues|manana|pronto|en breve|mas tarde))|te aviso|le aviso|me pondre en contacto|vuelvo (?:contigo|con usted)|me encargo|(?:estoy|estamos) (?:en ello|trabajando|preparando|revisando|publicando|creando)|un momento|(?:estara|llegara|sera|seran) .{0,40}(?:pronto|manana|en breve|mas tarde|en unos)",
  noPromise:
    "no \\w+re\\b|(?:lo )?(?:recordare|tendre en cuenta|esperare|necesitare)|voy a (?:necesitar|esperar|recordarlo)",
  condition:
    "si|cuando (?:usted|tu|quieras|me|lo|la)|en cuanto (?:me|usted|tu)|una vez que (?:me|lo|usted)|tras (?:su|tu) (?:confirmacion|aprobacion)|dime|digame|avisame|aviseme|quieres|quiere que|puedo|con gusto|a partir de ahora|en (?:el )?futuro",
  asksPerson: "por favor .*|dime|digame|confirma\\w*|cual(?:es)?|indica\\w*",
  closing:
    "(?:avisame|aviseme|dime|digame).*|si (?:necesitas|necesita|quieres|quiere|tienes|tiene).*|no dude.*|(?:quieres|quiere|deseas|desea|necesitas) .*|gracias.*|saludos.*|con gusto.*|algo mas.*|puedo .*",
  asksToKnow:
    "que|cual(?:es)?|quien(?:es)?|cuando|donde|por que|como|cuant[oa]s?|hay|esta|estan|es|son|muestra(?:me)?|lista|explica(?:me)?|describe|dime",
  asksForPast: "has |ha |que has|que ha|estado de",
  yesNo: "si|no|exacto|correcto|asi es|todavia no|aun no",
  asksToCheck: "comprueba|verifica|revisa|testea|asegura",
  inOrder: "bien|en orden|ok|correct\\w*|valid\\w*|funciona\\w*|al dia",
  asksForText: "escrib[ea]|redacta|traduce|resume|reformula|compon|propon|sugiere",
  negative: "ningun[oa]?|nada|no|nadie|sin|cero|vaci[oa]|nunca",
  small: "el|la|los|las|y|es|son|de|del|un|una|que|en|con|para|por|no|se|ha|he|pagina|esta|lo",
};

export const LEXICONS: Readonly<Record<Language, Lexicon>> = { en, de, fr, es };

/**
 * Of languages without a list of their own: what tells them from their neighbours, what says that something is not so or was
 * so before, what orders a change, and what a text. A star stands for any ending; where words are not parted by blanks, for anything.
 */
export const UNLISTED = {
  small:
    "il lo gli della delle di che non e sono ho questa per con nella o os as do da dos das um uma nao foi ja em na het de een niet zijn van voor op naar heb nie jest sie na z strona zostala zostal w czy och att det ikke inte og som er af ett tak sim ano evet al deze dit ik goed jij wij pagina bene stata stato sono sul nel alla piu cosi anche ancora rimane voce ainda sua seu continua maar ook ze blijft strone strony",
  notSo:
    "non nessun* niente nulla errore fallit* impossibile gia manca* resta* rimane* rimast* senza rifiutat* nao nenhum* nada erro falh* impossivel ja falta* continua* permanece* fica* sem negad* recusad* apenas niet niets geen fout* mislukt* onmogelijk al ontbre* blijft blijven zonder geweigerd* alleen nie nic zadn* blad* nieudan* niemozliw* juz brak* brakuje pozosta* bez odrzuc* tylko inte ikke ej ingen inget fel fejl feil misslyck* mislyk* redan allerede kvar не нет ничего ошибк* невозможно уже без отклон* отказ* оста* только немає помилк* ne neni nelze chyba chybi uz nem hiba degil hata yok zaten nu nimic eroare esuat lipse* tidak gagal khong ei jo lasci* lascio mantengo deixo deixei manti* mantive mantenho laat laten behoud* zostaw* zachow* *保留* *残* *留* *没* *未* *不* *无* *無* *失败* *失敗* *错误* *已经* *保持* *仍* *拒绝* *缺* *只* *ない* *ません* *できず* *エラー* *すでに* *既に* *まま* *のみ* *だけ* *않* *못* *없* *실패* *이미* *emedi* *amadi* *amadı* *emiyor* *amıyor* *ilmedi* *ılmadı* *ulmadı* *ülmedi* basarisiz* başarısız* reddedildi* nepodar* selha* neusp* sikertelen* epaonnist* virhe* esuat* refuzat* belum menolak ditolak chua loi tu choi nemoguc* neuspe* greska* nepavyko* klaida* ebaonnest* viga*",
  wish: "pubblica crea aggiungi elimina cancella rinomina modifica cambia sposta invia aggiorna togli metti publique crie adicione apague exclua remova renomeie mude altere envie atualize publiceer maak voeg verwijder wijzig verander hernoem verplaats stuur zet opublikuj utworz stworz dodaj usun zmien przenies wyslij zaktualizuj опубликуй* создай* добавь* удали* убери* переименуй* измени* поменяй* перемести* отправь* обнови* *发布* *新建* *创建* *添加* *删除* *改名* *修改* *移动* *发送* *更新* *公開して* *作成して* *追加して* *削除して* *変更して* *移動して* *送って* *更新して*",
  text: "traduci scrivi riassumi proponi traduza traduz escreva resuma sugira vertaal schrijf przetlumacz napisz stresc zaproponuj переведи* напиши* предложи* oversatt skriv *翻译* *写* *訳* *書いて* *번역*",
} as const;

/** Counts to twelve, so that "three pages" and `3` are one. */
export const NUMBERS: ReadonlyMap<string, string> = new Map(
  [
    "one two three four five six seven eight nine ten eleven twelve",
    "eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "une deux trois quatre cinq six sept huit neuf dix onze douze",
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "un both",
    "ein beide",
    "una ambos",
    "eine ambas",
    "§ beiden",
  ].flatMap((words) => words.split(" ").map((word, index) => [word, String(index + 1)] as const)),
);
