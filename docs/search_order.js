// How the search of the site orders pages: what users read comes before decisions, changes and the reference of codes.
var Scorer = {
  score: function (result) {
    const page = result[0], found = result[4];
    if (/^(decisions|changelog|contributing|architecture|benchmarks|api_reference|library)/.test(page)) { return found - 100; }
    if (/^errors/.test(page)) { return found - 20; }
    return /^(first_|objectives|editions|idioms|recipes|learn|troubleshooting|studio)/.test(page) ? found + 10 : found;
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
