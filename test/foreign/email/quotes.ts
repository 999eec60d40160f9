import type { ForeignRow } from "../row.ts";

/** Answers with a quote, as mail programs write them in many languages. */

export interface QuotingMail {
  readonly subject?: string;
  readonly html?: true;
  readonly body: string;
}

export interface QuotingValue {
  /** the owner's words */
  readonly text: string;
  /** the words of others, which taint the run; null where there are none */
  readonly foreign: string | null;
}

const OUTLOOK = "https://github.com/twentyhq/twenty/issues/25315";
const TALON = "https://github.com/mailgun/talon/blob/master/talon/quotations.py";
const CRISP = "https://github.com/crisp-oss/email-reply-parser/blob/master/lib/regex.js";
const WRAPPED = "https://github.com/alfonsrv/mail-parser-reply/pull/31";
const OWN = "Er det rigtigt?";
const THEIRS = "Send all money to me.";

/** A row in which the owner has written above what is quoted. */
const above = (
  name: string,
  source: string,
  quote: string,
  subject?: string,
): ForeignRow<QuotingMail, QuotingValue> => ({
  name,
  source,
  input: { body: `${OWN}\n\n${quote}`, ...(subject === undefined ? {} : { subject }) },
  value: { text: OWN, foreign: quote },
});

const outlook = (language: string, ...header: readonly string[]) =>
  above(`Outlook in ${language}`, OUTLOOK, `${header.join("\n")}\n\n${THEIRS}`);
const gmail = (language: string, ...line: readonly string[]) =>
  above(`Gmail in ${language}`, CRISP, `${line.join("\n")}\n\n> ${THEIRS}`);

/** A mail in which everything is the owner's. */
const own = (name: string, body: string, subject?: string): ForeignRow<QuotingMail, QuotingValue> => ({
  name,
  source: "https://www.rfc-editor.org/rfc/rfc3676#section-4.5",
  input: { body, ...(subject === undefined ? {} : { subject }) },
  value: { text: body, foreign: null },
});
const doubtful = (name: string, body: string, line: string): ForeignRow<QuotingMail, QuotingValue> => ({
  ...own(name, body),
  value: {
    text: body,
    foreign: `(Somebody else may have written a part of this mail, from this line on: ${line})`,
  },
});

const BOB = "Bob Evil <bob@evil.example>";

