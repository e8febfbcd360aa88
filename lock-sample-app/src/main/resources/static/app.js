// Wires the page to the events of the sale.
import { PROTECTIONS, protection } from './protections.js';
import { Timeline } from './timeline.js';
import { Instances } from './instances.js';
import { Story } from './story.js';
import { Runs } from './runs.js';
import { History } from './history.js';
import { duration, element, labelled, plural, rate, threadName } from './format.js';
import { instanceColour } from './palette.js';
import { Connection, allow } from './connection.js';
import { request } from './requests.js';
import { buildMenu, buyOften, pay, readPrices, sendInvoices, showReport } from './examples.js';

const $ = (id) => document.getElementById(id);
const form = $('crowd');
const HOLDERS = 6;
const CHIPS = 12;
const STORIES = 14;

let running = null; // the crowd that is shopping: { started, heard, protection }
let sale = null;
let served = null; // the crowd that the verdict is about
let starting = null; // the process of the instance that starts

const timeline = new Timeline($('timeline'), (id) => protection(id).exclusive);
const story = new Story(new History($('story'), sessionStorage, 'story', STORIES), timeline);
const instances = new Instances($('instances'), befall);
const runs = new Runs($('chart-rate'), $('chart-sold'), $('runs'));
const waiting = new Map();
let holders = [];

const connection = new Connection(onConnection);

// ---- what the page sends

const post = (url, body) => request(url, body === undefined ? { method: 'POST' } : {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
});

async function attempt(action) {
  $('problem').textContent = '';
  try {
    await action();
  }
  catch (error) {
    $('problem').textContent = `${error.message}.`;
  }
}

async function sendCrowd() {
  const data = new FormData(form);
  const crowd = { protection: data.get('protection') };
  ['buyers', 'atOnce', 'thinkMillis'].forEach((name) => { crowd[name] = Number(data.get(name)); });
  // Before it is accepted, nothing is heard of it.
  setRunning({ heard: Infinity, protection: crowd.protection });
  timeline.clear();
  holders = [];
  if (matchMedia('(max-width: 980px)').matches) {
    $('sale').scrollIntoView();
  }
  try {
    await post('stage/crowds', crowd);
    if (running?.heard === Infinity) {
      running.heard = performance.now();
    }
  }
  catch (error) {
    setRunning(null);
    throw error;
  }
}

function befall(name, mishap) {
  attempt(async () => {
    if (!protection(running?.protection ?? form.protection.value).locks) {
      form.protection.value = 'LOCK_ONLY';
    }
    await post(`stage/instances/${name}/${mishap}`);
    if (!running) {
      await sendCrowd();
    }
  });
}

function showLaunch(why = connection.why) {
  allow($('launch'), running ? 'One crowd at a time' : why);
}

function setRunning(crowd) {
  running = crowd;
  if (crowd) {
    served = null;
  }
  showLaunch();
  $('launch').textContent = crowd ? 'The crowd is shopping…' : 'Send the crowd';
  instances.blocked = Boolean(crowd) && !protection(crowd.protection).locks;
  instances.refresh();
}

function showStart(why = connection.why) {
  $('start-instance').textContent = starting ? 'Starting…' : 'Start another instance';
  allow($('start-instance'), starting ? 'It shows itself when it is ready' : why);
}

// ---- what the page hears

async function onConnection(to) {
  instances.connected(to);
  ['build-menu', 'send-invoices', 'pay', 'read-prices', 'buy-often'].forEach((id) => allow($(id), to.why));
  showLaunch(to.why);
  showStart(to.why);
  if (to.live) {
    // With what has ended while the page did not hear of it.
    await attempt(async () => {
      const response = await fetch('stage/crowds');
      if (!response.ok) {
        throw new Error(`The last crowds cannot be shown: the shop answered ${response.status}`);
      }
      runs.set(await response.json());
      showLastResults();
    });
  }
  else if (to.state !== 'connecting') {
    waiting.clear();
    $('waiting-count').textContent = '–';
    $('waiting').replaceChildren();
  }
}

function onEnded({ process, log }) {
  if (process === starting) {
    starting = null;
    showStart();
    $('problem').textContent = `The new instance ended before it was ready. Its log: ${log}`;
  }
}

