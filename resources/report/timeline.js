"use strict";
// The timelines of a report: each <figure class="timeline"> has a run, packed, in data-run, as
// gui/report/timeline.py writes it. Times are whole ns since the first step on the page.
(() => {
  const HIGH = 26, LOW = 15, GAP = 5, AXIS = 22, TILE = 6, LEAST = 50;
  const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const FONT = '12px system-ui, "Helvetica Neue", Arial, sans-serif';

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function durationText(ns) {
    const [scale, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS.at(-1);
    const value = ns / scale;
    const digits = Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
    return `${value.toFixed(digits)}\u00a0${unit}`;
  }

  function summed(steps) {
    let at = 0;
    return Float64Array.from(steps, (step) => (at += step));
  }

  // The first place in sorted values that is above a limit.
  function above(values, limit) {
    let low = 0, high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function made(tag, parent, text = "", kind = "") {
    const element = parent.appendChild(document.createElement(tag));
    element.textContent = text;
    element.className = kind;
    return element;
  }

  // Colours and patterns of the theme that the page has now.
  class Paints {
    constructor() {
      this.style = getComputedStyle(document.documentElement);
      this.known = new Map();
    }

    colour(name) {
      return this.style.getPropertyValue(`--${name}`).trim();
    }

    // What can be read best on a colour: as the window decides, by the contrast of WCAG 2.
    letters(name) {
      const light = (colour) => {
        const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
        const [r, g, b] = parts.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      const below = light(this.colour(name));
      const contrast = (other) => Math.max(light(other) / below, below / light(other));
      const choices = [this.colour("on_bar"), this.colour("text")];
      return contrast(choices[0]) >= contrast(choices[1]) ? choices[0] : choices[1];
    }

    pattern(context, colour, pattern) {
      const key = `${colour} ${pattern}`;
      if (!this.known.has(key)) this.known.set(key, this.tile(context, colour, pattern));
      return this.known.get(key);
    }

    tile(context, colour, pattern) {
      if (pattern === "solid") return this.colour(colour);
      const scale = devicePixelRatio, canvas = document.createElement("canvas");
      canvas.width = canvas.height = Math.round(TILE * scale);
      const tile = canvas.getContext("2d"), size = canvas.width;
      tile.fillStyle = this.colour("plot");
      tile.fillRect(0, 0, size, size);
      tile.strokeStyle = this.colour(colour);
      tile.lineWidth = scale;
      const line = (...ends) => {
        tile.beginPath();
        tile.moveTo(ends[0], ends[1]);
        tile.lineTo(ends[2], ends[3]);
        tile.stroke();
      };
      for (const shift of [-size, 0, size]) {  // the corners belong to neighbours' lines too
        if (pattern === "rising" || pattern === "crossed") line(shift, size, shift + size, 0);
        if (pattern === "falling" || pattern === "crossed") line(shift, 0, shift + size, size);
      }
      if (pattern === "level" || pattern === "squared") line(0, size / 2, size, size / 2);
      if (pattern === "upright" || pattern === "squared") line(size / 2, 0, size / 2, size);
      const repeated = context.createPattern(canvas, "repeat");
      repeated.setTransform(new DOMMatrix().scale(1 / scale));
      return repeated;
    }
  }

  class Timeline {
    constructor(root, run) {
      this.root = root;
      this.run = run;
      for (const lane of run.lanes) {
        lane.start = summed(lane.start);
        lane.idle = summed(lane.idle);
        // A bar may end after the one behind it: the latest end so far finds the first on screen.
        let latest = 0;
        lane.ended = lane.start.map((at, n) => (latest = Math.max(latest, at + lane.length[n])));
      }
      this.begins = run.steps.map(([, begin]) => begin);
      this.build();
      this.show(...run.shown);
      new ResizeObserver(() => this.draw()).observe(this.canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
      // Paper is light, which style sheets for print say too late for a canvas.
      for (const [when, printed] of [["beforeprint", true], ["afterprint", false]]) {
        addEventListener(when, () => {
          document.documentElement.classList.toggle("printed", printed);
          this.repaint();
        });
      }
    }

    build() {
      const { root, run } = this, words = run.words;
      const bar = made("div", root, "", "tools");
      const button = (text, name, action) => {
        const one = made("button", bar, text);
        one.type = "button";
        one.title = name;
        one.setAttribute("aria-label", name);
        one.addEventListener("click", action);
      };
      const stepping = run.steps.length > 0;
      if (stepping) button("‹", words.before, () => this.step(-1));
      this.place = made("span", bar, "", "place");
      this.place.setAttribute("aria-live", "polite");
      this.place.hidden = !stepping;
      if (stepping) button("›", words.next, () => this.step(1));
      button("+", words.closer, () => this.zoom(0.5));
      button("−", words.wider, () => this.zoom(2));
      button(words.whole, words.whole, () => this.show(0, run.end));
      made("span", bar, words.hint, "hint");
      this.canvas = made("canvas", root);
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", root.getAttribute("aria-label"));
      this.tip = made("div", root, "", "tip");
      this.tip.setAttribute("role", "status");
      this.tip.hidden = true;
      this.legend = made("div", root, "", "legend");
      let top = AXIS;
      this.rows = run.lanes.map((lane) => {
        top += lane.low ? 1 : GAP;
        const row = { lane, top, height: lane.low ? LOW : HIGH };
        top += row.height;
        return row;
      });
      this.height = top + GAP;
      this.canvas.style.height = `${this.height}px`;
      this.listen();
      this.repaint();
    }

    listen() {
      const { canvas } = this;
      let held = null;
      canvas.addEventListener("wheel", (event) => {
        const whole = this.to - this.from >= this.run.end;
        if (whole && event.deltaY > 0 && !event.shiftKey) return;  // nothing is wider: the page scrolls
        event.preventDefault();
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          this.move(((event.deltaX || event.deltaY) / this.width) * (this.to - this.from));
        } else {
          this.zoom(2 ** (event.deltaY / 300), this.time(event.offsetX));
        }
        this.point(event);
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => {
        held = { x: event.offsetX, from: this.from, to: this.to };
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointerup", () => (held = null));
      canvas.addEventListener("pointermove", (event) => {
        if (held !== null) {
          const by = ((held.x - event.offsetX) / this.width) * (held.to - held.from);
          this.show(held.from + by, held.to + by);
        }
        this.point(event);
      });
      canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
      canvas.addEventListener("dblclick", (event) => this.step(0, this.time(event.offsetX)));
      canvas.addEventListener("keydown", (event) => {
        const tenth = (this.to - this.from) / 10;
        const keys = {
          ArrowLeft: () => this.move(-tenth), ArrowRight: () => this.move(tenth),
          "+": () => this.zoom(0.5), "-": () => this.zoom(2),
          Home: () => this.show(0, this.run.end),
        };
        if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        keys[event.key]();
      });
    }

    // The time on screen, in ns; what is outside of the run is never shown.
    show(from, to) {
      const length = Math.max(LEAST, Math.min(to - from, this.run.end));
      this.from = Math.max(0, Math.min(from, this.run.end - length));
      this.to = this.from + length;
      this.root.dataset.from = Math.round(this.from);
      this.root.dataset.to = Math.round(this.to);
      const [first, last] = this.stepsSeen().map((at) => this.run.steps[at]?.[0] ?? "");
      this.place.textContent = first === last ? first : `${first} – ${last}`;
      this.drawSoon();
    }

    move(by) {
      this.show(this.from + by, this.to + by);
    }

    zoom(by, about = (this.from + this.to) / 2) {
      this.show(about - (about - this.from) * by, about + (this.to - about) * by);
    }

    stepAt(time) {
      return Math.max(0, above(this.begins, time) - 1);
    }

    // The first and last step that are looked at: that in the middle, of several whole ones all.
    stepsSeen() {
      const { steps } = this.run, middle = this.stepAt((this.from + this.to) / 2);
      const within = ([, begin, end]) => begin >= this.from && end <= this.to;
      const first = steps.findIndex(within), last = steps.findLastIndex(within);
      return first < last ? [first, last] : [middle, middle];
    }

    step(by, time = (this.from + this.to) / 2) {
      const { steps } = this.run;
      if (!steps.length) return;
      const [, begin, end] = steps[Math.max(0, Math.min(this.stepAt(time) + by, steps.length - 1))];
      this.show(begin, end);
    }

    time(x) {
      return this.from + ((x - this.gutter) / this.width) * (this.to - this.from);
    }

    x(time) {
      return this.gutter + ((time - this.from) / (this.to - this.from)) * this.width;
    }

    repaint() {
      this.paints = new Paints();
      const context = this.canvas.getContext("2d"), { run } = this;
      this.legend.replaceChildren();
      const entry = (text, paint) => {
        const one = made("span", this.legend), swatch = made("canvas", one);
        swatch.width = 18 * devicePixelRatio;
        swatch.height = 12 * devicePixelRatio;
        const drawn = swatch.getContext("2d");
        drawn.scale(devicePixelRatio, devicePixelRatio);
        paint(drawn);
        one.append(text);
      };
      for (const [text, family] of run.families) {
        entry(text, (drawn) => this.bar(drawn, 0, 0, 18, 12, family));
      }
      const there = new Set(run.lanes.flatMap((lane) => [...new Set(lane.cause)]));
      run.causes.forEach(([text, , colour, pattern], place) => {
        if (there.has(place)) entry(text, (drawn) => {
          drawn.fillStyle = this.paints.pattern(context, colour, pattern);
          this.band(drawn, 0, 0, 18, 12);
        });
      });
      this.draw();
    }

    // However often the mouse moves, a frame is drawn once.
    drawSoon() {
      this.waiting ??= requestAnimationFrame(() => this.draw());
    }

    draw() {
      const { canvas, run } = this, scale = devicePixelRatio;
      this.waiting = null;
      if (this.from === undefined || !canvas.clientWidth) return;
      const wide = canvas.clientWidth;
      if (canvas.width !== Math.round(wide * scale)) canvas.width = Math.round(wide * scale);
      if (canvas.height !== Math.round(this.height * scale)) {
        canvas.height = Math.round(this.height * scale);
      }
      const context = canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, wide, this.height);
      context.font = FONT;
      context.textBaseline = "middle";
      const names = run.lanes.map((lane) => context.measureText(lane.name + lane.note).width);
      this.gutter = Math.min(220, wide / 3, Math.max(124, ...names) + 26);
      this.width = wide - this.gutter;
      this.least = Math.ceil(this.gutter);  // the first whole pixel of the plot
      this.drawAxis(context);
      for (const row of this.rows) this.drawName(context, row);
      context.save();
      context.beginPath();
      context.rect(this.gutter, 0, this.width, this.height);
      context.clip();
      for (const row of this.rows) this.drawRow(context, row);
      context.restore();
    }

    drawAxis(context) {
      const { run, paints } = this, length = this.to - this.from;
      const zero = run.steps[this.stepsSeen()[0]]?.[1] ?? 0;
      const least = (length / this.width) * 90;
      const power = 10 ** Math.floor(Math.log10(least));
      const apart = power * [1, 2, 5, 10].find((by) => power * by >= least);
      const [size, unit] = UNITS.find(([ns]) => length / 2 >= ns) ?? UNITS.at(-1);
      const digits = Math.max(0, -Math.floor(Math.log10(apart / size) + 1e-9));
      context.textAlign = "center";
      for (let n = Math.ceil((this.from - zero) / apart); zero + n * apart <= this.to; n += 1) {
        const x = this.x(zero + n * apart);
        context.fillStyle = paints.colour("grid");
        context.fillRect(Math.round(x), AXIS, 1, this.height - AXIS);
        context.fillStyle = paints.colour("muted");
        const text = `${((n * apart) / size).toFixed(digits)} ${unit}`.replace("-", "−");
        const half = context.measureText(text).width / 2, end = this.gutter + this.width;
        if (x + half < end) context.fillText(text, Math.max(x, this.gutter + half), AXIS / 2);
      }
      context.fillStyle = paints.colour("line");
      for (const [, begin] of run.steps) {
        if (begin > this.from && begin < this.to) {
          context.fillRect(Math.round(this.x(begin)), AXIS - 6, 1, this.height - AXIS + 6);
        }
      }
    }

    drawName(context, { lane, top, height }) {
      const middle = top + height / 2, { paints } = this;
      context.textAlign = "left";
      context.fillStyle = paints.colour(lane.low ? "muted" : "text");
      let room = this.gutter - 12;
      if (lane.note) room -= context.measureText(lane.note).width + 8;
      context.fillText(this.cut(context, lane.name, room), lane.low ? 10 : 0, middle);
      context.textAlign = "right";
      context.fillStyle = paints.colour("muted");
      context.fillText(lane.note, this.gutter - 10, middle);
    }

    cut(context, text, room) {
      if (context.measureText(text).width <= room) return text;
      let kept = text.length;
      while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > room) kept -= 1;
      return `${text.slice(0, kept)}…`;
    }

    // Idle time is lower than a bar, so that none is taken for the other.
    band(context, x, top, width, height) {
      const air = Math.round(height / 4);
      context.fillRect(x, top + air, width, height - 2 * air);
    }

    bar(context, x, top, width, height, family) {
      const colours = this.run.colours[family];
      colours.forEach((colour, part) => {
        context.fillStyle = this.paints.colour(colour);
        context.fillRect(x, top + (part * height) / colours.length, width, height / colours.length);
      });
    }

    drawRow(context, { lane, top, height }) {
      const { run, paints } = this;
      const scale = this.width / (this.to - this.from), origin = this.gutter - this.from * scale;
      const idleLast = above(lane.idle, this.to);
      for (let n = Math.max(0, above(lane.idle, this.from) - 1); n < idleLast; n += 1) {
        const wide = lane.idleLength[n] * scale;
        if (wide < 0.5) continue;
        const [, , colour, pattern] = run.causes[lane.cause[n]];
        context.fillStyle = paints.pattern(context, colour, pattern);
        this.band(context, origin + lane.idle[n] * scale, top, wide, height);
      }
      // Bars of less than a pixel are gathered: a pixel has the family that takes most of it.
      const shares = new Float64Array(run.colours.length);
      let pixel = -1;
      const flush = () => {
        if (pixel < 0) return;
        const most = Math.max(...shares);
        context.globalAlpha = Math.max(0.3, Math.min(1, most));
        this.bar(context, pixel, top, 1, height, most ? shares.indexOf(most) : family);
        context.globalAlpha = 1;
        pixel = -1;
        shares.fill(0);
      };
      let family = 0;
      const last = above(lane.start, this.to);
      for (let n = above(lane.ended, this.from); n < last; n += 1) {
        const x = origin + lane.start[n] * scale, end = x + lane.length[n] * scale;
        const what = run.what[lane.what[n]], label = what[0];
        if (end - x < 1) {
          const at = Math.max(Math.floor(x), this.least);
          if (at !== pixel) flush();
          pixel = at;
          family = what[3];
          shares[family] += end - x;
          continue;
        }
        flush();
        family = what[3];
        const room = end - x > 3 ? end - x - 0.5 : end - x;  // a hair between neighbours
        this.bar(context, x, top, room, height, family);
        const left = Math.max(x, this.gutter), seen = Math.min(end, this.gutter + this.width) - left;
        if (seen > 14 && context.measureText(label).width < seen - 6) {
          context.textAlign = "center";
          context.fillStyle = paints.letters(run.colours[family][0]);
          context.fillText(label, left + seen / 2, top + height / 2);
        }
      }
      flush();
    }

    // What is told of the place under the pointer.
    point(event) {
      const row = this.rows.find(({ top, height }) => event.offsetY >= top && event.offsetY < top + height);
      const lines = row ? this.toldAt(row.lane, event.offsetX) : null;
      this.tip.hidden = lines === null;
      if (lines === null) return;
      this.tip.replaceChildren();
      lines.forEach((line, n) => made(n ? "div" : "b", this.tip, line));
      const room = this.root.clientWidth - this.tip.offsetWidth;
      this.tip.style.left = `${Math.max(0, Math.min(event.offsetX + 14, room))}px`;
      this.tip.style.top = `${this.canvas.offsetTop + event.offsetY + 18}px`;
    }

    toldAt(lane, x) {
      return x < this.gutter ? [lane.name, lane.note].filter(Boolean) : this.told(lane, this.time(x));
    }

    told(lane, time) {
      const { run } = this, near = (2 * (this.to - this.from)) / this.width;
      for (let n = above(lane.start, time + near) - 1; n >= 0 && lane.ended[n] > time - near; n -= 1) {
        if (lane.start[n] + lane.length[n] < time - near / 4) continue;
        const [, title, carried] = run.what[lane.what[n]];
        const lines = [title, `${durationText(lane.length[n])} · ${this.since(lane.start[n])}`];
        return [...lines, [lane.name, carried].filter(Boolean).join(" · ")];
      }
      const n = above(lane.idle, time) - 1;
      if (n < 0 || lane.idle[n] + lane.idleLength[n] < time) return null;
      const [label, sentence] = run.causes[lane.cause[n]];
      const head = fill(run.words.idle, { cause: label });
      const when = `${durationText(lane.idleLength[n])} · ${this.since(lane.idle[n])}`;
      return [head, when, lane.name, sentence];
    }

    since(time) {
      const { steps, words } = this.run;
      if (!steps.length) return fill(words.after, { time: durationText(time) });
      const [step, begin] = steps[this.stepAt(time)];
      return fill(words.into, { time: durationText(time - begin), step });
    }
  }

  for (const root of document.querySelectorAll("figure.timeline")) {
    unpack(root.dataset.run).then((run) => {
      root.timeline = new Timeline(root, run);
      delete root.dataset.run;
    });
  }
})();
