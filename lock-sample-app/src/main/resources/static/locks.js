// Shows the locks of all instances, from their actuator endpoints.
import { duration, element, labelled, plural, threadName } from './format.js';
import { Connection } from './connection.js';
import { request } from './requests.js';
import { History } from './history.js';
import { instanceColour } from './palette.js';

const $ = (id) => document.getElementById(id);
const EVERY = 500;
const PATIENCE = 900;
const LIMIT = 100; // locks of each instance, and of each page of Redis
const PAGES = 5;
const FORGOTTEN = 20_000;
const LONG = 44;
const OWN = 'stage:'; // what the locks of the page itself begin with, which are not shown

const instances = new Map(); // by name: { name, port, heard, id, held, waiting, counts, answers }
const rows = new Map(); // by key
const names = new Set();
const filter = $('filter');
const released = new History($('released'), localStorage, 'released', 50);
let failing = false; // whether the page says that it cannot show the locks
let asked = null; // the lock that may be released by force: { key, owner, holder, row }

// ---- what the page asks for

async function get(url) {
  return (await request(url, { signal: AbortSignal.timeout(PATIENCE) }, 'the instance')).json();
}

const wanted = () => ({ prefix: filter.elements.prefix.value, name: filter.elements.name.value, sort: filter.elements.sort.value });
const fits = ({ key, name }, { prefix, name: wantedName }) => key.startsWith(prefix) && !key.startsWith(OWN) && (!wantedName || name === wantedName);

function query(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
}

// What Redis knows: no names, and as many locks as are found in a few steps.
async function storedLocks({ prefix }) {
  const locks = new Map();
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const answer = await get(`actuator/locks?${query({ scope: 'all', limit: LIMIT, prefix, cursor })}`);
    answer.all.filter((lock) => fits(lock, { prefix })).forEach((lock) => locks.set(lock.key, lock));
    if (!answer.next) {
      return { locks, complete: true };
    }
    cursor = answer.next;
  }
  return { locks, complete: false };
}

// What an instance knows of itself. One that is paused keeps what it said last.
async function ask(instance, want) {
  try {
    const answer = await get(`${location.protocol}//${location.hostname}:${instance.port}/actuator/locks?${query({ ...want, limit: LIMIT })}`);
    const held = answer.held.filter((lock) => fits(lock, want));
    const waiting = answer.waiting.filter((lock) => fits(lock, want));
    const own = answer.held.filter((lock) => lock.key.startsWith(OWN)).length;
    const counts = { ...answer.counts, held: answer.counts.held - own, heldMatching: answer.counts.heldMatching - own };
    Object.assign(instance, { id: answer.instance, answers: true, held, waiting, counts });
    [...held, ...waiting].forEach((lock) => names.add(lock.name));
  }
  catch (error) {
    Object.assign(instance, { waiting: [], answers: false, failed: performance.now() });
    instance.held = instance.held.filter((h) => fits(h, want));
    instance.counts.waiting = 0;
  }
}

// Without Redis, and while the shop does not answer, nobody is asked: what was shown last is marked as old.
async function refresh() {
  if (connection.live) {
    for (const instance of instances.values()) {
      if (performance.now() - instance.heard > FORGOTTEN) {
        instances.delete(instance.name);
      }
    }
    const want = wanted();
    try {
      const asked = [...instances.values()].filter((i) => i.answers || i.heard > i.failed);
      const [stored] = await Promise.all([storedLocks(want), ...asked.map((i) => ask(i, want))]);
      show(stored, wanted());
      if (failing) {
        $('problem').textContent = '';
      }
      failing = false;
    }
    catch (error) {
      if (connection.live) {
        failing = true;
        $('problem').textContent = `The locks cannot be shown: ${error.message}.`;
      }
    }
  }
  setTimeout(refresh, EVERY);
}

function onConnection({ live }) {
  $('problem').textContent = '';
  rows.forEach((row) => row.showButton());
  if (live) {
    instances.forEach((instance) => { instance.heard = performance.now(); });
  }
}

async function release() {
  $('confirm').close();
  $('problem').textContent = '';
  const { key, owner, holder, row } = asked;
  row.releasing = owner;
  row.showButton();
  try {
    await request(`actuator/locks?${new URLSearchParams({ key, owner })}`, { method: 'DELETE' }, 'The instance');
    released.tell({ parts: [`${shortened(key)}, held by ${holder}`] });
  }
  catch (error) {
    $('problem').textContent = `${error.message.replace(/\.$/, '')}.`;
  }
  row.releasing = null;
  row.showButton();
}