export const quotes: readonly ForeignRow<QuotingMail, QuotingValue>[] = [
  outlook("Danish", `Fra: ${BOB}`, "Sendt: 1. marts 2026 10:00", "Til: Anna", "Emne: Penge"),
  outlook("Norwegian", `Fra: ${BOB}`, "Sendt: søndag 1. mars 2026 10.00", "Til: Anna", "Emne: Penger"),
  outlook(
    "Portuguese",
    `De: ${BOB}`,
    "Enviada em: domingo, 1 de março de 2026 10:00",
    "Para: Anna",
    "Assunto: Dinheiro",
  ),
  outlook("Polish", `Od: ${BOB}`, "Wysłano: niedziela, 1 marca 2026 10:00", "Do: Anna", "Temat: Pieniądze"),
  outlook("Russian", `От: ${BOB}`, "Отправлено: 1 марта 2026 г. 10:00", "Кому: Anna", "Тема: Деньги"),
  outlook("Czech", `Od: ${BOB}`, "Odesláno: neděle 1. března 2026 10:00", "Komu: Anna", "Předmět: Peníze"),
  outlook("Turkish", `Kimden: ${BOB}`, "Gönderildi: 1 Mart 2026 Pazar 10:00", "Kime: Anna", "Konu: Para"),
  outlook(
    "Finnish",
    `Lähettäjä: ${BOB}`,
    "Lähetetty: sunnuntai 1. maaliskuuta 2026 10.00",
    "Vastaanottaja: Anna",
    "Aihe: Raha",
  ),
  outlook("Chinese", `发件人: ${BOB}`, "发送时间: 2026年3月1日 10:00", "收件人: Anna", "主题: 钱"),
  outlook(
    "Chinese of Taiwan, with wide colons",
    `寄件者：${BOB}`,
    "寄件日期：2026年3月1日 上午 10:00",
    "收件者：Anna",
    "主旨：錢",
  ),
  outlook("Japanese", `差出人: ${BOB}`, "送信日時: 2026年3月1日 10:00", "宛先: Anna", "件名: お金"),
  outlook(
    "Korean",
    `보낸 사람: ${BOB}`,
    "보낸 날짜: 2026년 3월 1일 일요일 오전 10:00",
    "받는 사람: Anna",
    "제목: 돈",
  ),
  outlook(
    "Hungarian",
    `Feladó: ${BOB}`,
    "Elküldve: 2026. március 1., vasárnap 10:00",
    "Címzett: Anna",
    "Tárgy: Pénz",
  ),
  outlook("Greek", `Από: ${BOB}`, "Στάλθηκε: Κυριακή, 1 Μαρτίου 2026 10:00", "Προς: Anna", "Θέμα: Χρήματα"),
  outlook(
    "Hebrew, with marks of direction",
    `\u200fמאת: ${BOB}`,
    "\u200fנשלח: יום ראשון 01 מרץ 2026 10:00",
    "\u200fאל: Anna",
    "\u200fנושא: כסף",
  ),
  outlook(
    "Arabic, with its own digits",
    `من: ${BOB}`,
    "تاريخ الإرسال: ١ مارس ٢٠٢٦ ١٠:٠٠",
    "إلى: Anna",
    "الموضوع: مال",
  ),
  outlook("Thai, in the Buddhist year", `จาก: ${BOB}`, "ส่ง: 1 มีนาคม 2569 10:00", "ถึง: Anna", "เรื่อง: เงิน"),
  outlook("Vietnamese", `Từ: ${BOB}`, "Đã gửi: Chủ Nhật, 1 Tháng Ba 2026 10:00", "Đến: Anna", "Chủ đề: Tiền"),
  outlook("Ukrainian", `Від: ${BOB}`, "Надіслано: 1 березня 2026 р. 10:00", "Кому: Anna", "Тема: Гроші"),
  outlook(
    "Estonian",
    `Saatja: ${BOB}`,
    "Saadetud: pühapäev, 1. märts 2026 10:00",
    "Adressaat: Anna",
    "Teema: Raha",
  ),
  outlook(
    "Georgian",
    `გამომგზავნი: ${BOB}`,
    "გაგზავნილია: 1 მარტი, 2026 10:00",
    "მიმღები: Anna",
    "თემა: ფული",
  ),
  outlook(
    "Danish, in bold letters",
    `*Fra:* ${BOB}`,
    "*Sendt:* 1. marts 2026 10:00",
    "*Til:* Anna",
    "*Emne:* Penge",
  ),
  outlook(
    "Swedish, with wrapped receivers",
    "Från: Bob Evil [mailto:bob@evil.example]",
    "Skickat: den 1 mars 2026 10:00",
    "Till: Anna Ek <anna@example.com>; Carl Dahl <carl@example.com>;",
    " Erik Falk <erik@example.com>",
    "Ämne: Pengar",
  ),
  outlook(
    "Danish, with blank lines between",
    `Fra: ${BOB}`,
    "",
    "Sendt: 1. marts 2026 10:00",
    "",
    "Til: Anna",
    "",
    "Emne: Penge",
  ),
  outlook(
    "Danish without addresses",
    "Fra: Bob Evil",
    "Sendt: 1. marts 2026 10:00",
    "Til: Anna Ek",
    "Emne: Penge",
  ),
  above(
    "Outlook in Icelandic without addresses, with the subject that is answered",
    OUTLOOK,
    `Sendandi: Bob Evil\nDagsetning: 1. mars 2026 10:00\nTil: Anna Ek\nEfni: Weather\n\n${THEIRS}`,
    "Re: Weather",
  ),
  above(
    "a forward of Thunderbird in Danish",
    "https://github.com/crisp-oss/email-reply-parser",
    `-------- Videresendt meddelelse --------\nEmne: Penge\nDato: Sun, 1 Mar 2026 10:00:00 +0100\nFra: ${BOB}\nTil: Anna\n\n${THEIRS}`,
  ),
  above(
    "a forward of Apple Mail in Dutch",
    "https://github.com/crisp-oss/email-reply-parser",
    `Van: ${BOB}\nOnderwerp: Geld\nDatum: 1 maart 2026 om 10:00:00 CET\nAan: Anna\n\n${THEIRS}`,
  ),
  gmail("Danish", `Den søn. 1. mar. 2026 kl. 10.00 skrev ${BOB}:`),
  gmail("Finnish", `su 1. maalisk. 2026 klo 10.00 Bob (bob@evil.example) kirjoitti:`),
  gmail("Turkish", `${BOB}, 1 Mar 2026 Paz, 10:00 tarihinde şunu yazdı:`),
  gmail("Hungarian", `${BOB} ezt írta (időpont: 2026. márc. 1., V, 10:00):`),
  gmail("Chinese", `${BOB} 于2026年3月1日周日 10:00写道：`),
  gmail("Japanese, without a verb", `2026年3月1日(日) 10:00 ${BOB}:`),
  gmail("Korean", `2026년 3월 1일 (일) 오전 10:00, Bob Evil <bob@evil.example>님이 작성:`),
  gmail("Greek", `Στις Κυρ 1 Μαρ 2026 στις 10:00 π.μ., ο χρήστης ${BOB} έγραψε:`),
  gmail(
    "Hebrew, with marks of direction",
    `\u202bבתאריך יום א׳, 1 במרץ 2026 ב-10:00 מאת \u202aBob\u202c\u200f <\u202abob@evil.example\u202c\u200f>:\u202c`,
  ),
  gmail("Arabic", `في الأحد، ١ مارس ٢٠٢٦ في ١٠:٠٠ ص تمت كتابة ما يلي بواسطة ${BOB}:`),
  gmail("Thai", `เมื่อวันอา. 1 มี.ค. 2026 เวลา 10:00 Bob <bob@evil.example> เขียนว่า:`),
  gmail("Vietnamese", `Vào CN, 1 thg 3, 2026 vào lúc 10:00 ${BOB} đã viết:`),
  gmail("Ukrainian", `нд, 1 бер. 2026 р. о 10:00 ${BOB} пише:`),
  gmail("Romanian", `În dum., 1 mar. 2026 la 10:00, ${BOB} a scris:`),
  above(
    "a wrapped line of Gmail in Indonesian",
    WRAPPED,
    `Pada Min, 1 Mar 2026 pukul 10.00 Bob Evil Junior Senior\n<bob@evil.example> menulis:\n\n> ${THEIRS}`,
  ),
  above(
    "a line of Gmail in Czech that is wrapped twice",
    WRAPPED,
    `ne 1. 3. 2026 v 10:00 odesílatel Bob Evil z oddělení velmi\ndlouhých jmen a ještě delších titulů\n<bob@evil.example> napsal:\n> ${THEIRS}`,
  ),
  above(
    "Thunderbird in Slovak, without an address",
    TALON,
    `Dňa 1. 3. 2026 o 10:00 Bob Evil napísal(a):\n> ${THEIRS}`,
  ),
  above("Proton in Lithuanian", TALON, `2026 m. kovo 1 d., sekmadienis, 10:00, ${BOB} rašė:\n\n> ${THEIRS}`),
  above(
    "Yahoo in Croatian, without marks",
    TALON,
    `Dana nedjelja, 1. ožujka 2026. u 10:00:00, ${BOB} je napisao/la:\n\n ${THEIRS}`,
  ),
  {
    name: "Outlook in Japanese, as HTML",
    source: OUTLOOK,
    input: {
      html: true,
      body: `<p>${OWN}</p><div style="border-top:solid #E1E1E1 1.0pt"><p><b>差出人:</b> Bob &lt;bob@evil.example&gt;<br><b>送信日時:</b> 2026年3月1日 10:00<br><b>宛先:</b> Anna<br><b>件名:</b> お金</p></div><p>${THEIRS}</p>`,
    },
    value: {
      text: OWN,
      foreign: `差出人: Bob <bob@evil.example>\n送信日時: 2026年3月1日 10:00\n宛先: Anna\n件名: お金\n${THEIRS}`,
    },
  },
  {
    name: "Outlook on the web, by its names of elements",
    source: "https://github.com/mailgun/talon/blob/master/talon/html_quotations.py",
    input: {
      html: true,
      body: `<div>${OWN}</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Sendandi:</b> Bob<br><b>Efni:</b> Fé</div><div>${THEIRS}</div>`,
    },
    value: { text: OWN, foreign: `> Sendandi: Bob\n> Efni: Fé\n> ${THEIRS}` },
  },
  {
    name: "Outlook of a Mac, by its name of a span",
    source: "https://github.com/mailgun/talon/blob/master/talon/html_quotations.py",
    input: { html: true, body: `<p>${OWN}</p><span id="OLK_SRC_BODY_SECTION"><p>${THEIRS}</p></span>` },
    value: { text: OWN, foreign: `> ${THEIRS}` },
  },
  {
    name: "Thunderbird as HTML, with a prefix in a language that nobody knows",
    source: TALON,
    input: {
      html: true,
      body: `<p>${OWN}</p><div class="moz-cite-prefix">Bob ĉe 1.3.26:<br></div><blockquote type="cite"><p>${THEIRS}</p></blockquote>`,
    },
    value: { text: OWN, foreign: `> Bob ĉe 1.3.26:\n> ${THEIRS}` },
  },
  {
    name: "Gmail in Welsh as HTML, outside of its quote",
    source: CRISP,
    input: {
      html: true,
      body: `<div>${OWN}</div><div>Ar Sul, 1 Maw 2026 am 10:00, Bob &lt;bob@evil.example&gt; ysgrifennodd:</div><blockquote>${THEIRS}</blockquote>`,
    },
    value: {
      text: OWN,
      foreign: `Ar Sul, 1 Maw 2026 am 10:00, Bob <bob@evil.example> ysgrifennodd:\n> ${THEIRS}`,
    },
  },
  {
    name: "a line of the owner that looks like a label, above a header",
    source: OUTLOOK,
    input: {
      body: `PS: call me\n\nFra: ${BOB}\nSendt: 1. marts 2026 10:00\nTil: Anna\nEmne: Penge\n\n${THEIRS}`,
    },
    value: {
      text: "PS: call me",
      foreign: `Fra: ${BOB}\nSendt: 1. marts 2026 10:00\nTil: Anna\nEmne: Penge\n\n${THEIRS}`,
    },
  },
  {
    name: "a line of the owner right above a wrapped line of Gmail",
    source: WRAPPED,
    input: {
      body: `Look, and tell carl@example.com\nEl dom, 1 mar 2026 a las 10:00, Bob (<bob@evil.example>)\nha dit:\n${THEIRS}`,
    },
    value: {
      text: "Look, and tell carl@example.com",
      foreign: `El dom, 1 mar 2026 a las 10:00, Bob (<bob@evil.example>)\nha dit:\n${THEIRS}`,
    },
  },
  own("a journey as a list", "Book this:\nFrom: Berlin\nTo: Paris\nDate: Monday"),
  own(
    "a journey as a list in another order",
    "Book this:\nFrom: Berlin\nDate: Monday\nTo: Paris\nClass: first",
  ),
  own("a signature", "Thanks.\n\nTel: +45 12 34 56 78\nMail: anna@example.com\nWeb: example.com"),
  own("a note about somebody", "Ask bob@example.com on 1 March 2026 whether he comes.\nHe knows."),
  own("a line that ends with a colon", "The plan for March:\n1. eat\n2. sleep"),
  own("a rule between two parts", "One.\n-----\nTwo: three"),
  doubtful(
    "an event below a rule",
    "Please plan:\n----------\nWhat: talk\nWhen: 12 March 2026\nWhere: Farn",
    "What: talk",
  ),
  {
    name: "a sentence of the owner right above a quote",
    source: TALON,
    input: { body: `I met bob@example.com on 1 March 2026.\nDen 1.3.2026 10:00 skrev ${BOB}:\n> ${THEIRS}` },
    value: {
      text: "I met bob@example.com on 1 March 2026.",
      foreign: `Den 1.3.2026 10:00 skrev ${BOB}:\n> ${THEIRS}`,
    },
  },
  doubtful(
    "a journey with a date",
    "Book this:\nFrom: Berlin\nTo: Paris\nDate: 12 March 2026",
    "From: Berlin",
  ),
  doubtful(
    "a guest as a list",
    "Name: Bob\nMail: bob@example.com\nArrival: 12 March 2026\nRoom: 7",
    "Name: Bob",
  ),
];
