// Shows the locks of all instances, from their actuator endpoints.
import { duration, element, threadName } from './format.js';
import { instanceColour } from './palette.js';

const $ = (id) => document.getElementById(id);
const EVERY = 500;
const PATIENCE = 900;
const PAGES = 5;
const FORGOTTEN = 20_000;

const instances = new Map(); // by name: { name, port, heard, id, held, waiting, answers }
const rows = new Map(); // by key
let asked = null; // the lock that may be released by force: { key, owner, holder }

// ---- what the page asks for

async function get(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.message ?? `the instance answered ${response.status}`);
  }
  return response.json();
}

// What Redis knows.
async function allLocks() {
  const locks = new Map();
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const answer = await get(`actuator/locks?scope=all${cursor}`);
    answer.all.forEach((lock) => locks.set(lock.key, lock));
    if (!answer.next) {
      break;
    }
    cursor = `&cursor=${encodeURIComponent(answer.next)}`;
  }
  return [...locks.values()];
}

// What an instance knows of itself. One that is paused keeps what it said last.
async function ask(instance) {
  try {
    const answer = await get(`${location.protocol}//${location.hostname}:${instance.port}/actuator/locks`);
    Object.assign(instance, { id: answer.instance, held: answer.held, waiting: answer.waiting, answers: true });
  }
  catch (error) {
    Object.assign(instance, { waiting: [], answers: false });
  }
}

async function refresh() {
  for (const instance of instances.values()) {
    if (performance.now() - instance.heard > FORGOTTEN) {
      instances.delete(instance.name);
    }
  }
  try {
    const [locks] = await Promise.all([allLocks(), ...[...instances.values()].map(ask)]);
    show(locks);
    live('live', 'good');
  }
  catch (error) {
    live(`no answer: ${error.message}`, 'bad');
  }
  setTimeout(refresh, EVERY);
}

async function release() {
  $('confirm').close();
  $('problem').textContent = '';
  const { key, owner, holder } = asked;
  try {
    const response = await fetch(`actuator/locks?${new URLSearchParams({ key, owner })}`, { method: 'DELETE' });
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      throw new Error(problem.message ?? `The instance answered ${response.status}`);
    }
    $('released').querySelector('.empty')?.remove();
    $('released').prepend(element('li', {}, element('time', { textContent: new Date().toLocaleTimeString('en-GB') }),
      element('span', { textContent: `${key}, held by ${holder}` })));
  }
  catch (error) {
    $('problem').textContent = `${error.message}.`;
  }
}

// ---- what it shows

function show(locks) {
  const known = [...instances.values()];
  const waiting = known.flatMap((i) => i.waiting.map((w) => ({ key: w.key, name: i.name })));
  $('held-count').textContent = locks.filter((lock) => lock.owner).length;
  $('waiting-count').textContent = waiting.length;
  $('instance-count').textContent = known.length;
  const keys = new Set(locks.map((lock) => lock.key));
  [...rows.keys()].filter((key) => !keys.has(key)).forEach((key) => {
    rows.get(key).node.remove();
    rows.delete(key);
  });
  locks.forEach((lock) => {
    if (!rows.has(lock.key)) {
      rows.set(lock.key, new Row(lock.key));
    }
    rows.get(lock.key).show(lock, known, waiting.filter((w) => w.key === lock.key));
  });
  const body = $('locks').tBodies[0];
  const sorted = [...rows.values()].sort((a, b) => a.key.localeCompare(b.key)).map((row) => row.node);
  const wanted = sorted.length > 0 ? sorted : [nothing];
  // Rows that stay are not moved, so that a button keeps its focus.
  if (wanted.length !== body.children.length || wanted.some((node, index) => body.children[index] !== node)) {
    body.replaceChildren(...wanted);
  }
}

const nothing = element('tr', { className: 'empty' }, element('td', { colSpan: 9, textContent: 'Nothing is locked.' }));