// ---- what it shows

// Each lock once: what its holder says of it, and what Redis does. Locks of Redis that an instance has left out of its
// list, as that is too long, are left out here, too.
function merge({ locks }, want) {
  const known = [...instances.values()];
  const byKey = new Map();
  known.forEach((instance) => instance.held.forEach((held) => {
    const stored = locks.get(held.key);
    // What a paused instance said is still true if Redis names the same owner.
    if (instance.answers || stored?.owner === held.owner) {
      byKey.set(held.key, { ...stored, key: held.key, owner: held.owner, held, instance });
    }
  }));
  const told = byKey.size;
  locks.forEach((lock) => {
    const instance = known.find((i) => i.id === holderId(lock));
    const leftOut = instance && instance.counts.heldMatching > instance.held.length;
    if (!want.name && !leftOut && !byKey.has(lock.key)) {
      byKey.set(lock.key, { ...lock, instance });
    }
  });
  return { merged: [...byKey.values()], others: byKey.size - told };
}

function show(stored, want) {
  const known = [...instances.values()];
  const { merged, others } = merge(stored, want);
  const sum = (name) => known.reduce((total, i) => total + (i.counts[name] ?? 0), 0);
  const unclaimed = merged.slice(merged.length - others).filter((lock) => lock.owner).length;
  $('held-count').textContent = (sum('held') + unclaimed).toLocaleString('en');
  $('waiting-count').textContent = sum('waiting').toLocaleString('en');
  $('instance-count').textContent = known.length;
  const matching = Math.max(merged.length, sum('heldMatching') + others);
  $('shown').textContent = `${merged.length.toLocaleString('en')} of ${plural(matching, 'lock')} shown`
    + (stored.complete ? '' : '; Redis has more keys than the page looks at');
  const waiting = groupByKey(known.flatMap((i) => i.waiting.map((w) => ({ key: w.key, name: i.name }))));
  const keys = new Set(merged.map((lock) => lock.key));
  [...rows.keys()].filter((key) => !keys.has(key)).forEach((key) => {
    rows.get(key).node.remove();
    rows.delete(key);
  });
  merged.forEach((lock) => {
    if (!rows.has(lock.key)) {
      rows.set(lock.key, new Row(lock.key));
    }
    rows.get(lock.key).show(lock, waiting.get(lock.key) ?? []);
  });
  showNames();
  place(sorted(merged, want.sort).map((lock) => rows.get(lock.key).node));
}

function groupByKey(list) {
  const groups = new Map();
  list.forEach((entry) => {
    if (!groups.has(entry.key)) {
      groups.set(entry.key, []);
    }
    groups.get(entry.key).push(entry);
  });
  return groups;
}

function sorted(locks, by) {
  const since = (lock) => (lock.held ? Date.parse(lock.held.since) : Infinity);
  const order = {
    key: () => 0,
    waiters: (a, b) => rows.get(b.key).waiters - rows.get(a.key).waiters,
    age: (a, b) => (since(a) === since(b) ? 0 : since(a) - since(b)),
  }[by];
  return locks.sort((a, b) => order(a, b) || a.key.localeCompare(b.key));
}

function place(nodes) {
  const body = $('locks').tBodies[0];
  const all = nodes.length > 0 ? nodes : [nothing];
  // Rows that stay are not moved, so that a button keeps its focus.
  if (all.length !== body.children.length || all.some((node, index) => body.children[index] !== node)) {
    const focused = body.contains(document.activeElement) ? document.activeElement : null;
    body.replaceChildren(...all);
    focused?.focus();
  }
}

function showNames() {
  const select = filter.elements.name;
  const known = new Set([...select.options].map((option) => option.value));
  [...names].filter((name) => !known.has(name)).sort().forEach((name) => select.append(new Option(name, name)));
}

const nothing = element('tr', { className: 'empty' }, element('td', { colSpan: 9, textContent: 'Nothing is locked.' }));

const holderId = (lock) => (lock.owner ?? '').replace(/:\d+$/, '');
const shortened = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

// A long key is cut off, and shown in full on demand.
function keyCell(key) {
  if (key.length <= LONG) {
    return element('td', { className: 'key' }, element('span', { textContent: key }));
  }
  const button = element('button', { type: 'button', className: 'key', textContent: key, title: shortened(key), ariaExpanded: 'false' });
  button.addEventListener('click', () => { button.ariaExpanded = String(button.ariaExpanded !== 'true'); });
  return element('td', { className: 'key' }, button);
}