function onInstance(report) {
  instances.hear(report);
  if (report.process === starting) {
    starting = null;
    showStart();
  }
  timeline.add(report);
  story.hear(report);
  const inside = report.finished.filter((v) => v.entered).map((v) => ({ ...v, instance: report.name }));
  if (inside.length > 0) {
    holders = [...holders, ...inside].sort((a, b) => b.entered - a.entered).slice(0, HOLDERS);
    showHolders();
  }
  const crashed = report.present.some((v) => v.mishap === 'CRASH');
  waiting.set(report.name, crashed ? [] : report.present.filter((v) => !v.entered)
    .map((v) => ({ ...v, instance: report.name, waited: report.at - v.arrived })));
  showWaiting();
}

function onCrowd(crowd) {
  const done = crowd.done / crowd.request.buyers;
  $('progress').firstElementChild.style.width = `${done * 100}%`;
  $('progress').ariaValueNow = Math.round(done * 100);
  $('rate').textContent = rate(crowd.soldPerSecond);
  $('p99').textContent = duration(crowd.p99WaitMicros);
  if (crowd.id === 0) {
    if (!running) {
      timeline.clear();
      holders = [];
    }
    setRunning({ heard: performance.now(), protection: crowd.request.protection });
    tell(`${crowd.done} of ${plural(crowd.request.buyers, 'buyer')} served, ${protection(crowd.request.protection).name}.`);
    return;
  }
  setRunning(null);
  runs.add(crowd);
  showLastResults();
  served = crowd;
  showVerdict();
}

// Once more with each state of the books: what is written late belongs to the crowd, too.
function showVerdict() {
  const crowd = served;
  const name = protection(crowd.request.protection).name;
  const refused = (crowd.refused > 0 ? ` ${plural(crowd.refused, 'late write')} refused by the fence.` : '')
    + (crowd.commitsRefused > 0 ? ` ${plural(crowd.commitsRefused, 'late commit')} refused by the commit check.` : '');
  const lost = crowd.failed > 0 ? ` ${plural(crowd.failed, 'buyer')} got no lock in time, no answer, or an error.` : '';
  const oversold = Math.max(crowd.oversold, sale?.oversold ?? 0);
  if (oversold > 0) {
    tell(`${name}: ${plural(oversold, 'buyer')} got an item that never existed.${lost}`, 'bad');
  }
  else if (sale && sale.stock + sale.orders !== sale.offered) {
    tell(`${name}: nothing oversold yet, but the books are wrong: ${sale.orders} sold and ${sale.stock} left of ${sale.offered}.${lost}`, 'bad');
  }
  else {
    tell(`${name}: ${crowd.sold} sold, none twice.${refused}${lost}`, 'good');
  }
}

function onSale(state) {
  sale = state.sale;
  $('stock').textContent = sale.stock;
  $('orders').textContent = sale.orders;
  $('oversold').textContent = sale.oversold;
  $('oversold-figure').classList.toggle('bad', sale.oversold > 0);
  $('oversold-figure').classList.toggle('good', sale.oversold === 0 && sale.orders > 0);
  const held = state.lockExpiresIn !== null;
  const free = state.redis ? 'lock free' : 'lock unknown';
  $('lock-state').textContent = held ? `lock held, expires in ${(state.lockExpiresIn / 1000).toFixed(1)} s unless renewed` : free;
  $('lock-state').classList.toggle('good', state.redis && !held);
  if (served) {
    showVerdict();
  }
}

function tell(text, tone = '') {
  // Said with each state of the books; a screen reader reads whatever is written anew.
  if ($('verdict').textContent !== text) {
    $('verdict').textContent = text;
  }
  $('verdict').className = `verdict ${tone}`;
}

function showHolders() {
  const cell = (text, className = '') => element('td', { textContent: text, className });
  document.querySelector('#holders tbody').replaceChildren(...holders.map((v) => {
    const dot = element('span', { className: 'dot' });
    dot.style.background = instanceColour(v.instance);
    return labelled(element('tr', {}, element('td', {}, dot, v.instance), cell(threadName(v.thread)),
      cell(v.token ?? 'none', 'token'), cell(duration(v.entered - v.arrived), 'n'), cell(duration(v.left - v.entered), 'n')), $('holders'));
  }));
}

