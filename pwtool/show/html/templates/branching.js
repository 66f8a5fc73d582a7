// Plays on under the same rules: the kernel of a page, what its words mean, and the table as it lies in its memory.
// docs/kernel.md describes the functions and the words.
(function () {
  "use strict";
  const NONE = -2147483648, MEMBER = 1610612736, ROOM = 1 << 21, VERDICT = 0, CLEAN = 0;

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
        const found = legal.actions.filter(function (one) { return sorted(this.json(one, legal.owner)) === same; }, this);
        return found.length > 0 && this.act(found[0]);
      }, this);
    };
    // What may be done now: whether the turn may end, whether the game is over, whose turn it is, the actions.
    this.legal = function () {
      view();
      const count = exports.legal(begin, ROOM);
      const said = Array.from(view().subarray(begin >> 2, (begin >> 2) + count)), actions = [];
      for (let at = 3; at < said.length;) {
        const start = at, model = of.actions[said[at]], action = { model: model, seat: said[at + 1], values: [] };
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
        action.words = said.slice(start, at);
        actions.push(action);
      }
      return { mayEnd: (said[1] & 1) === 1, over: (said[1] & 2) === 2, owner: said[2], actions: actions, known: count > 0 };
    };
    this.act = function (action) {
      view().set(action.words, begin >> 2);
      return exports.act(begin) === 0;
    };
    this.endTurn = function () { return exports["end turn"]() === 0; };
    // The totals and the places of all seats, once the game is over.
    this.result = function () {
      exports.answer(begin);
      const said = view().subarray(begin >> 2), each = 1 + about.lines.length, last = 16 + about.players * each;
      return names.map(function (_, seat) { return { total: said[16 + seat * each], place: said[last + seat] }; });
    };

    // ---- words

    function value(type, found, forRecord) {
      if (found === NONE) { return forRecord ? null : ""; }
      if (type.k === "face") { return found < 0 ? "?" : of.codes[type.c][found]; }
      if (type.k === "cell") { return forRecord ? cellOf(found).split(",").map(Number) : named(cellOf(found)); }
      if (type.k === "player") { return names[found]; }
      if (type.k === "goal") { return of.goals[found][forRecord ? 0 : 1]; }
      if (found >= MEMBER) { return of.members[found - MEMBER][forRecord ? 0 : 1]; }
      if (type.k === "bool") { return forRecord ? Boolean(found) : data.say[found ? "yes" : "no"]; }
      return forRecord ? found : String(found);
    }
    function named(key) {
      const at = key.split(","), known = data.places.filter(function (place) { return place.c || (place.l && place.l[key]); })[0];
      return !known ? "(" + key + ")" : known.c ? known.c[at[0]] + known.r[at[1]] : known.l[key];
    }
    // An action in words, without those parameters that say nothing.
    this.words = function (action) {
      const said = action.model.of.map(function (parameter, at) {
        const values = action.values[at];
        if (parameter.by) { return ""; }
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
    // The cells that an action names, by the number of the parameter.
    this.cells = function (action) {
      return action.model.of.map(function (parameter, at) {
        return parameter.t.k === "cell" && !parameter.t.many && !parameter.each && action.values[at][0] !== NONE ? cellOf(action.values[at][0]) : "";
      }).filter(Boolean);
    };
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

  // The kernel of a page, a promise: null where the browser has what it needs not.
  window.pwtoolKernel = function (data, wasm) {
    if (!window.WebAssembly || !window.DecompressionStream) { return Promise.resolve(null); }
    return bytesOf(wasm).then(function (bytes) { return WebAssembly.compile(bytes); }).then(function (module) {
      const about = JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, "pwtool")[0]));
      return WebAssembly.instantiate(module).then(function (instance) { return new Kernel(instance.exports, about, data); });
    });
  };
}());