class Row {
  constructor(key) {
    this.key = key;
    this.waiters = 0;
    this.releasing = null;
    this.longest = { owner: null, micros: 0 };
    this.margin = element('meter', { min: 0, max: 1 });
    this.marginText = element('small');
    this.button = element('button', { type: 'button', ariaLabel: `Release ${shortened(key)}…` });
    this.button.addEventListener('click', () => confirm(this.lock));
    const cell = (name, ...children) => {
      this[name] = element('td', {}, ...children);
      return this[name];
    };
    this.node = labelled(element('tr', {}, keyCell(key), cell('instance'), cell('thread'), cell('token'),
      cell('heldFor'), cell('marginCell', this.margin, ' ', this.marginText), cell('left'), cell('waiting'),
      element('td', { className: 'release' }, this.button)), $('locks'));
    this.token.className = 'token';
    this.heldFor.className = 'n';
    this.left.className = 'n';
    this.node.dataset.key = key;
  }

  show(lock, waiting) {
    const { held, instance } = lock;
    const holder = holderId(lock);
    this.lock = { key: lock.key, owner: lock.owner, holder: instance ? `instance ${instance.name}` : holder, row: this };
    this.instance.title = holder;
    this.instance.replaceChildren(...holderOf(lock, instance, holder));
    this.thread.textContent = held ? threadOf(held) : '–';
    this.thread.title = held?.name ?? '';
    this.token.textContent = held ? String(held.fencingToken) : '–';
    this.heldFor.textContent = held ? duration(Math.max(0, Date.now() - Date.parse(held.since)) * 1000) : '–';
    this.showMargin(lock, held);
    this.left.textContent = lock.remaining ? duration(micros(lock.remaining)) : '–';
    const counts = new Map();
    waiting.forEach((w) => counts.set(w.name, (counts.get(w.name) ?? 0) + 1));
    // The holder's instance counts its own, also those that its list leaves out.
    if (held?.waiters && instance.answers) {
      counts.set(instance.name, held.waiters);
    }
    this.waiters = [...counts.values()].reduce((a, b) => a + b, 0);
    this.waiting.replaceChildren(...(counts.size === 0 ? ['–'] : []), ...[...counts].map(([name, count]) => element('span', { className: 'pill' },
      ...badge(name), ` × ${count}`)));
    this.showButton();
  }

  showButton() {
    const releasing = this.releasing !== null && this.releasing === this.lock?.owner;
    this.button.textContent = releasing ? 'Releasing…' : 'Release…';
    this.button.ariaBusy = String(releasing);
    this.button.disabled = releasing || !this.lock?.owner || !connection.live;
    this.button.title = connection.why;
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

const threadOf = (held) => (held.thread ? threadName(held.thread.name) || `#${held.thread.id}` : 'asynchronous');

// Of an ISO 8601 duration, as far as locks have it.
function micros(text) {
  const [, hours, minutes, seconds] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1e6;
}

function confirm(lock) {
  asked = lock;
  $('confirm-title').textContent = `Release “${shortened(lock.key)}” by force?`;
  $('confirm-text').textContent = `The lease of ${lock.holder} is lost. Until that instance learns it, it may go on; only a check of `
    + 'the fencing token refuses what it writes then.';
  $('confirm').showModal();
}

// ---- wiring

$('keep').addEventListener('click', () => $('confirm').close());
$('release').addEventListener('click', release);
$('forget').addEventListener('click', () => released.clear());
filter.addEventListener('submit', (event) => event.preventDefault());
['input', 'change'].forEach((kind) => filter.addEventListener(kind, () => {
  sessionStorage.setItem('filter', JSON.stringify(wanted()));
}));
const before = JSON.parse(sessionStorage.getItem('filter') ?? '{}');
if (before.name) {
  names.add(before.name);
  showNames();
}
Object.entries(before).forEach(([name, value]) => { filter.elements[name].value = value; });

const connection = new Connection(onConnection);
connection.on('instance', (report) => {
  if (report.ending) {
    instances.delete(report.name);
    return;
  }
  const known = instances.get(report.name) ?? { name: report.name, held: [], waiting: [], counts: {}, answers: true, failed: 0 };
  instances.set(report.name, Object.assign(known, { port: report.port, heard: performance.now() }));
});
refresh();