function showWaiting() {
  const all = [...waiting.values()].flat().sort((a, b) => b.waited - a.waited);
  $('waiting-count').textContent = all.length;
  const chips = all.slice(0, CHIPS).map((v) => {
    const dot = element('i');
    dot.style.background = instanceColour(v.instance);
    return element('li', {}, dot, `${v.instance} ${threadName(v.thread)} ${duration(v.waited)}`);
  });
  if (all.length > CHIPS) {
    chips.push(element('li', { textContent: `and ${all.length - CHIPS} more` }));
  }
  $('waiting').replaceChildren(...chips);
}

function showLastResults() {
  for (const { id } of PROTECTIONS) {
    const results = runs.last(id).map(({ kind, run }) => element('span', {
      className: `result ${run.oversold > 0 ? 'bad' : 'good'}`,
      textContent: `${kind}: ${run.oversold > 0 ? `${run.oversold} oversold` : runs.outcome(run)}`,
    }));
    const list = document.querySelector(`#protections [data-id="${id}"] .results`);
    list.replaceChildren(...results);
    list.title = results.map((result) => result.textContent).join(', ');
  }
}

// ---- sources

async function showSource(name) {
  const response = await request(`source/${name}`);
  $('source-title').textContent = name;
  // without the license header
  const text = (await response.text()).replace(/^\/\/ SPDX.*\s*/, '');
  document.querySelector('#source code').textContent = text.replaceAll('\t', '    ');
  $('source').showModal();
}

async function copySource() {
  await navigator.clipboard.writeText(document.querySelector('#source code').textContent);
  $('copy').textContent = 'Copied';
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 1500);
}

// ---- wiring

// As cards below each other the results take many screens.
const narrow = matchMedia('(max-width: 680px)');
const fold = () => { $('results').open = !narrow.matches; };
narrow.addEventListener('change', fold);
fold();

for (const { id, name, when, source } of PROTECTIONS) {
  const item = $('protection-template').content.cloneNode(true);
  const input = item.querySelector('input');
  const radioId = `protection-${id}`;
  Object.assign(input, { id: radioId, value: id, checked: id === 'NONE' });
  input.setAttribute('aria-describedby', `${radioId}-when`);
  item.firstElementChild.dataset.id = id;
  item.querySelector('label').htmlFor = radioId;
  item.querySelector('strong').textContent = name;
  Object.assign(item.querySelector('.when'), { textContent: when, id: `${radioId}-when` });
  const button = item.querySelector('button');
  button.ariaLabel = `Source of ${name}`;
  button.dataset.source = source;
  $('protections').append(item);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(sendCrowd);
});
$('start-instance').addEventListener('click', () => attempt(async () => {
  starting = (await (await post('stage/instances')).json()).process;
  showStart();
}));
document.querySelectorAll('[data-zoom]').forEach((button) => button.addEventListener('click', () => {
  ({ in: () => timeline.zoom(0.5), out: () => timeline.zoom(2), all: () => timeline.all() })[button.dataset.zoom]();
}));
document.addEventListener('click', (event) => {
  const { source } = event.target.dataset ?? {};
  if (source) {
    attempt(() => showSource(source));
  }
});
$('copy').addEventListener('click', () => attempt(copySource));
$('close-source').addEventListener('click', () => $('source').close());
$('build-menu').addEventListener('click', () => attempt(buildMenu));
$('send-invoices').addEventListener('click', () => attempt(sendInvoices));
$('pay').addEventListener('click', () => attempt(pay));
$('read-prices').addEventListener('click', () => attempt(readPrices));
$('buy-often').addEventListener('click', () => attempt(buyOften));

connection.on('instance', onInstance);
connection.on('crowd', onCrowd);
connection.on('sale', onSale);
connection.on('report', showReport);
connection.on('ended', onEnded);
setInterval(() => {
  if (running && connection.live && performance.now() - running.heard > 5_000) {
    setRunning(null);
    tell('The crowd was lost with the instance that had sent it.', 'bad');
  }
}, 1000);
