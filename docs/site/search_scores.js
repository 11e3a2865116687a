// How the search of the site ranks. Weights that have no comment are those of Sphinx.
const FOR_BEGINNERS = /^(start|faq|howto\/.*)$/;
const OF_A_CLASS = /^Python (method|property|attribute)/;
var Scorer = {
  // Pages for beginners come early. Of several words, a heading that contains them all comes
  // first; Sphinx by itself prefers pages that have one of the words in a heading.
  // A function comes before the members of classes that have its name.
  score: ([page, title, anchor, about, score, file, kind]) => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const all = kind === "title" && asked.trim().includes(" ") ? 15 : 0;
    const member = OF_A_CLASS.test(about ?? "") ? -4 : 0;
    return score + all + member + (FOR_BEGINNERS.test(page) ? 8 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 1, // methods that merely contain the word come late
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
