// How the search of the site ranks: pages for beginners come before methods that merely contain the word.
const FOR_BEGINNERS = /^(start|faq|howto\/.*)$/;
var Scorer = {
  score: ([page, title, anchor, about, score]) => score + (FOR_BEGINNERS.test(page) ? 8 : 0),
  objNameMatch: 11,
  objPartialMatch: 1,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
