// Plays on under the same rules: the kernel of a page, what its words mean, and the table as it lies in its memory.
// docs/kernel.md describes the functions and the words.
(function () {
  "use strict";
  const NONE = -2147483648, MEMBER = 1610612736, ROOM = 1 << 21, VERDICT = 0, CLEAN = 0, TRIES = 400;

  function bytesOf(text) {
    const packed = Uint8Array.from(atob(text), function (one) { return one.charCodeAt(0); });
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  // A value as text, whatever the order of its keys.
  function sorted(value) {
    return JSON.stringify(value, function (_, part) {
      if (!part || typeof part !== "object" || Array.isArray(part)) { return part; }
      return Object.keys(part).sort().reduce(function (all, key) { all[key] = part[key]; return all; }, {});
    });
  }
  function cellOf(word) { return ((word << 16) >> 16) + "," + (word >> 16); }
  function any(list) { return list[Math.floor(Math.random() * list.length)]; }

  function Kernel(exports, about, data) {
    const begin = Math.ceil(about.free / 64) * 64, names = data.names, of = data.branch;
    let words = null;
    function view() {
      const missing = begin + 2 * ROOM - exports.memory.buffer.byteLength;
      if (missing > 0) { exports.memory.grow(Math.ceil(missing / 65536)); }
      if (!words || words.buffer !== exports.memory.buffer) { words = new Int32Array(exports.memory.buffer); }
      return words;
    }
    function word(address) { return words[address >> 2]; }
    function pile(address) { return Array.from(words.subarray((address >> 2) + 1, (address >> 2) + 1 + word(address))); }

    // Brings the game to where so many turns, and so many actions of the next one, have been played; false if that is not clean.
    this.begin = function (turns, actions) {
      view();
      const record = Object.assign({}, of.record, { turns: of.record.turns.slice(0, turns) }), begun = of.record.turns[turns];
      const text = new TextEncoder().encode(JSON.stringify(record)), at = begin + ROOM, bytes = new Uint8Array(exports.memory.buffer);
      bytes.set(text, at);
      bytes.fill(0, at + text.length, at + text.length + 64);
      if (!exports.read(at, text.length, begin, ROOM - 65536, 0)) { return false; }
      exports.judge(begin, at);
      if (view()[(at >> 2) + VERDICT] !== CLEAN) { return false; }
      // A turn that is under way is played again: a record that stops there would end it.
      return begun === undefined || begun.actions.slice(0, actions).every(function (wanted) {
        // What follows an action by itself stands in some records; the kernel does it anyway.
        if (!of.actions.some(function (one) { return one.name === wanted.action; })) { return true; }
        const legal = this.legal(), same = sorted(wanted);
        // One way stands for all that chance may decide: the record says what it did.
        return legal.actions.some(function (one) {
          one.model.of.forEach(function (parameter, at) {
            if (parameter.by && wanted[parameter.n] !== undefined) { one.values[at] = [].concat(wanted[parameter.n]).map(function (said) { return wordOf(parameter.t, said); }); }
          });
          return sorted(this.json(one, legal.owner)) === same && this.act(one);
        }, this);
      }, this);
    };
    // What may be done now: whether the turn may end, whether the game is over, whose turn it is, the actions.
    this.legal = function () {
      view();
      const count = exports.legal(begin, ROOM);
      const said = Array.from(view().subarray(begin >> 2, (begin >> 2) + count)), actions = [];
      for (let at = 3; at < said.length;) {
        const model = of.actions[said[at]], action = { model: model, seat: said[at + 1], values: [] };
        at += 2;
        model.of.forEach(function (parameter) {
          let many = 1;
          if (parameter.k === "list" || parameter.k === "tops") { many = said[at]; at += 1; }
          if (parameter.each) { many = names.length; }
          const values = said.slice(at, at + many);
          at += many;
          if (parameter.k === "tops") { values.push(said.slice(at, at + many)); at += many; }
          action.values.push(values);
        });
        actions.push(action);
      }
      return { mayEnd: (said[1] & 1) === 1, over: (said[1] & 2) === 2, owner: said[2], actions: actions, known: count > 0 };
    };
    this.act = function (action) {
      let words = [of.actions.indexOf(action.model), action.seat];
      action.model.of.forEach(function (parameter, at) {
        const values = action.values[at], tops = parameter.k === "tops", many = values.length - (tops ? 1 : 0);
        words = words.concat(tops || parameter.k === "list" ? [many] : [], values.slice(0, many), tops ? values[many] : []);
      });
      view().set(words, begin >> 2);
      return exports.act(begin) === 0;
    };
    // Carries out an action whose rest chance decides: evenly among what the rules allow.
    this.draw = function (action) {
      const drawn = action.model.of.map(function (parameter) { return parameter.by; });
      if (drawn.indexOf(1) < 0) { return this.act(action); }
      for (let n = 0; n < TRIES; n += 1) {
        action.values = action.values.map(function (values, at) { return drawn[at] ? chance(action.model.of[at], values, action.seat) : values; });
        if (this.act(action)) { return true; }
      }
      return false;
    };
    function chance(parameter, values, seat) {
      const type = parameter.t;
      if (parameter.k === "list") {
        const mixed = values.slice();
        for (let n = mixed.length - 1; n > 0; n -= 1) {
          const other = Math.floor(Math.random() * (n + 1)), kept = mixed[n];
          mixed[n] = mixed[other];
          mixed[other] = kept;
        }
        return mixed;
      }
      if (type.k === "int") { return [type.lo + Math.floor(Math.random() * (type.hi - type.lo + 1))]; }
      if (type.of) { return [any(type.of)]; }
      if (type.k === "bool") { return [any([0, 1])]; }
      if (type.k === "player" || type.k === "goal") { return [Math.floor(Math.random() * (type.k === "goal" ? of.goals : names).length)]; }
      if (type.k === "cell") {
        const keys = data.places.reduce(function (all, place) { return all.concat(Object.keys(place.at || {})); }, []);
        const cell = any(keys).split(",").map(Number);
        return [(cell[1] << 16) | (cell[0] & 65535)];
      }
      if (type.k === "face" && parameter.z) {
        const own = parameter.z.filter(function (place) { return data.places[place].o === seat || data.places[place].o < 0; })[0];
        const things = own === undefined ? [] : pile(of.places[own].a);
        return things.length ? [any(things)] : values;
      }
      return values;
    }
    function wordOf(type, said) {
      if (said === null) { return NONE; }
      if (type.k === "face") { return of.codes[type.c].indexOf(said); }
      if (type.k === "cell") { return (said[1] << 16) | (said[0] & 65535); }
      if (type.k === "player") { return names.indexOf(said); }
      if (type.k === "goal") { return of.goals.findIndex(function (one) { return one[0] === said; }); }
      if (typeof said === "boolean") { return Number(said); }
      if (typeof said === "string") { return MEMBER + of.members.findIndex(function (one) { return one[0] === said; }); }
      return said;
    }
    this.endTurn = function () { return exports["end turn"]() === 0; };
    // The totals of all seats, and their places, which mean something once the game is over.
    this.result = function () {
      exports.answer(begin);
      const said = view().subarray(begin >> 2), each = 1 + about.lines.length, last = 16 + about.players * each;
      return names.map(function (_, seat) { return { total: said[16 + seat * each], place: said[last + seat] }; });
    };

    // ---- words

    function value(type, found, forRecord) {
      if (found === NONE) { return forRecord ? null : ""; }
      if (type.k === "face") { return found < 0 ? "?" : of.codes[type.c][found]; }
      if (type.k === "cell") { return forRecord ? cellOf(found).split(",").map(Number) : named(cellOf(found), type.g); }
      if (type.k === "player") { return names[found]; }
      if (type.k === "goal") { return of.goals[found][forRecord ? 0 : 1]; }
      if (found >= MEMBER) { return of.members[found - MEMBER][forRecord ? 0 : 1]; }
      if (type.k === "bool") { return forRecord ? Boolean(found) : data.say[found ? "yes" : "no"]; }
      return forRecord ? found : String(found);
    }
    function named(key, boards) {
      const at = key.split(","), known = boards.map(function (number) { return data.places[number]; });
      const one = known.filter(function (place) { return place.c || (place.l && place.l[key]); })[0];
      return !one ? "(" + at.join(", ") + ")" : one.c ? one.c[at[0]] + one.r[at[1]] : one.l[key];
    }
    // An action in words, without those parameters that say nothing.
    this.words = function (action, isDrawn) {
      const said = action.model.of.map(function (parameter, at) {
        const values = action.values[at];
        if (parameter.by && !isDrawn) { return ""; }
        if (parameter.k === "tops") {
          return values.slice(0, -1).map(function (one, n) { return value(parameter.t, one) + " (" + values[values.length - 1][n] + ")"; }).join(" ");
        }
        if (parameter.each) { return values.map(function (one, seat) { return names[seat] + " " + value(parameter.t, one); }).join(", "); }
        return values.map(function (one) { return value(parameter.t, one); }).join(" ");
      }).filter(Boolean);
      return said.join(" ");
    };
    // An action as in a record.
    this.json = function (action, owner) {
      const found = { action: action.model.name };
      if (action.seat >= 0 && action.seat !== owner) { found.by = names[action.seat]; }
      action.model.of.forEach(function (parameter, at) {
        const values = action.values[at];
        if (parameter.k === "tops") {
          found[parameter.n] = {};
          values.slice(0, -1).forEach(function (one, n) { found[parameter.n][values[values.length - 1][n]] = value(parameter.t, one, true); });
        } else if (parameter.each) {
          found[parameter.n] = {};
          values.forEach(function (one, seat) { found[parameter.n][names[seat]] = value(parameter.t, one, true); });
        } else if (parameter.k === "list" || parameter.t.many) {
          found[parameter.n] = values.map(function (one) { return value(parameter.t, one, true); });
        } else if (!(parameter.k === "derived" && values[0] === NONE)) {
          found[parameter.n] = value(parameter.t, values[0], true);
        }
      });
      return found;
    };
    // The parameters by which an action names single cells, each with its cell.
    function single(action) {
      return action.model.of.map(function (parameter, at) { return [parameter, action.values[at][0]]; }).filter(function (one) {
        return one[0].t.k === "cell" && !one[0].t.many && !one[0].each && one[1] !== NONE;
      });
    }
    this.cells = function (action) { return single(action).map(function (one) { return cellOf(one[1]); }); };
    // The boards that these cells may be on: for each of them the numbers of their places.
    this.boards = function (action) { return single(action).map(function (one) { return one[0].t.g; }); };
    // The things that an action names: [place, picture] pairs.
    this.things = function (action) {
      const found = [];
      action.model.of.forEach(function (parameter, at) {
        if (!parameter.z || parameter.each || parameter.t.k !== "face" || parameter.by) { return; }
        const values = action.values[at], from = parameter.k === "tops" ? values[values.length - 1] : null;
        (from ? values.slice(0, -1) : values).forEach(function (face, n) {
          const own = parameter.z.filter(function (place) { return data.places[place].o === action.seat || data.places[place].o < 0; });
          const place = from ? parameter.z[from[n] - 1] : own[0];
          if (place !== undefined && face >= 0) { found.push([place, of.faces[parameter.t.c][face][0][0]]); }
        });
      });
      return found;
    };

    // ---- the table

    function picture(place, shown, things, key) {
      const face = things[things.length - 1], faces = of.faces[place.c];
      if (!faces) { return of.coins[face] === undefined ? -1 : of.coins[face]; }
      const inside = faces[face].length > 1 && key && key.split(",").every(function (n) { return Math.abs(n) % 2 === 1; });
      return inside ? faces[face][1] : faces[face][0][Math.min(things.length, faces[face][0].length) - 1];
    }
    function grid(place, shown) {
      const cells = {};
      const fill = function (slot, key) {
        const things = pile(place.a + place.p + slot * place.z);
        if (things.length) { cells[key] = [picture(place, shown, things, key), things.length]; }
      };
      if (place.f === undefined) {
        for (let slot = 0; slot < place.n; slot += 1) { fill(slot, (slot % place.w) + "," + Math.floor(slot / place.w)); }
      } else {
        for (let at = 0; at < word(place.a + place.u); at += 1) {
          const slot = word(place.a + place.o + 4 * at);
          fill(slot, cellOf(word(place.a + place.f + 4 * slot)));
        }
      }
      return cells;
    }
    // The contents of every place, in the form of the page.
    this.contents = function () {
      view();
      const found = of.places.map(function (place, number) {
        const shown = data.places[number];
        if (place.v) {
          if (place.v.many) { return pile(place.a).map(function (one) { return value(place.v, one); }).join(" ") || "–"; }
          const kept = word(place.a);
          if (place.die) { return kept > 0 ? [place.die[kept], 1] : []; }
          return value(place.v, kept) || "–";
        }
        if (shown.k === "grid") { return grid(place, shown); }
        const things = pile(place.a);
        if (shown.k === "pile") { return things.length ? [picture(place, shown, things), things.length] : []; }
        return (shown.k === "bag" && place.c ? things.sort(function (a, b) { return a - b; }) : things).map(function (face) { return picture(place, shown, [face]); });
      });
      of.tokens.forEach(function (token, number) {
        if (word(token[0]) === NONE) { return; }
        const place = token[1][word(token[0])], key = cellOf(word(token[0] + 4));
        if (place !== undefined) { found[place][key] = (found[place][key] || [-1, 0]).concat(of.letters[number]); }
      });
      return found;
    };
  }

  // The kernel of a page, a promise: null where the browser has not what it needs.
  function load(data, wasm) {
    if (!window.WebAssembly || !window.DecompressionStream) { return Promise.resolve(null); }
    return bytesOf(wasm).then(function (bytes) { return WebAssembly.compile(bytes); }).then(function (module) {
      const about = JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, "pwtool")[0]));
      return WebAssembly.instantiate(module).then(function (instance) { return new Kernel(instance.exports, about, data); });
    });
  }

  // ---- playing on

  const THINKS = 450, TRIED = 20000, LANDINGS = 30;

  // Lets people play on from any position of a game. `game` is what the page does for it.
  function Branch(game, data, wasm, isHosted) {
    const root = game.root, of = data.branch, say = data.say, names = data.names;
    const find = function (css) { return root.querySelector(css); };
    const button = find(".branch"), tools = find(".branched"), policy = find(".policy");
    let kernel = null, base = 0, from = null, acts = [], now = null, chosen = null, picked = [], missed = [], alone = null, opened = false, waits = null;

    this.active = function () { return now !== null; };
    this.base = function () { return base; };
    function begin() { chosen = { cells: [], things: [] }; picked = []; }
    function items(action) { return { cells: kernel.cells(action), things: kernel.things(action) }; }
    function fitting() {
      return now.actions.filter(function (action) {
        const all = items(action), things = all.things.map(String);
        return chosen.cells.every(function (key, n) { return all.cells[n] === key; })
          && chosen.things.every(function (thing) { const n = things.indexOf(String(thing)); if (n >= 0) { things.splice(n, 1); } return n >= 0; });
      });
    }
    function isWhole(action) {
      const all = items(action);
      return all.cells.length === chosen.cells.length && all.things.length === chosen.things.length;
    }
    // Actions that differ in nothing that people choose are one; which of them happens is chance.
    function groups(actions) {
      const found = new Map();
      actions.forEach(function (action) {
        const key = action.model.name + " " + action.seat + " " + kernel.words(action);
        found.set(key, (found.get(key) || []).concat([action]));
      });
      return Array.from(found.values());
    }
    function told(action, isDrawn) {
      const words = kernel.words(action, isDrawn), kinds = new Set(of.actions.map(function (one) { return one.name; }));
      const who = !isDrawn && action.seat >= 0 && action.seat !== now.owner ? names[action.seat] + say.colon : "";
      return who + (words && kinds.size === 1 ? words : action.model.title + (words ? say.colon + words : ""));
    }

    // ---- the game goes on

    function ranking() {
      const result = kernel.result(), places = [];
      result.forEach(function (one, seat) { (places[one.place] = places[one.place] || []).push(names[seat] + " " + one.total); });
      return places.filter(Boolean).map(function (group) { return group.join(" = "); }).join(" > ");
    }
    // What goes by itself: a turn in which nothing is left to do ends.
    function settle(words, seat, outside) {
      now = kernel.legal();
      for (let n = 0; n < 100 && !now.over && !now.actions.length && now.mayEnd; n += 1) {
        if (!kernel.endTurn()) { break; }
        acts.push({ end: true });
        now = kernel.legal();
      }
      begin();
      missed = [];
      if (words !== undefined) { game.add(words, seat, kernel.contents(), outside); }
      // Who is next: whose turn it is, or the only one who may do something.
      const seats = Array.from(new Set(now.actions.map(function (one) { return one.seat; })));
      // A kernel that exceeds one of its bounds does not know what is legal: that is not nothing.
      game.end(!now.known ? say.no_branch : now.over ? ranking() : now.actions.length || now.mayEnd ? "" : say.stuck, now.over ? -1 : now.owner < 0 && seats.length === 1 ? seats[0] : now.owner, now.over);
      tell([]);
      wake();
    }
    // The seat that plays by itself, and how: at random, or for points.
    function machineOf() {
      const words = policy ? policy.value.split(" ") : ["-1"];
      return { seat: Number(words[0]), greedy: words[1] === "greedy" };
    }
    // Brings the kernel back to what has been played.
    function again() {
      kernel.begin(from[0], from[1]);
      return acts.filter(function (one) {
        if (one.end) { kernel.endTurn(); return false; }
        kernel.legal();
        return kernel.act(one);
      });
    }
    // What gives a player the most points at once, as `pwtool play --policy greedy` counts them: the end of a turn, chance
    // and what all do at once count as nothing. Of very many ways some are tried.
    function greediest(ways, mayEnd) {
      const most = Math.ceil(TRIED / (acts.length + of.record.turns.length + 1));
      const tried = ways.map(function (way) { return [Math.random(), way]; }).sort(function (a, b) { return a[0] - b[0]; })
        .slice(0, most).map(function (one) { return one[1]; });
      const before = kernel.result();
      const gains = tried.map(function (way) {
        const action = way[0];
        if (action.seat < 0 || action.model.of.some(function (parameter) { return parameter.by; })) { return 0; }
        const gain = kernel.act(action) ? kernel.result()[action.seat].total - before[action.seat].total : -Infinity;
        // A turn begins when it is asked what is legal in it.
        again();
        kernel.legal();
        return gain;
      });
      if (mayEnd) { tried.push(null); gains.push(0); }
      const best = Math.max.apply(null, gains);
      return any(tried.filter(function (_, n) { return gains[n] === best; }));
    }
    // A side that plays by itself thinks, and then plays.
    function wake() {
      const machine = machineOf().seat;
      clearTimeout(waits);
      if (now === null || now.over || machine < 0) { return; }
      if (now.owner !== machine && !(now.owner < 0 && now.actions.some(function (one) { return one.seat === machine; }))) { return; }
      waits = setTimeout(function () {
        if (now === null || !game.isLast()) { return; }
        const own = now.actions.filter(function (one) { return one.seat === machine || one.seat < 0; });
        const ways = groups(own), way = ways.length && (machineOf().greedy ? greediest(ways, now.mayEnd) : any(ways));
        if (way) { play(any(way)); } else if (now.mayEnd) { endTurn(); }
      }, THINKS);
    }
    this.wake = wake;
    function play(action) {
      const seat = action.seat < 0 ? now.owner : action.seat, owner = now.owner;
      if (!kernel.draw(action)) { return; }
      acts.push({ model: action.model, seat: action.seat, values: action.values, json: kernel.json(action, owner), owner: owner });
      settle(told(action, true), seat, action.model.title);
    }
    function endTurn() {
      const seat = now.owner;
      if (!kernel.endTurn()) { return; }
      acts.push({ end: true });
      settle(say.end_turn, seat, say.end_turn);
    }
    function start() {
      const number = game.at();
      button.disabled = true;
      alone = alone || load(data, wasm);
      alone.then(function (made) {
        button.disabled = false;
        kernel = made;
        from = of.steps[number];
        if (!kernel || !kernel.begin(from[0], from[1])) { game.say(data.refused.length && data.refused[0] <= number ? say.after_refused : say.no_branch); return; }
        base = number;
        acts = [];
        opened = false;
        game.head(say.choose);
        game.cut(base);
        root.classList.add("branching");
        tools.hidden = false;
        button.hidden = true;
        settle();
      }, function () { game.say(say.no_branch); });
    }
    // In turns behind one that is refused nothing can be played on.
    this.offer = function (number) {
      const isBehind = data.refused.length > 0 && data.refused[0] < number && of.steps[data.refused[0]][0] < of.steps[number][0];
      button.disabled = isBehind;
      button.title = isBehind ? say.after_refused : "";
    };
    function leave() {
      now = null;
      from = null;
      game.head("");
      root.classList.remove("branching");
      tools.hidden = true;
      button.hidden = false;
      game.restore(base);
    }
    function takeBack() {
      const machine = machineOf().seat;
      let gone = null;
      do {
        while (acts.length && acts[acts.length - 1].end) { acts.pop(); }
        gone = acts.pop();
      } while (gone && gone.owner === machine && acts.some(function (one) { return !one.end && one.owner !== machine; }));
      game.cut(base + again().length);
      settle();
    }

    // ---- what people choose

    this.pick = function (place, what, isCell) {
      const cell = isCell ? what : undefined, thing = isCell ? undefined : [place, what], before = chosen, pointed = picked, one = point(place, what, isCell), earlier = missed;
      missed = [];
      chosen = isCell ? { cells: before.cells.concat([cell]), things: before.things } : { cells: before.cells, things: before.things.concat([thing]) };
      picked = pointed.concat([one]);
      let refused = false;
      if (!fitting().length) {
        const only = isCell && before.cells.length ? landing(place, what, before) : null;
        if (only) { play(only); return; }
        chosen = isCell ? { cells: [cell], things: [] } : { cells: [], things: [thing] };
        picked = [one];
        refused = !fitting().length;
        if (refused) {
          // Of two clicks that nothing can be done with, the first may be on what was to go to the second.
          const isFirst = !pointed.length && (!earlier.length || JSON.stringify(earlier[0]) === JSON.stringify(one));
          tell((pointed.length ? pointed : isFirst ? [] : earlier).concat([one]));
          if (isFirst && isCell && what in kernel.contents()[place]) { missed = [one]; }
        }
        if (before.cells.indexOf(cell) >= 0 || refused) { begin(); }
      }
      const found = fitting(), whole = found.filter(isWhole);
      if ((chosen.cells.length || chosen.things.length) && whole.length === found.length && groups(whole).length === 1) { play(any(whole)); return; }
      if (!refused) { tell([]); }
      game.redraw();
    };
    // A place in which nothing lies.
    this.nothing = function (place, isGrid) {
      const there = kernel.contents()[place];
      if (!isGrid && (!there || !there.length)) { tell([{ place: place, code: "" }]); }
    };
    // Where an action names what it passes, players name the cell behind: the only action that goes on from what is chosen and puts
    // something there, if there is one.
    function landing(place, cell, before) {
      const after = chosen;
      chosen = before;
      const ways = groups(fitting());
      chosen = after;
      if (cell in kernel.contents()[place] || ways.length > LANDINGS) { return null; }
      const found = ways.filter(function (way) {
        if (way[0].model.of.some(function (parameter) { return parameter.by; })) { return false; }
        const lands = kernel.act(way[0]) && cell in kernel.contents()[place];
        again();
        kernel.legal();
        return lands;
      });
      return found.length === 1 ? any(found[0]) : null;
    }
    // Something on the table for the page around this one: its place, and its cell or its code.
    function point(place, what, isCell) {
      if (isCell) { return { place: place, cell: what.split(",").map(Number) }; }
      const kind = of.places[place].c, face = kind ? of.faces[kind].findIndex(function (drawn) { return drawn.flat(2).indexOf(what) >= 0; }) : -1;
      return { place: place, code: face < 0 ? "" : of.codes[kind][face] };
    }
    // The page around this one shows no longer what was refused.
    window.addEventListener("message", function (event) {
      if (isHosted && event.source === window.parent && event.data === "forget") { missed = []; }
    });
    // Tells the page around this one what has been played, and what was chosen that nothing can be done with.
    const self = this;
    function tell(things) {
      if (!isHosted || window.parent === window) { return; }
      const isOpen = acts.length ? !acts[acts.length - 1].end : from[1] > 0;
      window.parent.postMessage({ pwtool: "table", record: self.record(), open: isOpen, things: things }, "*");
    }
    // The cells and things that may be chosen next: a function is told of each, with what has been chosen.
    this.marks = function (cell, thing) {
      const found = fitting();
      chosen.cells.forEach(function (key, n) { if (found.length) { cell(key, true, found[0].seat < 0 ? now.owner : found[0].seat, kernel.boards(found[0])[n]); } });
      chosen.things.forEach(function (one) { thing(one[0], one[1], true); });
      found.forEach(function (action) {
        const all = items(action), next = chosen.cells.length;
        if (all.cells.length > next) { cell(all.cells[next], false, action.seat < 0 ? now.owner : action.seat, kernel.boards(action)[next]); }
        const left = all.things.map(String);
        chosen.things.forEach(function (one) { left.splice(left.indexOf(String(one)), 1); });
        left.forEach(function (one) { thing.apply(null, one.split(",").map(Number)); });
      });
    };
    // Who chose with the keyboard goes on from the list, whose buttons are new.
    function stay(event) {
      if (event.detail === 0) { find(".legal-now summary").focus(); }
    }
    // What may be done, as buttons; what the board offers needs none as long as it is much.
    this.list = function (box, line, viewer) {
      const found = groups(fitting().filter(function (one) { return viewer === undefined || viewer < 0 || one.seat < 0 || one.seat === viewer; }));
      // What the board does not offer comes first.
      const onBoard = function (group) { const all = items(group[0]); return all.cells.length + all.things.length > 0; };
      const shown = found.filter(function (group) { return !onBoard(group); }).slice(0, 400).concat(found.filter(onBoard).slice(0, 60));
      shown.forEach(function (group) {
        const one = line("button", "way", told(group[0]), box);
        one.type = "button";
        one.addEventListener("click", function (event) { play(any(group)); stay(event); });
      });
      if (found.length > shown.length) { line("p", "soft", "…", box); }
      if (now.mayEnd && !now.over) {
        const one = line("button", "way", say.end_turn, box);
        one.type = "button";
        one.addEventListener("click", function (event) { endTurn(); stay(event); });
      }
      if (!found.length && !now.mayEnd) { line("p", "", !now.known ? say.no_branch : now.over ? ranking() : now.actions.length ? say.unseen_thing : say.nothing_legal, box); }
    };
    // Whether something can only be chosen from the list.
    this.opensList = function () {
      const needed = now.mayEnd || fitting().some(function (action) { const all = items(action); return !all.cells.length && !all.things.length; }) || fitting().filter(isWhole).length > 1;
      const opens = needed && (!opened || (chosen.cells.length > 0 && fitting().filter(isWhole).length > 1));
      opened = opened || needed;
      return opens;
    };
    // The game with what has been played on, as a record.
    this.record = function () {
      if (from === null) { return JSON.stringify(of.record, null, 1); }
      const record = Object.assign({}, of.record, { turns: of.record.turns.slice(0, from[0]) }), begun = of.record.turns[from[0]];
      let turn = null;
      // What follows by itself is not written down for what was played here.
      delete record.recorded;
      if (from[1] && begun) { turn = Object.assign({}, begun, { actions: begun.actions.slice(0, from[1]) }); record.turns.push(turn); }
      acts.forEach(function (act) {
        if (act.end) { turn = null; return; }
        if (!turn) { turn = act.owner < 0 ? { actions: [] } : { player: names[act.owner], actions: [] }; record.turns.push(turn); }
        turn.actions.push(act.json);
      });
      return JSON.stringify(record, null, 1);
    };

    button.addEventListener("click", start);
    find("[data-branch='leave']").addEventListener("click", leave);
    find("[data-branch='back']").addEventListener("click", function () { if (acts.length) { takeBack(); } });
    if (policy) { policy.addEventListener("change", function () { if (now && game.isLast()) { game.cut(game.at()); settle(); } }); }
    this.start = start;
  }

  window.pwtoolKernel = load;
  window.PwtoolBranch = Branch;
}());
