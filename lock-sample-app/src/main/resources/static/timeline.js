// The timeline: a row for each instance and thread; pale while it waits, solid while it is in the locked method.
import { colour, instanceColour, onSchemeChange } from './palette.js';
import { duration, threadName, tokenEnd } from './format.js';

const STRIP = 10;
const AXIS = 22;
const LABEL = 86;
const MOST = 6000;

export class Timeline {
  constructor(canvas, isExclusive) {
    this.canvas = canvas;
    this.isExclusive = isExclusive;
    this.view = null;
    this.clear();
    new ResizeObserver(() => this.request()).observe(canvas);
    onSchemeChange(() => this.request());
    canvas.addEventListener('keydown', (event) => this.onKey(event));
    canvas.addEventListener('wheel', (event) => {
      if (event.ctrlKey || event.shiftKey) {
        event.preventDefault();
        this.zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8);
      }
    }, { passive: false });
    let drag = null;
    canvas.addEventListener('pointerdown', (event) => { drag = { x: event.clientX, range: this.range() }; });
    addEventListener('pointerup', () => { drag = null; });
    addEventListener('pointermove', (event) => {
      if (drag && this.view) {
        const [from, to] = drag.range;
        this.show(from - (event.clientX - drag.x) * (to - from) / (canvas.clientWidth - LABEL), to - from);
      }
    });
  }

  clear() {
    this.finished = [];
    this.present = new Map();
    this.rows = [];
    this.mishaps = [];
    this.gone = new Set();
    this.clock = null;
    this.view = null;
    this.request();
  }

  // What an instance reports.
  add(report) {
    if (this.gone.has(report.name)) {
      return;
    }
    const heard = performance.now();
    if (!this.clock || report.at > this.clock.at) {
      this.clock = { at: report.at, heard };
    }
    const own = (visit) => ({ ...visit, instance: report.name });
    this.finished.push(...report.finished.map(own));
    if (this.finished.length > MOST) {
      this.finished.splice(0, this.finished.length - MOST);
    }
    this.present.set(report.name, { at: report.at, visits: report.present.map(own) });
    [...this.finished.slice(-report.finished.length || this.finished.length), ...this.present.get(report.name).visits]
      .forEach((visit) => this.row(visit));
    this.request();
  }

  // A holder that crashed: its bar ends, its lock stays until somebody takes over.
  crashed(visit, at) {
    this.mishaps.push({ ...visit, left: at, until: null });
    this.gone.add(visit.instance);
    this.finished.push(...this.present.get(visit.instance).visits
      .filter((v) => v.thread !== visit.thread).map((v) => ({ ...v, left: at })));
    this.present.delete(visit.instance);
  }

  takenOver(token, at) {
    this.mishaps.filter((m) => m.token === token).forEach((m) => { m.until = at; });
  }

  row(visit) {
    const key = `${visit.instance} ${threadName(visit.thread)}`;
    if (!this.rows.includes(key)) {
      this.rows.push(key);
      this.rows.sort((a, b) => a[0].localeCompare(b[0]) || a.length - b.length || a.localeCompare(b));
    }
    return this.rows.indexOf(key);
  }

  now() {
    return this.clock ? this.clock.at + (performance.now() - this.clock.heard) * 1000 : 0;
  }

  isLive() {
    return [...this.present.values()].some((p) => p.visits.length > 0) || this.mishaps.some((m) => !m.until);
  }

  visits() {
    const now = this.now();
    const open = [...this.present.values()].flatMap((p) => p.visits)
      .map((v) => ({ ...v, left: v.left || now, open: true }));
    return [...this.finished, ...this.mishaps, ...open];
  }

  whole() {
    const visits = this.visits();
    if (visits.length === 0) {
      return [0, 1e6];
    }
    const from = visits.reduce((least, v) => Math.min(least, v.arrived), Infinity);
    const to = visits.reduce((most, v) => Math.max(most, v.left, v.until ?? 0), 0);
    return [from, Math.max(from + 200_000, this.isLive() ? this.now() : to)];
  }

  range() {
    return this.view ? [this.view.from, this.view.from + this.view.span] : this.whole();
  }

  show(from, span) {
    const [first, last] = this.whole();
    const width = Math.max(5_000, span);
    if (width >= last - first) {
      this.view = null;
    }
    else {
      this.view = { from: Math.min(Math.max(first, from), last - width), span: width };
    }
    this.request();
  }

  zoom(factor) {
    const [from, to] = this.range();
    const middle = (from + to) / 2;
    this.show(middle - (to - from) * factor / 2, (to - from) * factor);
  }

  all() {
    this.view = null;
    this.request();
  }

  onKey(event) {
    const [from, to] = this.range();
    const actions = {
      '+': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.all(),
      ArrowLeft: () => this.show(from - (to - from) / 4, to - from),
      ArrowRight: () => this.show(from + (to - from) / 4, to - from),
      Home: () => this.show(0, to - from), End: () => this.show(Infinity, to - from),
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  request() {
    if (!this.requested) {
      this.requested = true;
      requestAnimationFrame(() => {
        this.requested = false;
        this.draw();
        if (this.isLive()) {
          setTimeout(() => this.request(), 80);
        }
      });
    }
  }

  draw() {
    const { canvas } = this;
    const height = Math.min(18, Math.max(11.5, 380 / Math.max(1, this.rows.length)));
    const wanted = Math.max(150, STRIP + 8 + this.rows.length * height + AXIS);
    if (canvas.style.height !== `${wanted}px`) {
      canvas.style.height = `${wanted}px`;
    }
    const scale = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.width = width * scale;
    canvas.height = wanted * scale;
    const g = canvas.getContext('2d');
    g.scale(scale, scale);
    g.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    g.textBaseline = 'middle';
    if (this.rows.length === 0) {
      g.fillStyle = colour('soft');
      g.textAlign = 'center';
      g.fillText('Send a crowd to see it here.', width / 2, wanted / 2);
      return;
    }
    const [from, to] = this.range();
    const x = (micros) => LABEL + (micros - from) / (to - from) * (width - LABEL - 6);
    const y = (row) => STRIP + 8 + row * height;
    this.drawRows(g, width, height, y);
    this.drawAxis(g, width, wanted, from, to, x);
    g.save();
    g.beginPath();
    g.rect(LABEL, 0, width - LABEL, wanted);
    g.clip();
    const visits = this.visits().filter((v) => v.arrived < to && Math.max(v.left, v.until ?? 0) > from);
    visits.forEach((visit) => this.drawVisit(g, visit, x, y(this.row(visit)), height));
    this.mishaps.forEach((mishap) => this.drawOrphan(g, mishap, x, y(this.row(mishap)), height));
    this.drawStrip(g, visits, x);
    g.restore();
  }

  drawRows(g, width, height, y) {
    g.textAlign = 'left';
    this.rows.forEach((key, row) => {
      const first = row === 0 || this.rows[row - 1][0] !== key[0];
      if (first && row > 0) {
        g.fillStyle = colour('line');
        g.fillRect(0, y(row) - 0.5, width, 1);
      }
      if (first) {
        g.fillStyle = instanceColour(key);
        g.font = g.font.replace(/^.*?11px/, '700 11px');
        g.fillText(key[0], 6, y(row) + height / 2);
        g.font = g.font.replace(/^.*?11px/, '11px');
      }
      g.fillStyle = colour('soft');
      g.fillText(key.slice(2), 24, y(row) + height / 2, LABEL - 28);
    });
  }

  drawAxis(g, width, wanted, from, to, x) {
    const steps = [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 3e7, 6e7];
    const step = steps.find((s) => (to - from) / s <= (width - LABEL) / 80) ?? 12e7;
    const [start] = this.whole();
    g.fillStyle = colour('soft');
    g.strokeStyle = colour('line');
    g.textAlign = 'center';
    for (let t = Math.ceil((from - start) / step) * step; t <= to - start; t += step) {
      const at = x(start + t);
      g.beginPath();
      g.moveTo(at, STRIP + 4);
      g.lineTo(at, wanted - AXIS + 4);
      g.stroke();
      g.fillText(t === 0 ? '0' : duration(t), Math.min(Math.max(at, LABEL + 12), width - 22), wanted - AXIS / 2 + 2);
    }
  }

  drawVisit(g, visit, x, y, height) {
    const bad = ['REFUSED', 'COMMIT_REFUSED'].includes(visit.outcome) || visit.mishap;
    g.fillStyle = instanceColour(visit.instance);
    g.globalAlpha = 0.22;
    const waitEnd = x(visit.entered || visit.left);
    g.fillRect(x(visit.arrived), y + height * 0.3, Math.max(0.5, waitEnd - x(visit.arrived)), height * 0.4);
    g.globalAlpha = 1;
    if (!visit.entered) {
      return;
    }
    if (bad) {
      g.fillStyle = colour('bad');
    }
    const start = x(visit.entered);
    const length = Math.max(1.2, x(visit.left) - start - 0.4);
    g.fillRect(start, y + 1.5, length, height - 3);
    if (visit.token && length > 52) {
      g.fillStyle = colour('card');
      g.textAlign = 'left';
      g.fillText(tokenEnd(visit.token), Math.max(start, LABEL) + 5, y + height / 2 + 0.5);
    }
  }

  // The time in which a lock without a holder is waited for.
  drawOrphan(g, mishap, x, y, height) {
    const start = x(mishap.left);
    const end = x(mishap.until ?? this.now());
    g.save();
    g.beginPath();
    g.rect(start, y + 1.5, Math.max(0, end - start), height - 3);
    g.clip();
    g.strokeStyle = colour('bad');
    for (let at = start - height; at < end; at += 6) {
      g.beginPath();
      g.moveTo(at, y + height);
      g.lineTo(at + height, y);
      g.stroke();
    }
    g.restore();
    if (end - start > 170) {
      const text = 'crashed: its lock expires';
      g.fillStyle = colour('ground');
      g.fillRect(start + 6, y + 1, g.measureText(text).width + 10, height - 2);
      g.fillStyle = colour('bad');
      g.textAlign = 'left';
      g.fillText(text, start + 11, y + height / 2 + 0.5);
    }
  }

  drawStrip(g, visits, x) {
    const edges = visits.filter((v) => v.entered && this.isExclusive(v.protection))
      .flatMap((v) => [[v.entered, 1], [v.left, -1]])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    let inside = 0;
    edges.forEach(([at, change], i) => {
      inside += change;
      const next = edges[i + 1];
      if (inside > 0 && next) {
        g.fillStyle = colour(inside > 1 ? 'bad' : 'good');
        g.fillRect(x(at), 2, Math.max(inside > 1 ? 1 : 0.4, x(next[0]) - x(at)), STRIP - 2);
      }
    });
  }
}
