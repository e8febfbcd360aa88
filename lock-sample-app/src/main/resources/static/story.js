// Tells in words what befell the holders of the lock, who took over, and what became of late writes.
import { threadName } from './format.js';

export class Story {
  constructor(history, timeline) {
    this.history = history;
    this.timeline = timeline;
    this.open = new Map();
    this.begun = new Set();
  }

  // What an instance reports.
  hear(report) {
    for (const visit of report.present) {
      if (visit.mishap && !this.begun.has(visit.token)) {
        this.begin(visit, report);
      }
    }
    for (const visit of [...report.finished, ...report.present]) {
      if (visit.token && visit.entered) {
        this.follow(visit, report);
      }
    }
    for (const visit of report.finished) {
      this.end(visit, report);
    }
  }

  begin(visit, report) {
    this.begun.add(visit.token);
    this.open.set(visit.token, { instance: report.name, at: report.at });
    const token = code(visit.token);
    if (visit.mishap === 'CRASH') {
      this.timeline.crashed({ ...visit, instance: report.name }, report.at);
      this.tell(`begin ${visit.token}`, [`${report.name} crashed while it held the lock with token `, token,
        '. Nobody renews it: Redis drops it when its ttl has passed.'], 'bad');
    }
    else {
      this.tell(`begin ${visit.token}`, [`${report.name} was stopped while it held the lock with token `, token,
        '. It cannot know how long it sleeps.'], 'bad');
    }
  }

  follow(visit, report) {
    for (const [token, holder] of this.open) {
      if (visit.token > token && visit.entered > holder.at) {
        this.open.delete(token);
        this.timeline.takenOver(token, visit.entered);
        const seconds = ((visit.entered - holder.at) / 1e6).toFixed(1);
        this.tell(`follow ${token}`, [`${report.name} took over after ${seconds} s, with the larger token `,
          code(visit.token), '.'], 'good');
      }
    }
  }

  end(visit, report) {
    const woke = visit.mishap === 'PAUSE' ? `${report.name} woke up: the` : `${report.name} lost its lock: the`;
    const purchase = `${woke} purchase of ${threadName(visit.thread)} with the old token `;
    const token = code(visit.token);
    const key = `end ${visit.token}`;
    if (visit.outcome === 'REFUSED') {
      this.tell(key, [purchase, token, ` was refused by the fence. ${visit.refusal}. Nothing was overwritten.`], 'good');
    }
    else if (visit.outcome === 'COMMIT_REFUSED') {
      this.tell(key, [purchase, token, ` was refused by the commit check. ${visit.refusal}. `
        + 'The transaction was rolled back: nothing was overwritten.'], 'good');
    }
    else if (visit.outcome === 'SOLD' && visit.mishap === 'PAUSE') {
      this.tell(key, [purchase, token, ' was written although the lock was lost. Nothing looked at the lock then: '
        + 'what others had sold meanwhile is in stock again.'], 'bad');
    }
  }

  tell(key, parts, tone) {
    this.history.tell({ key, parts, tone });
  }
}

const code = (token) => ({ code: String(token) });
