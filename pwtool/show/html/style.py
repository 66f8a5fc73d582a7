"""How the pages of comparisons look, and the little script that steps through games on them."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 60rem; background: #fff; color: #1b1b1b;
  font: 1rem/1.45 Helvetica, Arial, "Liberation Sans", "DejaVu Sans", "Noto Sans", sans-serif; }
h1 { margin: 0 0 .4rem; font-size: 1.6rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 1.8rem 0 .6rem; font-size: 1.2rem; line-height: 1.25; break-after: avoid; }
h3 { margin: .2rem 0 .3rem; font-size: 1.02rem; line-height: 1.25; }
p { margin: .3rem 0; }
code { font: .84em/1.4 "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
li { margin: .25rem 0; }
.about, .source { color: #555; font-size: .85rem; }
.source { margin-top: .35rem; }
.row, .game { margin: .5rem 0; border: 1px solid #c4c4c4; border-radius: .5rem; break-inside: avoid; }
.row > summary { padding: .6rem .9rem; cursor: pointer; }
.row > summary:focus-visible, .game:focus-visible, button:focus-visible { outline: 3px solid #1d5fa8; outline-offset: 1px; }
.row .kind { color: #555; }
.row .verdict { display: block; font-size: .88rem; color: #444; }
.inside { padding: 0 .9rem .7rem; }
.sides { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
.side { min-width: 0; padding: .55rem .7rem; background: #f5f5f3; border-radius: .4rem; overflow-wrap: anywhere; }
.side h3 { font-size: .82rem; color: #555; font-weight: normal; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; }
td.by { padding-left: 1.6rem; color: #444; }
td.letter, th.letter { text-align: center; min-width: 2.2rem; overflow-wrap: normal; }
tr.nature th { padding-top: .9rem; }
.scroll { overflow-x: auto; }
.game { padding: .8rem .9rem; }
.buttons { display: none; gap: .5rem; align-items: center; margin: .5rem 0; flex-wrap: wrap; }
button { font: inherit; padding: .45rem .9rem; border: 1px solid #888; border-radius: .4rem; background: #fff; color: inherit; cursor: pointer; }
button:disabled { color: #767676; border-color: #ccc; cursor: default; }
.step { margin: .8rem 0 0; break-inside: avoid; }
.step figcaption { margin-bottom: .4rem; min-height: 2.9rem; }
.board { overflow-x: auto; }
.board svg { min-width: 38rem; }
.parts { position: absolute; }
.refused { color: #9c1c1c; font-weight: bold; }
.moves { padding: 0; list-style: none; color: #333; font-size: .85rem; }
.scripted .moves { display: none; }
.scripted .buttons { display: flex; }
.scripted .step { display: none; }
.scripted .step.shown { display: block; }
@page { size: A4; margin: 14mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h1 { font-size: 16pt; } h2 { font-size: 12pt; margin: 5mm 0 2mm; } h3 { font-size: 10pt; }
  .row > summary { list-style: none; padding: 2mm 3mm 1mm; }
  .row > summary::-webkit-details-marker { display: none; }
  .row::details-content { content-visibility: visible; display: block; height: auto; }
  .inside { padding: 0 3mm 2mm; }
  .sides { grid-template-columns: 1fr 1fr; }
  .buttons, .scripted .buttons { display: none; }
  .board svg { min-width: 0; max-height: 110mm; width: auto; }
  .game > h3 { break-after: avoid; }
  .scripted .moves { display: block; }
  .moves { margin: 2mm 0; font-size: 8.5pt; line-height: 1.3; }
  .moves li { margin: .5mm 0; }
  /* On paper a game is its moves and the board on which it is decided. */
  .scripted .step.shown { display: none; }
  .scripted .step.deciding { display: block; }
}
"""

SCRIPT = """
(function () {
  "use strict";
  document.querySelectorAll(".game").forEach(function (game) {
    var steps = Array.prototype.slice.call(game.querySelectorAll(".step"));
    var back = game.querySelector("[data-go='-1']"), on = game.querySelector("[data-go='1']");
    var count = game.querySelector(".count"), at = 0;
    function show(to) {
      var left = steps[at].querySelector(".board").scrollLeft;
      at = Math.max(0, Math.min(steps.length - 1, to));
      steps.forEach(function (step, number) { step.classList.toggle("shown", number === at); });
      back.disabled = at === 0;
      on.disabled = at === steps.length - 1;
      steps[at].querySelector(".board").scrollLeft = left;
      count.textContent = (at + 1) + " / " + steps.length;
    }
    game.classList.add("scripted");
    game.tabIndex = 0;
    back.addEventListener("click", function () { show(at - 1); });
    on.addEventListener("click", function () { show(at + 1); });
    game.addEventListener("keydown", function (event) {
      var to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) { return; }
      event.preventDefault();
      show(to);
    });
    show(0);
  });
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.filter.call(document.querySelectorAll("details"), function (d) { return !d.open; });
    closed.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { closed.forEach(function (d) { d.open = false; }); });
}());
"""
