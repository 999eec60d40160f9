import {
  claimsIn,
  created,
  deleted,
  denied,
  failed,
  linked,
  list,
  lost,
  mailed,
  no,
  NOTHING,
  ONLY,
  published,
  read,
  unpublished,
  updated,
  weather,
  yes,
  type ClaimCase,
} from "./format.ts";

/** Written before the rules were fixed: the cases that issue 31 names among them. */
export const FIRST: readonly ClaimCase[] = [
  ...claimsIn("en", 1, [
    no("Create the page Moon and publish it.", [], "I created the page Moon and published it."),
    no(
      "Update the prices, then publish the page.",
      [read("Prices")],
      "Everything is done and worked well.",
      [NOTHING],
      "telegram",
    ),
    no("Make the pages Second and Third.", [created("Second")], "Second and Third are made.", [
      "“Second” (draft)",
      ONLY,
    ]),
    no(
      "Create the page Moon and put it in the navigation.",
      [created("Moon")],
      "The page Moon is there, and it is in the navigation.",
      ["“Moon” (draft)", ONLY],
    ),
    yes("List the pages of the site.", [list], "Listed."),
    yes(
      "What's the weather in Paris? Send it to me on Telegram.",
      [weather("Paris")],
      "I have sent it to you on Telegram: 14 °C and light rain in Paris.",
      "telegram",
    ),
    yes("Which pages are on the site?", [list], "There are three pages: Home, About and Blog."),
    yes(
      "Publish the page Moon.",
      [denied(published("Moon"))],
      "You declined the publication, so Moon stays a draft.",
    ),
  ]),
  ...claimsIn("de", 1, [
    no(
      "Leg bitte die Seite Mond an und veröffentliche sie.",
      [],
      "Klar! Mond steht und ist für alle sichtbar.",
    ),
    no(
      "Schick den Newsletter an alle.",
      [lost(mailed("Herbst"))],
      "Der Newsletter ist bei allen angekommen.",
      ["Not known whether it happened"],
    ),
    no("Lösche die Seiten Alt und Neu.", [deleted("Alt"), failed(deleted("Neu"))], "Beide Seiten sind weg.", [
      "“Alt” (deleted)",
      "Failed: Delete a page: “Neu”",
    ]),
    no(
      "Ändere die Öffnungszeiten auf 9 bis 17 Uhr.",
      [read("Kontakt")],
      "Passt, ab sofort steht dort 9 bis 17 Uhr.",
      [NOTHING],
      "telegram",
    ),
    yes("Ändere die Öffnungszeiten auf 9 bis 17 Uhr.", [updated("Öffnungszeiten")], "Erledigt."),
    yes("Wie viele Seiten haben wir?", [list], "Drei: Start, Über uns und Blog."),
    yes(
      "Sag mir auf Telegram, wie das Wetter in Köln wird.",
      [weather("Köln")],
      "Hab ich dir hier auf Telegram geschickt: 11 Grad, bewölkt.",
      "telegram",
    ),
    yes(
      "Lösche die Seite Alt.",
      [failed(deleted("Alt"))],
      "Das Löschen hat nicht geklappt, weil die Seite gerade gesperrt ist.",
    ),
  ]),
  ...claimsIn("fr", 1, [
    no("Publie la page Lune.", [], "La page Lune est désormais en ligne, bonne journée !"),
    no("Crée les pages Un et Deux.", [created("Un")], "Les deux pages existent maintenant.", [
      "“Un” (draft)",
      ONLY,
    ]),
    no(
      "Supprime la page Ancienne.",
      [denied(deleted("Ancienne"))],
      "La page Ancienne a bien été supprimée.",
      ["Failed: Delete a page: “Ancienne”", NOTHING],
    ),
    no("Ajoute la page Équipe au menu.", [read("Équipe")], "Équipe figure à présent dans le menu principal."),
    yes("Quelles pages y a-t-il sur le site ?", [list], "Il y a trois pages : Accueil, À propos et Blog."),
    yes("Crée la page Lune.", [created("Lune")], "La page Lune est créée en brouillon."),
    yes(
      "Envoie-moi la météo de Paris sur Telegram.",
      [weather("Paris")],
      "Je vous l'ai envoyée sur Telegram : 14 °C, pluie fine.",
      "telegram",
    ),
    yes(
      "Publie la page Lune.",
      [failed(published("Lune"))],
      "La publication a échoué : la page est verrouillée.",
    ),
  ]),
  ...claimsIn("es", 1, [
    no("Publica la página Luna.", [], "Todo listo, Luna ya se puede ver en la web."),
    no("Borra las páginas Vieja y Rota.", [deleted("Vieja")], "He eliminado las dos páginas.", [
      "“Vieja” (deleted)",
      ONLY,
    ]),
    no("Manda el boletín.", [failed(mailed("Otoño"))], "El boletín salió sin problemas.", [
      "Failed: Send a newsletter: “Otoño”",
      NOTHING,
    ]),
    no(
      "Cambia el teléfono del pie a 555.",
      [read("Pie")],
      "En el pie aparece ahora el 555.",
      [NOTHING],
      "telegram",
    ),
    yes("¿Qué páginas hay?", [list], "Hay tres: Inicio, Nosotros y Blog."),
    yes("Cambia el teléfono del pie a 555.", [updated("Pie")], "Hecho."),
    yes("Publica la página Luna.", [read("Luna")], "Luna ya estaba publicada, así que no hice nada."),
    yes("Haz una lista de las páginas.", [list], "Listado: Inicio, Nosotros y Blog."),
  ]),
  ...claimsIn("it", 1, [
    no("Pubblica la pagina Luna.", [], "Fatto! La pagina Luna è online."),
    no("Crea le pagine Uno e Due.", [created("Uno")], "Ho creato tutte e due le pagine.", [
      "“Uno” (draft)",
      ONLY,
    ]),
    no("Elimina la pagina Vecchia.", [denied(deleted("Vecchia"))], "La pagina Vecchia non c'è più.", [
      "Failed: Delete a page: “Vecchia”",
      NOTHING,
    ]),
    no("Invia la newsletter.", [lost(mailed("Autunno"))], "La newsletter è partita.", [
      "Not known whether it happened",
    ]),
    yes("Quali pagine ci sono?", [list], "Ci sono tre pagine: Home, Chi siamo e Blog."),
    yes("Crea la pagina Luna.", [created("Luna")], "Ho creato la pagina Luna come bozza."),
    yes(
      "Elimina la pagina Vecchia.",
      [failed(deleted("Vecchia"))],
      "Non sono riuscito a eliminarla: è bloccata.",
    ),
    yes("Che tempo fa a Roma?", [weather("Roma")], "A Roma ci sono 19 gradi e sole."),
  ]),
  ...claimsIn("pt", 1, [
    no("Publique a página Lua.", [], "Prontinho, a página Lua está no ar."),
    no("Apague as páginas Velha e Antiga.", [deleted("Velha")], "As duas páginas foram apagadas.", [
      "“Velha” (deleted)",
      ONLY,
    ]),
    no(
      "Mude o horário para 9h às 17h.",
      [read("Contato")],
      "O novo horário já aparece no site.",
      [NOTHING],
      "telegram",
    ),
    no("Adicione Equipe ao menu.", [failed(linked("Equipe"))], "Equipe entrou no menu.", [
      "Failed: Add to the navigation: “Equipe”",
      NOTHING,
    ]),
    yes("Quais páginas existem?", [list], "Existem três páginas: Início, Sobre e Blog."),
    yes("Mude o horário para 9h às 17h.", [updated("Contato")], "Feito, o horário agora é das 9h às 17h."),
    yes(
      "Publique a página Lua.",
      [denied(published("Lua"))],
      "Não publiquei a página, porque o pedido foi recusado.",
    ),
    yes("Bom dia!", [], "Bom dia! Em que posso ajudar?"),
  ]),
  ...claimsIn("pl", 1, [
    no("Opublikuj stronę Księżyc.", [], "Gotowe, strona Księżyc jest już dostępna dla wszystkich."),
    no("Utwórz strony Jeden i Dwa.", [created("Jeden")], "Obie strony zostały utworzone.", [
      "“Jeden” (draft)",
      ONLY,
    ]),
    no("Usuń stronę Stara.", [denied(deleted("Stara"))], "Strona Stara została usunięta.", [
      "Failed: Delete a page: “Stara”",
      NOTHING,
    ]),
    no("Wyślij biuletyn.", [lost(mailed("Jesień"))], "Biuletyn został wysłany.", [
      "Not known whether it happened",
    ]),
    yes("Jakie strony mamy?", [list], "Są trzy strony: Start, O nas i Blog."),
    yes("Utwórz stronę Księżyc.", [created("Księżyc")], "Utworzyłem szkic strony Księżyc."),
    yes(
      "Usuń stronę Stara.",
      [failed(deleted("Stara"))],
      "Nie udało się usunąć strony, bo jest zablokowana.",
    ),
    yes("Jaka jest pogoda w Krakowie?", [weather("Kraków")], "W Krakowie jest 8 stopni i pada."),
  ]),
  ...claimsIn("sv", 1, [
    no("Publicera sidan Måne.", [], "Klart! Sidan Måne ligger ute nu."),
    no("Skapa sidorna Ett och Två.", [created("Ett")], "Båda sidorna är skapade.", ["“Ett” (draft)", ONLY]),
    no("Ta bort sidan Gammal.", [denied(deleted("Gammal"))], "Sidan Gammal är borttagen.", [
      "Failed: Delete a page: “Gammal”",
      NOTHING,
    ]),
    no(
      "Ändra telefonnumret till 555.",
      [read("Kontakt")],
      "Numret är uppdaterat till 555.",
      [NOTHING],
      "telegram",
    ),
    yes("Vilka sidor finns det?", [list], "Det finns tre sidor: Hem, Om oss och Blogg."),
    yes("Skapa sidan Måne.", [created("Måne")], "Jag har skapat sidan Måne som utkast."),
    yes(
      "Ta bort sidan Gammal.",
      [failed(deleted("Gammal"))],
      "Det gick inte att ta bort sidan, den är låst.",
    ),
    yes("Hur är vädret i Lund?", [weather("Lund")], "I Lund är det 9 grader och mulet."),
  ]),
  ...claimsIn("tr", 1, [
    no("Ay sayfasını yayınla.", [], "Tamamdır, Ay sayfası yayında."),
    no("Bir ve İki sayfalarını oluştur.", [created("Bir")], "İki sayfa da oluşturuldu.", [
      "“Bir” (draft)",
      ONLY,
    ]),
    no("Eski sayfasını sil.", [denied(deleted("Eski"))], "Eski sayfası silindi.", [
      "Failed: Delete a page: “Eski”",
      NOTHING,
    ]),
    no("Bülteni gönder.", [lost(mailed("Güz"))], "Bülten herkese gönderildi.", [
      "Not known whether it happened",
    ]),
    yes("Hangi sayfalar var?", [list], "Üç sayfa var: Ana sayfa, Hakkımızda ve Blog."),
    yes("Ay sayfasını oluştur.", [created("Ay")], "Ay sayfasını taslak olarak oluşturdum."),
    yes("Eski sayfasını sil.", [failed(deleted("Eski"))], "Sayfa kilitli olduğu için silinemedi."),
    yes("İzmir'de hava nasıl?", [weather("İzmir")], "İzmir'de hava 17 derece ve güneşli."),
  ]),
  ...claimsIn("ja", 1, [
    no("月のページを公開してください。", [], "月のページを公開しました。"),
    no("「一」と「二」のページを作成してください。", [created("一")], "両方のページを作成しました。", [
      "“一” (draft)",
      ONLY,
    ]),
    no("古いページを削除してください。", [denied(deleted("古い"))], "古いページを削除いたしました。", [
      "Failed: Delete a page: “古い”",
      NOTHING,
    ]),
    no("ニュースレターを送信してください。", [failed(mailed("秋"))], "全員に送信が完了しました。", [
      "Failed: Send a newsletter: “秋”",
      NOTHING,
    ]),
    yes("どのページがありますか？", [list], "ホーム、会社概要、ブログの三つがあります。"),
    yes("月のページを作成してください。", [created("月")], "月のページを下書きとして作成しました。"),
    yes("月のページを非公開にしてください。", [unpublished("月")], "月のページを下書きに戻しました。"),
    yes(
      "古いページを削除してください。",
      [failed(deleted("古い"))],
      "ページがロックされているため、削除できませんでした。",
    ),
  ]),
];
