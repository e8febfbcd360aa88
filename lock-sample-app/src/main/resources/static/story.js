// Tells in words what befell the holders of the lock, and who took over.
import { element } from './format.js';

const MOST = 14;

export class Story {
  constructor(list, timeline) {
    this.list = list;
    this.timeline = timeline;
    this.open = new Map();
    this.told = new Set();
  }

  tell(parts, tone = '') {
    this.list.querySelector('.empty')?.remove();
    const text = element('span', { className: tone }, ...parts);
    this.list.prepend(element('li', {}, element('time', { textContent: new Date().toLocaleTimeString('en-GB') }), text));
    while (this.list.children.length > MOST) {
      this.list.lastElementChild.remove();
    }
  }

  // What an instance reports.
  hear(report) {
    for (const visit of report.present) {
      if (visit.mishap && !this.told.has(visit.token)) {
        this.begin(visit, report);
      }
    }
    for (const visit of [...report.finished, ...report.present]) {
      if (visit.token && visit.entered) {
        this.follow(visit, report);
      }
    }
    for (const visit of report.finished) {
      if (visit.mishap === 'PAUSE') {
        this.end(visit, report);
      }
    }
  }

  begin(visit, report) {
    this.told.add(visit.token);
    this.open.set(visit.token, { instance: report.name, at: report.at });
    const token = code(visit.token);
    if (visit.mishap === 'CRASH') {
      this.timeline.crashed({ ...visit, instance: report.name }, report.at);
      this.tell([`${report.name} crashed while it held the lock with token `, token,
        '. Nobody renews it: Redis drops it when its ttl has passed.'], 'bad');
    }
    else {
      this.tell([`${report.name} was stopped while it held the lock with token `, token,
        '. It cannot know how long it sleeps.'], 'bad');
    }
  }

  follow(visit, report) {
    for (const [token, holder] of this.open) {
      if (visit.token > token && visit.entered > holder.at) {
        this.open.delete(token);
        this.timeline.takenOver(token, visit.entered);
        const seconds = ((visit.entered - holder.at) / 1e6).toFixed(1);
        this.tell([`${report.name} took over after ${seconds} s, with the larger token `, code(visit.token), '.'], 'good');
      }
    }
  }

  end(visit, report) {
    const token = code(visit.token);
    if (visit.outcome === 'REFUSED') {
      this.tell([`${report.name} woke up and wrote with its old token `, token,
        ': refused by the fence. Nothing was overwritten.'], 'good');
    }
    else if (visit.outcome === 'SOLD') {
      this.tell([`${report.name} woke up and wrote, with its old token `, token,
        ': there was no fence, and what others had written is gone.'], 'bad');
    }
  }
}

const code = (token) => element('code', { textContent: token });
