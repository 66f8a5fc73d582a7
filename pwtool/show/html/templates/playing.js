// Steps through the games of a page. A game is what stands in its data: the places of the table, what lies there at first,
// and for every step what changes. The position of a step is the one before its move.
(function () {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg", CELL = 66, PACE = 1400;

  function make(name, attributes, parent) {
    const node = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (parent) { parent.appendChild(node); }
    return node;
  }
  function plain(name, css, text, parent) {
    const node = document.createElement(name);
    if (css) { node.className = css; }
    if (text) { node.textContent = text; }
    if (parent) { parent.appendChild(node); }
    return node;
  }
  function filled(text) {
    const values = arguments;
    return text.replace(/\{(\d)\}/g, function (_, at) { return values[Number(at) + 1]; });
  }
  const names = {};
  function nameOf(picture) {
    if (names[picture] === undefined) {
      const title = document.querySelector("#s" + picture + " title");
      names[picture] = title ? title.textContent : "";
    }
    return names[picture];
  }

  // ---- what lies where

  function applied(contents, places, changes) {
    const after = contents.slice();
    changes.forEach(function (change) {
      const at = change[0];
      if (places[at].k !== "grid") { after[at] = change[1]; return; }
      const cells = Object.assign({}, after[at]);
      change[1].forEach(function (cell) {
        if (cell.length > 1) { cells[cell[0]] = cell.slice(1); } else { delete cells[cell[0]]; }
      });
      after[at] = cells;
    });
    return after;
  }
  function without(list, taken) {
    const rest = taken.slice();
    return list.filter(function (one) {
      const at = rest.indexOf(one);
      if (at >= 0) { rest.splice(at, 1); }
      return at < 0;
    });
  }

  // Equal things as one, with how many there are where that is more than one.
  function together(content) {
    const counts = new Map();
    content.forEach(function (picture) { counts.set(picture, (counts.get(picture) || 0) + 1); });
    return Array.from(counts, function (one) { return [one[0], "×", one[1] > 1 ? one[1] : 0]; });
  }

  // ---- the drawing of a place

  function badge(parent, text, x, y) {
    const wide = 9 + 8 * text.length, node = make("g", { "class": "badge" }, parent);
    make("rect", { x: x - wide, y: y, width: wide, height: 17, rx: 8.5 }, node);
    make("text", { x: x - wide / 2, y: y + 13, "text-anchor": "middle" }, node).textContent = text;
  }

  // A card with what lies below it, or (sign ×) with how many are the same.
  function card(parent, x, y, picture, below, css, sign, alone) {
    const node = make("g", { "class": css || "", transform: "translate(" + x + " " + y + ")" }, parent);
    for (let layer = alone || sign === "×" ? 0 : Math.min(below, 2); layer > 0; layer -= 1) {
      make("rect", { "class": "under", x: 3 + 2.2 * layer, y: 3 + 2.2 * layer, width: 60, height: 60, rx: 8 }, node);
    }
    if (picture >= 0) { make("use", { href: "#s" + picture, width: CELL, height: CELL }, node); }
    if (below > 0) { badge(node, (sign || "+") + below, CELL + 1, -1); }
    return node;
  }
  // What is marked has a frame, a refused move also a cross.
  function frame(parent, x, y, css) {
    const node = make("g", { "class": "frame " + css, transform: "translate(" + x + " " + y + ")" }, parent);
    make("rect", { x: 0.5, y: 0.5, width: CELL - 1, height: CELL - 1, rx: 10 }, node);
    if (css === "to bad") { make("path", { d: "M14 14L52 52M52 14L14 52" }, node); }
  }

  // What may be done: in the middle of an empty cell, at the edge of a card, which stays readable.
  function dot(parent, x, y, low) {
    make("circle", { "class": "legal", cx: x + 33, cy: y + (low ? 59 : 33), r: low ? 7 : 10 }, parent);
  }

  // A board as it was drawn, and the things on it; a zone on the board of another (`host`) has a layer there.
  function Grid(root, place, tokens, host) {
    const svg = host ? host.svg : make("svg", { viewBox: "0 0 " + place.w + " " + place.high, role: "img" }, root), cells = {};
    const board = host || this;
    if (!host) {
      // Cards keep the size in which they can be read; a large board takes the width that there is.
      const columns = place.x[2] - place.x[0] + 1;
      svg.style.maxWidth = Math.round(place.w * (columns > 12 ? 0.56 : columns > 6 ? 0.88 : 1)) + "px";
      const ground = make("g", { "class": "ground" }, svg);
      ground.innerHTML = place.g;
      Object.assign(this, { svg: svg, place: place, turned: false, marks: make("g", {}, svg), layers: [] });
    }
    const top = make("g", {}, null), shift = place.d[0] * 60, scale = place.d[2];
    svg.insertBefore(top, host ? host.layers[0] : board.marks);
    board.layers.push(top);
    const called = function (key) {
      const at = key.split(",");
      return place.c ? place.c[at[0]] + place.r[at[1]] : (place.l && place.l[key]) || "(" + key + ")";
    };
    const corner = function (key) {
      const at = board.place.at[key];
      return board.turned ? [board.place.w - at[0] - CELL / 2, board.place.high - at[1] - CELL / 2] : [at[0] - CELL / 2, at[1] - CELL / 2];
    };
    Object.keys(board.place.at).forEach(function (key) { cells[key] = { shown: "", nodes: [] }; });
    // The middle of a cell, as the board lies.
    this.at = function (key) {
      const left = corner(key);
      return { x: left[0] + CELL / 2, y: left[1] + CELL / 2 };
    };
    // The cell at a point of the window.
    this.found = function (event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()), self = this;
      return Object.keys(cells).find(function (key) {
        const at = self.at(key);
        return Math.abs(point.x - at.x) <= CELL / 2 && Math.abs(point.y - at.y) <= CELL / 2;
      });
    };
    // A cell beyond the edge of a board that floats.
    if (!host && !place.m && place.floats) {
      this.extend = function (key) {
        const first = Object.keys(place.at)[0], from = first.split(","), to = key.split(","), view = svg.viewBox.baseVal;
        const x = place.at[first][0] + (to[0] - from[0]) * CELL, y = place.at[first][1] + (to[1] - from[1]) * CELL;
        place.at[key] = [x, y];
        cells[key] = { shown: "", nodes: [] };
        make("rect", { "class": "cell even", x: x - 29, y: y - 29, width: 58, height: 58, rx: 7 }, svg.firstChild);
        const left = Math.min(view.x, x - CELL / 2), top = Math.min(view.y, y - CELL / 2);
        const right = Math.max(view.x + view.width, x + CELL / 2), low = Math.max(view.y + view.height, y + CELL / 2);
        svg.setAttribute("viewBox", [left, top, right - left, low - top].join(" "));
        svg.style.maxWidth = Math.round(right - left) + "px";
        beyond.push([key, svg.firstChild.lastChild]);
      };
      const beyond = [], narrow = svg.style.maxWidth, whole = svg.getAttribute("viewBox");
      this.shrink = function () {
        beyond.splice(0).forEach(function (one) { delete place.at[one[0]]; delete cells[one[0]]; one[1].remove(); });
        svg.setAttribute("viewBox", whole);
        svg.style.maxWidth = narrow;
      };
    }
    // Turns the board by half; what is written on it and beside it stays upright.
    this.flip = function (turned) {
      board.turned = turned;
      if (!host) {
        const about = function (x, y) { return turned ? "rotate(180 " + x + " " + y + ")" : "rotate(0)"; };
        svg.firstChild.setAttribute("transform", about(place.w / 2, place.high / 2));
        svg.firstChild.querySelectorAll("text").forEach(function (text) {
          const box = text.getBBox();
          text.setAttribute("transform", about(box.x + box.width / 2, box.y + box.height / 2));
        });
      }
      Object.keys(cells).forEach(function (key) { cells[key].shown = "?"; });
    };
    this.svg = svg;
    this.draw = function (content, marks) {
      const said = [];
      Object.keys(cells).forEach(function (key) {
        const cell = cells[key], lies = content[key], mark = marks[key];
        if (lies) {
          const things = lies[0] < 0 ? [] : [nameOf(lies[0]) + (lies[1] > 1 ? " +" + (lies[1] - 1) : "")];
          said.push(things.concat(lies.slice(2).map(function (letter) { return tokens[letter]; })).join(", ") + " " + called(key));
        }
        const now = JSON.stringify([lies, mark]);
        if (now === cell.shown) { return; }
        cell.shown = now;
        cell.nodes.forEach(function (node) { node.remove(); });
        cell.nodes = [];
        if (!lies && !mark) { return; }
        const at = corner(key), upright = (board.place.t || []).indexOf(key) >= 0;
        const seat = "translate(" + at[0] + " " + at[1] + ")" + (scale === 1 ? "" : " translate(" + (shift + 33 * (1 - scale)) + " " + (shift + 33 * (1 - scale)) + ") scale(" + scale + ")") +
          (upright ? " rotate(90 33 33)" : "");
        const things = make("g", { transform: seat }, top), over = make("g", {}, board.marks);
        cell.nodes = [things, over];
        if (lies) {
          const node = card(things, 0, 0, lies[0], place.u ? 0 : lies[1] - 1, "", "+", place.e);
          if (lies[2]) {
            make("path", { "class": "token", d: "M14 38L28 52L14 66L0 52z" }, node);
            make("text", { "class": "letter", x: 14, y: 57, "text-anchor": "middle" }, node).textContent = lies[2];
          }
        }
        // The picture of a heap says how many there are: two of them cannot be read.
        if (mark && mark.ghost !== undefined && !(lies && place.u)) { card(things, 0, 0, mark.ghost, 0, "ghost"); }
        if (mark && mark.css) { frame(over, at[0], at[1], mark.css); }
        if (mark && mark.legal) { dot(over, at[0], at[1], lies || mark.css); }
      });
      return said;
    };
  }

  // The things of a place that is no grid: pictures, each with how many more there are.
  function thingsOf(place, content) {
    return place.k === "pile" ? (content.length ? [[content[0], "+", place.u ? 0 : content[1] - 1]] : [])
      : place.q ? together(content) : content.map(function (picture) { return [picture, "", 0]; });
  }
  function toldThings(things) {
    return things.map(function (thing) { return nameOf(thing[0]) + (thing[2] > 0 ? " " + thing[1] + thing[2] : ""); });
  }

  // What stands beside a board, in its drawing: its things lie in a line.
  function Beside(place, host) {
    const svg = host.svg, top = make("g", {}, null), inside = place["in"], row = inside[2] > inside[3];
    // The middle of a box, as the board lies.
    const middle = function (box) {
      const x = box[0] + box[2] / 2, y = box[1] + box[3] / 2;
      return host.turned ? [host.place.w - x, host.place.high - y] : [x, y];
    };
    let shown = "";
    svg.insertBefore(top, host.marks);
    this.top = top;
    this.flip = function () { shown = ""; };
    this.found = function (event) {
      const thing = event.target.closest("[data-picture]");
      return thing ? Number(thing.getAttribute("data-picture")) : undefined;
    };
    this.draw = function (content, marks) {
      const things = thingsOf(place, content), now = JSON.stringify([things, marks]);
      if (now !== shown) {
        const left = (marks.things || []).slice(), legal = (marks.legal || []).slice();
        const at = middle(inside), step = Math.min(CELL, Math.max(inside[2], inside[3]) / Math.max(1, things.length), inside[2], inside[3]);
        shown = now;
        top.textContent = "";
        if (marks.goal) {
          const around = make("g", { "class": "frame to" + (marks.goal === "bad" ? " bad" : "") }, top), to = middle(place.box);
          make("rect", { x: to[0] - place.box[2] / 2, y: to[1] - place.box[3] / 2, width: place.box[2], height: place.box[3], rx: 10 }, around);
        }
        things.forEach(function (thing, number) {
          const off = (number - (things.length - 1) / 2) * step, named = left.indexOf(thing[0]);
          const seat = "translate(" + (at[0] + (row ? off : 0) - step / 2) + " " + (at[1] + (row ? 0 : off) - step / 2) + ") scale(" + step / CELL + ")";
          const node = make("g", { transform: seat, "data-picture": thing[0] }, top);
          card(node, 0, 0, thing[0], thing[2], "", thing[1], place.e);
          if (named >= 0) { left.splice(named, 1); frame(node, 0, 0, marks.css); }
          if (legal.indexOf(thing[0]) >= 0) { dot(node, 0, 0, true); }
        });
      }
      return toldThings(things);
    };
  }

  // Everything else that is no grid: as many cards as ever lie there have their room.
  function Row(root, place) {
    const slots = [], many = place.n > 14 ? " many" : place.n > 7 ? " some" : "";
    root.classList.add("things");
    root.className += place.fan ? " fan" : place.u ? " heap" : many;
    const room = function (many) {
      root.style.setProperty("--n", Math.max(many, slots.length));
      while (slots.length < many) { slots.push({ svg: make("svg", { viewBox: "0 0 " + CELL + " " + CELL, "class": "thing" }, root), shown: "", marked: "" }); }
    };
    room(Math.max(1, place.n));
    // The slots of what has gone are put at the end, one from the end stands where something came, and the others stay as they are drawn.
    const arrange = function (keys) {
      keys.forEach(function (key, at) {
        const now = slots[at].shown, wanted = keys.slice(at), next = slots.findIndex(function (slot, other) { return other > at && slot.shown === key; });
        if (now === key) { return; }
        if (wanted.indexOf(now) < 0) {
          slots.splice(at, Math.max(0, next - at)).forEach(function (slot) { slots.push(slot); root.appendChild(slot.svg); });
        } else if (wanted.indexOf(slots[slots.length - 1].shown) < 0) {
          const last = slots.pop();
          root.insertBefore(last.svg, slots[at].svg);
          slots.splice(at, 0, last);
        }
      });
    };
    // The picture of the thing at a point of the window.
    this.found = function (event) {
      const slot = slots.find(function (one) { return one.svg.contains(event.target); });
      return slot && slot.picture;
    };
    this.draw = function (content, marks) {
      const things = thingsOf(place, content), keys = things.map(function (thing) { return JSON.stringify(thing); });
      // Where people play on, more may lie than ever did.
      room(things.length);
      arrange(keys);
      const left = (marks.things || []).slice(), legal = (marks.legal || []).slice();
      slots.forEach(function (slot, at) {
        const thing = things[at];
        let css = "", may = false;
        if (thing) {
          const named = left.indexOf(thing[0]), dot = legal.indexOf(thing[0]);
          if (named >= 0) { left.splice(named, 1); css = marks.css; }
          may = dot >= 0;
        }
        // Held in a hand, the middle card stands upright.
        if (place.fan) { slot.svg.style.transform = !thing ? "" : "rotate(" + ((at - (things.length - 1) / 2) * Math.min(4, 36 / things.length)).toFixed(2) + "deg)"; }
        const key = thing ? keys[at] : at ? "spare" : "empty", marked = css + " " + may;
        if (key === slot.shown && marked === slot.marked) { return; }
        if (key !== slot.shown) {
          slot.shown = key;
          slot.picture = thing ? thing[0] : undefined;
          slot.svg.textContent = "";
          slot.svg.setAttribute("class", "thing" + (key === "spare" ? " spare" : ""));
          if (thing) { card(slot.svg, 0, 0, thing[0], thing[2], "", thing[1], place.e); }
          else { make("rect", { "class": "cell even", x: place.tall ? 11 : 3, y: 3, width: place.tall ? 44 : 60, height: 60, rx: place.e && !place.tall ? 30 : 8 }, slot.svg); }
        }
        slot.marked = marked;
        while (slot.svg.childNodes.length > 1) { slot.svg.lastChild.remove(); }
        if (css) { frame(slot.svg, 0, 0, css); }
        if (may) { dot(slot.svg, 0, 0, true); }
      });
      root.classList.toggle("to", Boolean(marks.goal));
      root.classList.toggle("bad", marks.goal === "bad");
      return toldThings(things);
    };
  }

  // ---- a game

  function Game(root, alone) {
    const data = JSON.parse(root.querySelector(".data").textContent), places = data.places, say = data.say;
    let steps = data.steps;
    // What stands on the page once is looked for once.
    const once = {}, the = function (css) { return once[css] || (once[css] = root.querySelector(css)); };
    const all = function (css) { return Array.prototype.slice.call(root.querySelectorAll(css)); };
    const positions = [data.start], slider = the(".slider"), seen = the(".view"), legal = the(".legal-now");
    const player = the("[data-go='play']"), dots = the(".dots"), flip = the(".flip"), copy = the(".copy");
    const slides = window.matchMedia("(prefers-reduced-motion: no-preference)");
    let last = steps.length - 1, at = -1, viewer = -1, timer = null, heading = "", branch = null;
    steps.forEach(function (step) {
      const before = positions[positions.length - 1];
      positions.push(step.c ? applied(before, places, step.c) : before);
      heading = step.h = step.h || heading;
    });
    const turnStarts = {};
    steps.forEach(function (step, number) { if (!(step.t in turnStarts) && step.k !== 3) { turnStarts[step.t] = number; } });

    const grids = {};
    const drawn = all("[data-place]").map(function (node) {
      const number = Number(node.getAttribute("data-place")), place = places[number];
      const drawing = place.k === "grid" ? new Grid(node, place, data.tokens, grids[place.on]) : place.k === "value" ? null
        : place["in"] ? new Beside(place, grids[place.on]) : new Row(node, place);
      if (place.k === "grid") { grids[number] = drawing; }
      // A value has the room that it ever takes, so that nothing moves.
      if (!drawing) {
        const longest = positions.reduce(function (most, contents) { return Math.max(most, contents[number].length); }, 1);
        node.style.width = "calc(" + Math.min(longest, 24) + "ch + .8rem)";
      }
      return { node: node, number: number, place: place, drawing: drawing };
    });
    // A board that comes first takes the height of the window, but its cells have a limit.
    const board = the(".board [data-place]");
    if (board) {
      const one = drawn.find(function (each) { return each.node === board; }), size = one.drawing.svg.viewBox.baseVal;
      the(".desk").style.setProperty("--ratio", (size.width / size.height).toFixed(4));
      the(".desk").style.setProperty("--most", 13 * Math.round(size.width / CELL) + "rem");
    }
    // In the units of the board: names that can be read, and frames that are no bars, however large it is shown.
    function measure() {
      const svg = board.querySelector("svg"), across = svg.viewBox.baseVal.width, pixel = across / (svg.clientWidth || across);
      the(".desk").style.setProperty("--letters", Math.min(15 * pixel, 13 * Math.max(1, across / 600)) + "px");
      the(".desk").style.setProperty("--thick", 5 * pixel + "px");
    }
    // Without a board, things are as large as the window has room for, also for the result below.
    const scales = [3, 2.6, 2.2, 1.8, 1.5, 1.2, 1], rest = the(".rest");
    function fit() {
      const desk = the(".desk"), table = the(".table"), wide = getComputedStyle(desk).display === "grid";
      const room = window.innerHeight - desk.getBoundingClientRect().top - window.scrollY - (rest ? rest.offsetHeight : 0) - 50;
      (wide ? scales : [1]).some(function (scale) {
        desk.style.setProperty("--scale", scale);
        return table.offsetHeight <= room && table.scrollWidth <= table.clientWidth;
      });
    }
    const moves = {}, chart = the(".chart"), list = the(".moves ol"), box = the(".notes"), notes = all(".note"), seats = all("section.seat");
    const totals = all("[data-total]"), goals = all("[data-goal]");
    const comments = {}, arrows = [];
    let current = null, here = [];
    all("[data-comment]").forEach(function (node) { comments[node.getAttribute("data-comment")] = node; });
    all("[data-step]").forEach(function (button) {
      const number = Number(button.getAttribute("data-step"));
      if (button.classList.contains("move")) { moves[number] = button; }
      button.addEventListener("click", function () { show(number, true); });
    });

    function hidden(place) {
      return viewer >= 0 && place.s !== undefined && !(place.s === "owner" && place.o === viewer);
    }
    function asSeen(place, content) {
      if (!hidden(place)) { return content; }
      if (place.k === "value") { return "?"; }
      if (place.k === "grid") {
        const covered = {};
        Object.keys(content).forEach(function (key) { covered[key] = [place.b].concat(content[key].slice(1)); });
        return covered;
      }
      if (place.k === "pile") { return content.length ? [place.b, content[1]] : content; }
      return content.map(function () { return place.b; });
    }

    // What a step moves and names: where things leave, where they come to lie, what is refused.
    function marksOf(number) {
      const step = steps[number], found = {}, bad = data.refused.indexOf(number) >= 0 && !isOwn(number) ? " bad" : "";
      const mark = function (place) { return found[place] || (found[place] = { cells: {}, things: [], css: "from" + bad }); };
      (step.c || []).forEach(function (change) {
        const place = places[change[0]], before = positions[number][change[0]], after = positions[number + 1][change[0]];
        if (place.k === "value") { mark(change[0]).goal = "to"; return; }
        if (place.k === "grid") {
          change[1].forEach(function (cell) {
            const old = before[cell[0]], now = after[cell[0]], cells = mark(change[0]).cells;
            const comes = now && (!old || now[1] > old[1] || now[0] !== old[0]), token = now && now[2] !== (old && old[2]);
            if (comes && !(old && now[1] < old[1])) { cells[cell[0]] = { css: "to" + bad, ghost: now[0] }; }
            else { cells[cell[0]] = { css: (token ? "to" : "from") + bad }; }
          });
          return;
        }
        const had = asSeen(place, before), has = asSeen(place, after);
        if (place.k === "pile") {
          const less = (after[1] || 0) < (before[1] || 0);
          if (less) { mark(change[0]).things = [had[0]]; } else { mark(change[0]).goal = bad ? "bad" : "to"; }
          return;
        }
        mark(change[0]).things = without(had, has);
        if (without(has, had).length || has.length > had.length) { mark(change[0]).goal = bad ? "bad" : "to"; }
        if (had.length > has.length && !mark(change[0]).things.length) { mark(change[0]).things = had.slice(has.length); }
      });
      (step.m || []).forEach(function (named) {
        mark(named[0]).cells[named[1]] = { css: "to" + bad, ghost: step.g };
      });
      (step.n || []).forEach(function (named) {
        mark(named[0]).things.push(hidden(places[named[0]]) ? places[named[0]].b : named[1]);
      });
      return found;
    }
    // From where to where a step moves things within a grid: place, from, to.
    function paths(number) {
      const found = [], marks = steps[number].c ? marksOf(number) : {};
      Object.keys(marks).forEach(function (place) {
        if (places[place].k !== "grid") { return; }
        const cells = marks[place].cells, before = positions[number][place], keys = Object.keys(cells);
        const left = keys.filter(function (key) { return cells[key].css.indexOf("from") === 0 && before[key] && before[key][0] >= 0; });
        const come = keys.filter(function (key) { return cells[key].ghost !== undefined; });
        come.forEach(function (key) {
          const same = left.filter(function (from) { return before[from][0] === cells[key].ghost; });
          // A piece may become another one on its way, but what was taken went nowhere.
          const isOnes = left.length === 1 && come.length === 1 && data.owners[before[left[0]][0]] === data.owners[cells[key].ghost];
          const from = same.length === 1 ? same[0] : isOnes ? left[0] : undefined;
          if (from !== undefined) { found.push([Number(place), from, key]); }
        });
      });
      // What is dealt out to several cells goes no single way.
      return found.filter(function (path) { return found.filter(function (other) { return other[0] === path[0] && other[1] === path[1]; }).length === 1; });
    }
    function showPaths(number) {
      arrows.splice(0).forEach(function (arrow) { arrow.remove(); });
      paths(number).forEach(function (path) {
        const one = drawn.find(function (each) { return each.number === path[0]; });
        if (!one) { return; }
        const from = one.drawing.at(path[1]), to = one.drawing.at(path[2]), angle = Math.atan2(to.y - from.y, to.x - from.x);
        const end = function (turn, long) { return (to.x - long * Math.cos(angle + turn)).toFixed(1) + " " + (to.y - long * Math.sin(angle + turn)).toFixed(1); };
        arrows.push(make("path", { "class": "arrow", d: "M" + from.x + " " + from.y + "L" + end(0, 6) + "M" + end(0.5, 22) + "L" + end(0, 4) + "L" + end(-0.5, 22) }, one.drawing.svg));
      });
    }
    // What went from one cell to another slides there, or back.
    function slide(number, back) {
      paths(number).forEach(function (path) {
        const one = drawn.find(function (each) { return each.number === path[0]; });
        if (!one) { return; }
        const from = one.drawing.at(path[back ? 2 : 1]), to = one.drawing.at(path[back ? 1 : 2]), lies = asSeen(one.place, one.lies)[path[back ? 1 : 2]];
        const size = one.drawing.svg.getScreenCTM();
        Array.prototype.some.call(lies ? one.drawing.svg.querySelectorAll("use[href='#s" + lies[0] + "']") : [], function (node) {
          const box = node.getBoundingClientRect();
          const off = Math.hypot((box.left + box.width / 2 - size.e) / size.a - to.x, (box.top + box.height / 2 - size.f) / size.d - to.y);
          if (off > CELL / 4) { return false; }
          node.animate([{ transform: "translate(" + (from.x - to.x) + "px," + (from.y - to.y) + "px)" }, { transform: "none" }], { duration: 150, easing: "ease-out" });
          return true;
        });
      });
    }
    // What lies on the one cell that a move takes something from, for moves that name cells alone.
    function leaving(number) {
      const found = marksOf(number), taken = [];
      Object.keys(found).forEach(function (place) {
        Object.keys(found[place].cells).forEach(function (key) {
          const lies = asSeen(places[place], positions[number][place])[key], named = found[place].cells[key];
          if (lies && lies[0] >= 0 && named.css.indexOf("from") === 0) { taken.push(nameOf(lies[0])); }
        });
      });
      return taken.length === 1 ? taken : [];
    }
    function addLegal(found, step) {
      const seat = step.a === undefined ? -1 : step.a;
      (step.l || []).forEach(function (way) {
        way[3].forEach(function (named) {
          const cells = (found[named[0]] = found[named[0]] || { cells: {}, things: [], css: "" }).cells;
          const box = places[named[0]].x, wide = box[2] - box[0] + 1, bits = atob(named[1]);
          for (let n = 0; n < bits.length * 8; n += 1) {
            const key = (box[0] + n % wide) + "," + (box[1] + Math.floor(n / wide));
            if (bits.charCodeAt(n >> 3) >> (n & 7) & 1) { cells[key] = Object.assign({ css: "" }, cells[key], { legal: true }); }
          }
        });
        way[4].forEach(function (named) {
          if (hidden(places[named[0]]) && seat !== viewer) { return; }
          const one = found[named[0]] = found[named[0]] || { cells: {}, things: [], css: "" };
          one.legal = (one.legal || []).concat(named.slice(1));
        });
      });
    }

    // What may be chosen while people play on.
    function addChoice(found) {
      const mark = function (number) { return (found[number] = found[number] || { cells: {}, things: [], css: "" }); };
      branch.marks(function (key, isChosen, seat, boards) {
        boards.forEach(function (number) {
          const place = places[number];
          if (place.o >= 0 && seat >= 0 && place.o !== seat) { return; }
          const cells = mark(number).cells;
          if (!place.at[key] && grids[number].extend) { grids[number].extend(key); }
          cells[key] = isChosen ? { css: "to" } : Object.assign({ css: "" }, cells[key], { legal: true });
        });
      }, function (number, picture, isChosen) {
        const one = mark(number);
        if (isChosen) { one.things.push(picture); one.css = "to"; } else { one.legal = (one.legal || []).concat([picture]); }
      });
    }

    function sentence(number) {
      if (steps[number].k === 3) { return [document.createTextNode(steps[number].e || "")]; }
      return Array.prototype.map.call(moves[number].querySelector(".words").childNodes, function (node) { return node.cloneNode(true); });
    }
    // The words of what a seat does not see whole are put aside while it looks.
    function look(seat) {
      viewer = seat;
      steps.forEach(veil);
      redraw();
    }
    function veil(step, number) {
      if (!step.v) { return; }
      const words = moves[number].querySelector(".words"), said = viewer < 0 ? undefined : step.v[viewer];
      step.whole = step.whole || Array.prototype.slice.call(words.childNodes);
      words.textContent = said === undefined ? "" : said;
      if (said === undefined) { step.whole.forEach(function (node) { words.appendChild(node); }); }
    }

    // Whether a step was played on this page: nothing that is said of the record is about it.
    function isOwn(number) { return branch !== null && branch.active() && number >= branch.base(); }
    function showWords(step) {
      const said = the(".said"), turn = the(".where"), remark = the(".remark"), comment = isOwn(at) ? undefined : comments[at];
      turn.textContent = step.h;
      said.textContent = "";
      sentence(at).forEach(function (node) { said.appendChild(node); });
      // Who listens hears what is on a thing in place of its code.
      const spoken = Array.prototype.map.call(said.childNodes, function (node) {
        return (node.getAttribute && node.getAttribute("aria-label")) || node.textContent;
      }).join("");
      const moved = said.querySelector("[aria-label]") || step.k === 3 ? [] : leaving(at);
      const told = notes.filter(function (note) { return Number(note.getAttribute("data-at")) === at && !isOwn(at); });
      const refused = told.map(function (note) { return note.querySelector(".text").textContent; });
      the(".spoken").textContent = [step.h + (spoken ? say.colon + [spoken].concat(moved).join(", ") : "")].concat(refused).join(". ");
      remark.textContent = comment ? comment.textContent : "";
      here.forEach(function (note) { note.classList.remove("here"); note.firstElementChild.removeAttribute("aria-current"); });
      told.forEach(function (note) { note.classList.add("here"); note.firstElementChild.setAttribute("aria-current", "true"); });
      here = told;
      the(".count").textContent = filled(say.move_of, at + 1, last + 1);
    }
    function showMove() {
      const now = moves[at];
      if (current) { current.removeAttribute("aria-current"); }
      current = now;
      if (now) { now.setAttribute("aria-current", "step"); }
      // Here layout is asked for, after everything else has changed.
      if (here.length) { box.scrollTop = here[0].offsetTop; }
      if (!now) { if (list) { list.scrollTop = list.scrollHeight; } return; }
      // The list scrolls, the page stays where it is.
      const high = now.offsetTop;
      if (high < list.scrollTop + 30 || high > list.scrollTop + list.clientHeight - 60) { list.scrollTop = Math.max(0, high - list.clientHeight / 3); }
    }
    function showScores() {
      totals.forEach(function (node) {
        const total = ((data.told && viewer >= 0 ? data.told[viewer] : data.scores)[branch && branch.active() ? -1 : at] || [])[Number(node.getAttribute("data-total"))];
        // A game that is won or lost has no points on the way.
        node.textContent = total === undefined && !data.points ? "" : total === null || total === undefined ? "?" : total;
      });
      if (chart) {
        // The curve is that of who sees everything.
        chart.parentNode.hidden = Boolean(data.told) && viewer >= 0;
        const line = chart.querySelector(".here"), x = chart.across(at);
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
      }
      goals.forEach(function (node) {
        const changes = data.goals[Number(node.getAttribute("data-goal"))][Number(node.getAttribute("data-seat"))] || [];
        const past = changes.filter(function (change) { return change[0] <= at; }).pop();
        const holds = Boolean(past && past[1]);
        const text = !holds ? say.not_fulfilled : past[0] === 0 ? say.from_start : filled(say.since, steps[past[0] - 1].t);
        node.textContent = text;
        node.parentNode.classList.toggle("holds", holds);
      });
      seats.forEach(function (seat, number) { seat.classList.toggle("acting", steps[at].a === number); });
    }
    function showLegal(step) {
      const box = the(".ways"), goesOn = branch && branch.active() && at === last;
      if (goesOn && branch.opensList()) { legal.open = true; }
      if (!legal.open) { return; }
      box.textContent = "";
      if (goesOn) {
        if (viewer >= 0 && step.a !== undefined && step.a !== viewer && places.some(hidden)) { plain("p", "", say.unseen_thing, box); } else { branch.list(box, plain, places.some(hidden) ? viewer : -1); }
        return;
      }
      if (isOwn(at)) { return; }
      const ways = step.l || [], secret = viewer >= 0 && step.a !== viewer && places.some(hidden);
      if (!ways.length || secret) { plain("p", "", secret ? say.unseen_thing : say.nothing_legal, box); return; }
      ways.forEach(function (way) {
        const line = plain("p", "", "", box);
        plain("strong", "", way[0], line);
        if (way[1] !== 1 || way[2].length) {
          plain("span", "soft", " " + (way[1] < 0 ? say.many_ways : way[1] > 1 ? filled(say.ways, way[1]) : ""), line);
        }
        if (way[2].length) {
          const more = way[1] < 0 ? "…" : way[1] > way[2].length ? " " + filled(say.and_others, way[1] - way[2].length) : "";
          plain("span", "named", way[2].join(" · ") + more, line);
        }
      });
    }
    // Whether nothing lies at a place, and nothing ever did or will again.
    function isBare(number) {
      const full = function (contents) { return contents[number].length > 0; };
      return !full(positions[at]) && !(positions.slice(0, at).some(full) && positions.slice(at).some(full));
    }
    function showTable(step) {
      const found = step.k === 3 ? {} : marksOf(at);
      if (branch && branch.active() && at === last) {
        if (viewer < 0 || step.a === undefined || step.a === viewer || !places.some(hidden)) { addChoice(found); }
      }
      else if (dots.getAttribute("aria-pressed") === "true") { addLegal(found, step); }
      drawn.forEach(function (one) {
        const lies = positions[at][one.number], quiet = !found[one.number];
        if (one.place.k !== "grid" && one.place.k !== "value") { one.node.classList.toggle("bare", quiet && isBare(one.number)); }
        // What stays as it is needs no drawing.
        if (quiet && one.quiet && lies === one.lies && viewer === one.viewer) { return; }
        Object.assign(one, { lies: lies, quiet: quiet, viewer: viewer });
        const content = asSeen(one.place, lies), marks = found[one.number] || { cells: {}, things: [], css: "" };
        if (one.place.k === "value") {
          one.node.textContent = content;
          one.node.title = content;
          one.node.classList.toggle("to", Boolean(marks.goal));
          return;
        }
        const said = one.drawing.draw(content, one.place.k === "grid" ? marks.cells : marks);
        const label = one.node.getAttribute("data-title") + say.colon + (said.join(", ") || say.empty_place);
        (one.drawing.svg && one.place.on === undefined ? one.drawing.svg : one.node).setAttribute("aria-label", label);
      });
      showPaths(at);
    }

    function show(to, byHand) {
      const number = Math.max(0, Math.min(last, to)), before = at;
      if (byHand) { stop(); }
      if (number === at) { return; }
      at = number;
      redraw();
      if (slides.matches && before >= 0 && Math.abs(at - before) === 1) {
        requestAnimationFrame(function () { if (at === number) { slide(Math.min(at, before), at < before); } });
      }
      if (byHand) { remember(); follow(); }
      if (branch && branch.active() && at === last) { branch.wake(); }
    }
    // Where players are below each other, the one who acts comes into view.
    function follow() {
      const acting = root.querySelector(".table > .seat.acting");
      if (acting && getComputedStyle(the(".desk")).display === "flex") { acting.scrollIntoView({ block: "nearest" }); }
    }
    function redraw() {
      const step = steps[at], pressed = document.activeElement;
      slider.value = at;
      slider.setAttribute("aria-valuetext", step.h || at + 1);
      showWords(step);
      showTable(step);
      showScores();
      showLegal(step);
      the("[data-go='first']").disabled = the("[data-go='back']").disabled = at === 0;
      the("[data-go='next']").disabled = the("[data-go='last']").disabled = at === last;
      player.disabled = last === 0;
      if (branch && !branch.active()) { branch.offer(at); }
      showMove();
      // A button that can go no further loses the focus; the keys go on with the game.
      if (root.contains(pressed) && pressed.disabled) { root.focus({ preventScroll: true }); }
    }

    // ---- addresses: `#turn=23` is the position before turn 23, `#turn=23.2` that before its second step

    function address() {
      const number = isOwn(at) ? branch.base() : at, step = data.steps[number], first = turnStarts[step.t];
      const turn = step.k === 3 ? String(step.t + 1) : step.t + (number > first ? "." + (number - first + 1) : "");
      return (alone ? "#" : "#" + root.id + "&") + "turn=" + turn;
    }
    // Not at each step of somebody who holds the key down: browsers allow few changes of the address in a second.
    let writes;
    function remember() {
      clearTimeout(writes);
      writes = setTimeout(function () {
        if (branch && branch.active()) { return; }
        try { history.replaceState(null, "", address()); } catch (error) { /* a page without an address of its own */ }
      }, 150);
    }
    this.follow = function () {
      const found = /(?:^#|&)turn=(\d+)(?:\.(\d+))?$/.exec(location.hash), own = location.hash.slice(1).split("&")[0] === root.id;
      if (!found || !(own || (alone && location.hash.indexOf("&") < 0))) { return false; }
      const turn = Number(found[1]), first = turn < steps[0].t ? 0 : turnStarts[turn];
      show(first === undefined ? last : first + Math.max(0, Number(found[2] || 1) - 1), false);
      return true;
    };

    // ---- playing by itself

    function stop() {
      if (timer === null) { return; }
      clearInterval(timer);
      timer = null;
      player.setAttribute("aria-label", say.play_button);
      player.classList.remove("playing");
    }
    function play() {
      if (timer !== null) { stop(); remember(); return; }
      if (at === last) { show(0, false); }
      player.setAttribute("aria-label", say.pause_button);
      player.classList.add("playing");
      timer = setInterval(function () {
        show(at + 1, false);
        if (at === last) { stop(); remember(); }
      }, PACE);
    }

    // ---- what the reader does

    const ways = { first: function () { show(0, true); }, back: function () { show(at - 1, true); }, next: function () { show(at + 1, true); },
      last: function () { show(last, true); }, play: play };
    all("[data-go]").forEach(function (button) { button.addEventListener("click", ways[button.getAttribute("data-go")]); });
    slider.max = last;
    slider.addEventListener("input", function () { show(Number(slider.value), true); });
    if (seen) { seen.addEventListener("change", function () { look(Number(seen.value)); }); }
    legal.addEventListener("toggle", function () { showLegal(steps[at]); });
    function toggle(button, done) {
      button.addEventListener("click", function () {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        done(on);
        redraw();
      });
    }
    toggle(dots, function () {});
    if (flip) {
      const turned = drawn.filter(function (one) { return one.drawing && one.drawing.flip; });
      flip.hidden = !turned.length;
      toggle(flip, function (on) { turned.forEach(function (one) { one.drawing.flip(on); one.quiet = false; }); });
    }

    // ---- what can be pasted elsewhere

    // A grid as lines of codes, everything else as a list of them.
    function drawnAsText(one) {
      const content = asSeen(one.place, positions[at][one.number]), title = one.node.getAttribute("data-title"), box = one.place.x;
      const coded = function (picture) { return data.codes[picture] || "?"; };
      if (one.place.k === "value") { return ""; }
      if (one.place.k !== "grid") {
        const things = one.place.k === "pile" ? (content.length ? [coded(content[0]) + (content[1] > 1 ? "+" + (content[1] - 1) : "")] : [])
          : together(content).map(function (thing) { return coded(thing[0]) + (thing[2] ? "×" + thing[2] : ""); });
        return things.length ? title + say.colon + things.join(" ") : "";
      }
      const rows = [], names = function (list, n) { return list ? list[n] : String(n); };
      for (let y = box[1]; y <= box[3]; y += 1) {
        const row = [one.place.l ? "" : names(one.place.r, y)];
        for (let x = box[0]; x <= box[2]; x += 1) {
          const key = x + "," + y, lies = content[key], none = (one.place.m || []).indexOf(key) >= 0;
          row.push(none ? "" : !lies ? "." : (lies[0] < 0 ? "." : coded(lies[0])) + (lies[1] > 1 ? "+" + (lies[1] - 1) : "") + (lies[2] ? "*" : ""));
        }
        rows.push(row);
      }
      const head = [""];
      for (let x = box[0]; x <= box[2]; x += 1) { head.push(one.place.l ? "" : names(one.place.c, x)); }
      const wide = rows.concat([head]).reduce(function (most, row) { return row.reduce(function (n, text) { return Math.max(n, text.length); }, most); }, 1);
      const lines = rows.concat([head]).map(function (row, y) {
        return (" ".repeat(one.place.h ? y * (wide + 1) >> 1 : 0) + row.map(function (text) { return text.padStart(wide); }).join(" ")).trimEnd();
      });
      return title + ":\n" + lines.join("\n");
    }
    const asked = {
      link: function () { return location.href.split("#")[0] + address(); },
      embed: function () {
        const frame = plain("iframe");
        Object.entries({ src: asked.link(), title: root.getAttribute("aria-label"), width: 800, height: 640, loading: "lazy" })
          .forEach(function (one) { frame.setAttribute(one[0], one[1]); });
        return frame.outerHTML;
      },
      text: function () {
        const said = [root.getAttribute("aria-label"), [the(".where").textContent, the(".said").textContent].filter(Boolean).join(say.colon)];
        return said.concat(drawn.map(drawnAsText).filter(Boolean)).join("\n");
      }
    };
    all("[data-copy]").forEach(function (button) {
      button.addEventListener("click", function () {
        const field = copy.querySelector("textarea");
        field.value = asked[button.getAttribute("data-copy")]();
        field.select();
        copy.querySelector("p").textContent = document.execCommand("copy") ? say.copied : "";
      });
    });
    copy.addEventListener("keydown", function (event) {
      if (event.key === "Escape") { copy.open = false; copy.firstElementChild.focus(); }
    });
    copy.addEventListener("focusout", function (event) {
      if (event.relatedTarget && !copy.contains(event.relatedTarget)) { copy.open = false; }
    });
    function onKey(event) {
      const target = event.target, way = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" }[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) { return; }
      // Keys that a control needs for itself stay with it.
      if (target.closest && target.closest("select, textarea, input:not(.slider)")) { return; }
      if (event.key === " " && target.closest && target.closest("button, summary, a")) { return; }
      event.preventDefault();
      event.stopPropagation();
      ways[way]();
    }
    (alone ? document : root).addEventListener("keydown", onKey);

    // ---- the curve of the scores

    if (chart) { draw(chart); }
    function draw(svg) {
      const high = 130, wide = 320, left = 34, right = 8, top = 10, low = 20, seats = data.names.length;
      const known = data.scores.reduce(function (found, totals) { return found.concat(totals.filter(function (n) { return n !== null; })); }, [0]);
      const most = Math.max.apply(null, known), least = Math.min.apply(null, known), span = Math.max(1, most - least);
      const x = function (number) { return left + (wide - left - right) * (last ? number / last : 0); };
      const y = function (value) { return top + (high - top - low) * (1 - (value - least) / span); };
      svg.setAttribute("viewBox", "0 0 " + wide + " " + high);
      [least, most].concat(least !== 0 && most !== 0 ? [0] : []).forEach(function (value) {
        make("line", { "class": "axis", x1: left, x2: wide - right, y1: y(value), y2: y(value) }, svg);
        make("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, svg).textContent = value;
      });
      make("text", { x: left, y: high - 4 }, svg).textContent = steps[0].h.split(",")[0];
      make("text", { x: wide - right, y: high - 4, "text-anchor": "end" }, svg).textContent = say.at_end;
      for (let seat = 0; seat < seats; seat += 1) {
        let path = "", before = null;
        data.scores.forEach(function (totals, number) {
          const total = totals[seat];
          if (total === null || total === undefined) { before = null; return; }
          path += before === null ? "M" + x(number).toFixed(1) + " " + y(total).toFixed(1) : "H" + x(number).toFixed(1) + (total === before ? "" : "V" + y(total).toFixed(1));
          before = total;
        });
        make("path", { "class": "curve seat" + seat % 6, d: path || "M0 0" }, svg);
      }
      make("line", { "class": "here", x1: 0, x2: 0, y1: top, y2: high - low }, svg);
      svg.across = x;
      svg.addEventListener("click", function (event) {
        const place = svg.getBoundingClientRect(), part = ((event.clientX - place.left) / place.width * wide - left) / (wide - left - right);
        show(Math.round(part * last), true);
      });
    }

    // ---- playing on

    const given = root.querySelector(".data").dataset, kernel = data.branch && kernelOf(data.branch.kernel);
    // A kernel that lies beside the page may not be there: then the page steps only.
    if (data.branch && !kernel) { root.querySelectorAll(".branch, [data-copy='record']").forEach(function (one) { one.hidden = true; }); }
    if (kernel && window.PwtoolBranch) {
      const record = { steps: steps, positions: positions.slice(), moves: Object.assign({}, moves) };
      const entries = all(".moves li"), added = [], heads = legal.firstElementChild.textContent;
      branch = new window.PwtoolBranch({
        root: root,
        at: function () { return at; },
        isLast: function () { return at === last; },
        redraw: redraw,
        say: function (text) { the(".said").textContent = text; },
        // Keeps so many steps.
        cut: function (number) {
          steps = steps.slice(0, number);
          positions.length = number + 1;
          Object.keys(moves).forEach(function (key) { if (Number(key) >= number) { delete moves[key]; } });
          added.filter(function (one) { return one.step >= number; }).forEach(function (one) { one.node.remove(); });
          added.splice(0, added.length, ...added.filter(function (one) { return one.step < number; }));
          Object.keys(record.moves).forEach(function (key) { record.moves[key].hidden = Number(key) >= number || !moves[key]; });
          entries.forEach(function (entry) { entry.hidden = !entry.querySelector(".move:not([hidden])"); });
          current = null;
        },
        // A step of its own, after which things lie like this.
        add: function (words, seat, contents, outside) {
          if (steps.length && steps[steps.length - 1].k === 3) { steps.pop(); }
          const number = steps.length, before = positions[number];
          const line = plain("li", "own seat" + seat, "", list), button = plain("button", "move", "", plain("div", "", "", line));
          const sheet = list.classList.contains("sheet");
          line.insertBefore(plain("span", "turn", seat < 0 ? "" : sheet ? "" : data.names[seat]), line.firstChild);
          if (sheet) { plain("span", "unseen", data.names[seat], line.firstChild); }
          plain("span", "words", words, button);
          button.type = "button";
          button.addEventListener("click", function () { show(number, true); });
          added.push({ step: number, node: line });
          moves[number] = button;
          const changes = [];
          contents.forEach(function (now, place) {
            if (JSON.stringify(now) === JSON.stringify(before[place])) { return; }
            if (places[place].k !== "grid") { changes.push([place, now]); return; }
            const keys = Object.keys(Object.assign({}, before[place], now)).filter(function (key) { return JSON.stringify(now[key]) !== JSON.stringify(before[place][key]); });
            changes.push([place, keys.map(function (key) { return [key].concat(now[key] || []); })]);
          });
          const secret = places.some(function (place) { return place.s !== undefined; });
          const views = data.names.reduce(function (all, _, other) { if (other !== seat) { all[other] = outside; } return all; }, {});
          steps.push({ t: steps.length, k: 0, h: seat >= 0 ? data.names[seat] : "", a: seat < 0 ? undefined : seat, c: changes, v: secret ? views : undefined });
          positions.push(contents);
          veil(steps[number], number);
        },
        // The position that is open now, with what is said of it.
        end: function (text, seat, over) {
          steps.push({ t: steps.length, k: 3, h: seat >= 0 ? data.names[seat] : over ? say.at_end : "", e: text || say.choose, a: seat < 0 ? undefined : seat });
          last = slider.max = steps.length - 1;
          at = -1;
          show(last, false);
        },
        restore: function (number) {
          added.splice(0).forEach(function (one) { one.node.remove(); });
          steps = record.steps;
          positions.splice(0, positions.length, ...record.positions);
          Object.keys(record.moves).forEach(function (key) { record.moves[key].hidden = false; moves[key] = record.moves[key]; });
          entries.forEach(function (entry) { entry.hidden = false; });
          last = slider.max = steps.length - 1;
          drawn.forEach(function (one) { if (one.drawing && one.drawing.shrink) { one.drawing.shrink(); one.quiet = false; } });
          at = -1;
          current = null;
          steps.forEach(veil);
          show(number, false);
        },
        head: function (text) {
          legal.firstElementChild.textContent = text || heads;
        }
      }, data, kernel, given.hosted !== undefined);
      drawn.forEach(function (one) {
        if (!one.drawing || (one.place.on !== undefined && !one.drawing.top)) { return; }
        (one.drawing.top || one.node).addEventListener("click", function (event) {
          if (!branch.active() || at !== last) { return; }
          const found = one.drawing.found(event);
          if (found === undefined) { branch.nothing(one.number, one.place.k === "grid"); return; }
          branch.pick(one.number, found, one.place.k === "grid");
        });
      });
      asked.record = function () { return branch.record(); };
    }

    root.tabIndex = alone ? -1 : 0;
    root.classList.add("scripted");
    (board ? measure : fit)();
    window.addEventListener("resize", board ? measure : fit);
    if (!this.follow()) { show(data.begin, false); }
    if (branch && given.new !== undefined) { show(last, false); branch.start(); }
  }

  function kernelOf(name) {
    const inside = document.getElementById(name);
    return inside ? inside.textContent : (window.pwtoolKernels || {})[name];
  }

  const roots = Array.prototype.slice.call(document.querySelectorAll(".game"));
  const games = roots.map(function (root) { return new Game(root, roots.length === 1); });
  window.addEventListener("hashchange", function () { games.forEach(function (game) { game.follow(); }); });
  document.querySelectorAll("a[href^='#game']").forEach(function (link) {
    link.addEventListener("click", function () { document.querySelector(link.getAttribute("href").split("&")[0]).focus(); });
  });
}());
