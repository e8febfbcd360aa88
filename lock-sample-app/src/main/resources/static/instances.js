// The cards of the instances.
import { instanceColour, onSchemeChange } from './palette.js';
import { allow } from './connection.js';
import { element } from './format.js';

const SILENT = 1_500;
const FORGOTTEN = 20_000;

export class Instances {
  constructor(list, onMishap) {
    this.list = list;
    this.onMishap = onMishap;
    this.known = new Map();
    this.heardOf = false;
    this.why = '';
    this.lonely = element('li', {
      className: 'lonely',
      textContent: 'One instance so far. Start another: within one JVM even synchronized is right.',
    });
    onSchemeChange(() => this.known.forEach((i) => { i.badge.style.background = instanceColour(i.name); }));
    setInterval(() => this.refresh(), 300);
  }

  hear(report) {
    let instance = this.known.get(report.name);
    if (!instance) {
      instance = this.add(report);
    }
    Object.assign(instance, { heard: performance.now(), port: report.port, process: report.process });
    instance.ended = report.ending;
    if (report.present.some((visit) => visit.mishap === 'CRASH')) {
      instance.ended = true;
    }
    instance.stopped = report.present.some((visit) => visit.mishap === 'PAUSE');
    this.refresh();
  }

  // Without Redis nothing is heard of any instance, and their silence says nothing.
  connected(connection) {
    const known = connection.live;
    if (known && !this.heardOf) {
      this.known.forEach((instance) => { instance.heard = performance.now(); });
    }
    Object.assign(this, { heardOf: known, why: connection.why });
    this.refresh();
  }

  living() {
    return [...this.known.values()].filter((i) => !i.ended);
  }

  add(report) {
    const badge = element('span', { className: 'badge', textContent: report.name, ariaHidden: 'true' });
    badge.style.background = instanceColour(report.name);
    const state = element('small', { className: 'state' });
    const card = element('li', { className: 'instance' }, badge,
      element('strong', { textContent: `Instance ${report.name}` }), state);
    card.dataset.name = report.name;
    if (report.host) {
      card.append(element('p', { className: 'note', textContent: 'Has the Redis and the database, so it is spared.' }));
    }
    else {
      const button = (kind, text, hint) => {
        const created = element('button', { type: 'button', textContent: text, title: hint, className: 'danger' });
        created.dataset.hint = hint;
        created.dataset.mishap = kind;
        created.addEventListener('click', () => this.onMishap(report.name, kind));
        return created;
      };
      card.append(element('div', { className: 'buttons' },
        button('CRASH', 'Crash while holding', 'Halts its JVM while it holds the lock'),
        button('PAUSE', 'Pause past the ttl', 'Stops the process while it holds the lock, for longer than the lock lasts')));
    }
    this.list.append(card);
    this.known.set(report.name, { ...report, badge, state, card });
    [...this.list.querySelectorAll('[data-name]')].sort((a, b) => a.dataset.name.localeCompare(b.dataset.name))
      .forEach((child) => this.list.append(child));
    return this.known.get(report.name);
  }

  refresh() {
    if (this.heardOf && this.living().length === 1) {
      this.list.append(this.lonely);
    }
    else {
      this.lonely.remove();
    }
    for (const instance of this.known.values()) {
      const silent = this.heardOf ? performance.now() - instance.heard : 0;
      const seconds = (silent / 1000).toFixed(0);
      if (instance.ended && silent > FORGOTTEN) {
        instance.card.remove();
        this.known.delete(instance.name);
        continue;
      }
      const where = `port ${instance.port}, process ${instance.process}`;
      let text = where;
      if (instance.ended) {
        text = 'gone';
      }
      else if (!this.heardOf) {
        text = 'unknown: nothing is heard of it';
      }
      else if (silent > SILENT) {
        text = `${instance.stopped ? 'stopped' : 'silent'} for ${seconds} s`;
        if (!instance.stopped && silent > FORGOTTEN) {
          instance.ended = true;
        }
      }
      setText(instance.state, text);
      instance.card.classList.toggle('ended', instance.ended);
      instance.card.classList.toggle('gone', instance.ended || silent > SILENT);
      instance.card.querySelectorAll('button').forEach((button) => {
        allow(button, this.objection(instance, silent));
      });
    }
  }

  // Why nothing can befall an instance.
  objection(instance, silent) {
    if (this.why) {
      return this.why;
    }
    if (instance.ended || silent > SILENT) {
      return 'This instance does not answer';
    }
    if (this.blocked) {
      return 'The crowd that is shopping takes no lock';
    }
    return this.living().length < 2 ? 'There is no other instance to take over: start one' : '';
  }
}

const setText = (node, text) => {
  if (node.textContent !== text) {
    node.textContent = text;
  }
};
