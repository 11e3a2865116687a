// How the site's search orders its results. The weights are those that Sphinx has by itself.
var Scorer = {
  // A heading that contains all of several words comes first. By itself Sphinx prefers pages
  // that have one of the words in a heading.
  score: ([page, title, anchor, description, score, file, kind]) => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    return kind === "title" && asked.trim().includes(" ") ? score + 15 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
