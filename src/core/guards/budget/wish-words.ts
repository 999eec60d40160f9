/**
 * The words by which an input is put into a class (guards 3), in English, German, French and Spanish: lower case, as people
 * write them. Data only; a language that is missing here is classed by form alone.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Greetings, thanks and farewells, and what stands around them. */
export const COURTESIES = words(`
  hi hello hey hiya yo morning afternoon evening good night thanks thank thx ty cheers bye goodbye cya see you later
  welcome nice great cool perfect awesome lovely very much so many a lot there again all everyone cairn
  hallo moin servus guten morgen tag abend nacht danke vielen dank schön schoen dankeschön tschüss tschuess ciao bis bald später super prima toll sehr euch allerseits
  bonjour bonsoir salut coucou merci beaucoup bien au revoir à bientôt adieu bonne nuit journée soirée parfait tous
  hola buenos buenas días dias tardes noches gracias muchas adiós adios hasta luego mañana perfecto genial todos
`);

/** A yes to what is open: every word of the input is one of these. */
export const GO_AHEADS = words(`
  yes yep yeah yup ok okay k sure fine go ahead do it that this proceed continue please right correct exactly agreed approved sounds good great perfect now then start on with
  ja jo jawohl gern gerne bitte mach machen das es los weiter einverstanden genau richtig passt klar in ordnung leg
  oui ouais d'accord daccord vas-y allez-y allez continue continuez s'il te vous plaît plait fais-le faites-le bien sûr parfait c'est bon
  sí si vale claro dale adelante hazlo hágalo sigue continúa continua por favor de acuerdo correcto exacto está bien
`);

/** Of those, what alone is a yes: an input of "please" or "this" is none. */
export const YESES = words(`
  yes yep yeah yup ok okay k sure fine go do proceed continue right correct exactly agreed approved good start
  ja jo jawohl gern gerne mach machen los weiter einverstanden genau richtig passt klar ordnung
  oui ouais d'accord daccord vas-y allez-y allez continue continuez fais-le faites-le sûr parfait bon
  sí si vale claro dale adelante hazlo hágalo sigue continúa continua acuerdo correcto exacto bien
`);

/** First words that take an earlier run up again. */
export const RESUMES = words(`
  continue resume weiter fortsetzen weitermachen continue continuer continuez reprends reprenez continúa continua sigue retoma
`);

/** First words that ask to keep something in mind. */
export const REMEMBERS = words(`
  remember note merke merk notiere notier retiens souviens-toi rappelle-toi note noter recuerda anota apunta
`);

/** Words that order research wherever they stand. */
export const RESEARCH_FORMS = words(`
  investigate researching investigating
  recherchiere recherchieren vergleiche vergleichen untersuche untersuchen
  rechercher recherchez comparer comparez enquêter enquêtez
  investiga investigar investigue compara comparar
`);

/** Those that are nouns as well, so that they count only where a verb may stand. */
export const RESEARCH_VERBS = words("research compare survey recherche");

/** What stands before a verb that orders something; the start of a clause does too. */
export const BEFORE_VERBS = words(`
  and then to please you also just now we i must should first next lets let's can could
  und dann bitte zu auch erst et puis veuillez ensuite d'abord y luego entonces por favor
`);

/** With one of the things below it is research as well. */
export const FINDS = words(`
  find finde finden such suche suchen trouve trouver trouvez cherche chercher cherchez busca buscar encuentra encontrar
`);
export const FINDABLES = words(`
  article articles paper papers source sources artikel studien quellen publikationen étude études artículo artículos
  fuente fuentes estudio estudios publicaciones
`);

/** What research is to come to. */
export const OUTPUTS = words(`
  report reports source sources table tables citation citations
  bericht berichte quelle quellen tabelle tabellen zitate belege
  rapport rapports tableau tableaux citations
  informe informes reporte fuente fuentes tabla tablas citas
`);

/** Words that join one wish to the next. */
export const JOINERS = words(`
  and then also after afterwards und dann danach auch anschließend et puis ensuite aussi après y e luego después también entonces
`);

/** Verbs that change something, each with its forms: two of one line are one verb. */
export const EFFECT_VERBS: readonly ReadonlySet<string>[] = [
  "create make build erstelle erstellen erzeuge baue bauen leg lege anlegen crée créer créez crea crear",
  "add insert append füge hinzufügen ergänze ergänzen einfügen ajoute ajouter ajoutez añade añadir agrega agregar",
  "update change edit modify adjust ändere ändern aktualisiere aktualisieren bearbeite bearbeiten modifie modifier modifiez change changer cambia cambiar actualiza actualizar edita editar",
  "delete remove erase lösche löschen entferne entfernen supprime supprimer supprimez enlève borra borrar elimina eliminar quita",
  "publish unpublish veröffentliche veröffentlichen publie publier publiez publica publicar",
  "send email schicke schicken sende senden verschicke envoie envoyer envoyez envía enviar manda",
  "write draft compose schreibe schreib schreiben verfasse écris écrire écrivez rédige rédiger escribe escribir redacta",
  "move reorder verschiebe verschieben déplace déplacer mueve mover",
  "rename umbenenne umbenennen renomme renommer renombra renombrar",
  "upload import hochladen lade importiere télécharge importe importer sube subir importa",
  "schedule plane planen planifie planifier programma programa programar",
  "translate übersetze übersetzen traduis traduire traduisez traduce traducir",
  "replace ersetze ersetzen remplace remplacer reemplaza sustituye",
  "fix repair repariere reparieren behebe korrigiere corrige corriger réparer arregla arreglar corregir",
].map(words);