class Row {
  constructor(key) {
    this.key = key;
    this.longest = { owner: null, micros: 0 };
    this.margin = element('meter', { min: 0, max: 1 });
    this.marginText = element('small');
    this.button = element('button', { type: 'button', textContent: 'Release…', ariaLabel: `Release ${key}…` });
    this.button.addEventListener('click', () => confirm(this.lock));
    const cell = (name, ...children) => {
      this[name] = element('td', {}, ...children);
      return this[name];
    };
    this.node = element('tr', {}, element('td', { textContent: key }), cell('instance'), cell('thread'), cell('token'),
      cell('heldFor'), cell('marginCell', this.margin, ' ', this.marginText), cell('left'), cell('waiting'), element('td', {}, this.button));
    this.token.className = 'token';
    this.heldFor.className = 'n';
    this.left.className = 'n';
    this.node.dataset.key = key;
  }

  show(lock, known, waiting) {
    const holder = (lock.owner ?? '').replace(/:\d+$/, '');
    const instance = known.find((i) => i.id === holder);
    // What a paused instance said of this lock is still true if Redis names the same owner.
    const held = instance?.held?.find((h) => h.owner === lock.owner && h.key === lock.key);
    this.lock = { key: lock.key, owner: lock.owner, holder: instance ? `instance ${instance.name}` : holder };
    this.instance.title = holder;
    this.instance.replaceChildren(...holderOf(lock, instance, holder));
    this.thread.textContent = held ? threadOf(held) : '–';
    this.token.textContent = held ? String(held.fencingToken) : '–';
    this.heldFor.textContent = held ? duration(Math.max(0, Date.now() - Date.parse(held.since)) * 1000) : '–';
    this.showMargin(lock, held);
    this.left.textContent = lock.remaining ? duration(micros(lock.remaining)) : '–';
    this.waiting.replaceChildren(...chips(waiting));
    this.button.disabled = !lock.owner;
  }

  showMargin(lock, held) {
    this.margin.hidden = !held;
    this.marginText.textContent = held ? '' : '–';
    if (held) {
      const left = Math.max(0, Date.parse(held.deadline) - Date.now()) * 1000;
      if (this.longest.owner !== lock.owner || left > this.longest.micros) {
        this.longest = { owner: lock.owner, micros: left };
      }
      Object.assign(this.margin, { max: this.longest.micros, low: this.longest.micros * 0.3, optimum: this.longest.micros, value: left });
      this.marginText.textContent = duration(left);
    }
  }
}

function holderOf(lock, instance, holder) {
  if (instance) {
    const silent = instance.answers ? [] : [' ', element('span', { className: 'pill bad', textContent: 'does not answer' })];
    return [...badge(instance.name), ...silent];
  }
  return [lock.owner ? holder : `reserved for ${nameOf(lock.reservedFor)}`];
}

const nameOf = (id) => [...instances.values()].find((i) => i.id === id)?.name ?? id;

function badge(name) {
  const dot = element('span', { className: 'dot' });
  dot.style.background = instanceColour(name);
  return [dot, name];
}

function chips(waiting) {
  const counts = new Map();
  waiting.forEach((w) => counts.set(w.name, (counts.get(w.name) ?? 0) + 1));
  return [...counts].map(([name, count]) => element('span', { className: 'pill' }, ...badge(name), ` × ${count}`));
}

const threadOf = (held) => (held.thread ? threadName(held.thread.name) || `#${held.thread.id}` : 'asynchronous');

// Of an ISO 8601 duration, as far as locks have it.
function micros(text) {
  const [, hours, minutes, seconds] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1e6;
}

function confirm(lock) {
  asked = lock;
  $('confirm-title').textContent = `Release “${lock.key}” by force?`;
  $('confirm-text').textContent = `The lease of ${lock.holder} is lost, and the instance is told so. Until it knows, it may go on; only a check of `
    + 'the fencing token refuses what it writes then.';
  $('confirm').showModal();
}

function live(text, tone) {
  $('connection').textContent = text;
  $('connection').className = `pill ${tone}`;
}

$('keep').addEventListener('click', () => $('confirm').close());
$('release').addEventListener('click', release);

const events = new EventSource('stage/events');
events.addEventListener('instance', (event) => {
  const report = JSON.parse(event.data);
  if (report.ending) {
    instances.delete(report.name);
    return;
  }
  const known = instances.get(report.name) ?? { name: report.name, held: [], waiting: [], answers: true };
  instances.set(report.name, Object.assign(known, { port: report.port, heard: performance.now() }));
});
refresh();
