// A list of lines that outlives a reload of its page: the newest first, with the time.
import { element } from './format.js';

export class History {
  constructor(list, storage, name, most) {
    Object.assign(this, { list, storage, name, most });
    this.lines = this.read();
    this.lines.forEach((line) => this.list.append(this.item(line)));
    this.sayIfEmpty();
  }

  // Parts are texts, or { code: text }. A line with a key is told once.
  tell({ key = null, parts, tone = '' }) {
    if (key !== null && this.lines.some((line) => line.key === key)) {
      return;
    }
    const line = { key, parts, tone, at: Date.now() };
    this.lines = [line, ...this.lines].slice(0, this.most);
    this.list.prepend(this.item(line));
    // After its lines the list has one that says that it is empty.
    [...this.list.querySelectorAll('li:not(.empty)')].slice(this.most).forEach((item) => item.remove());
    this.write();
    this.sayIfEmpty();
  }

  clear() {
    this.lines = [];
    this.list.querySelectorAll('li:not(.empty)').forEach((item) => item.remove());
    this.write();
    this.sayIfEmpty();
  }

  item({ parts, tone, at }) {
    const time = new Date(at);
    const text = parts.map((part) => (part.code === undefined ? part : element('code', { textContent: part.code })));
    return element('li', {},
      element('time', { textContent: time.toLocaleTimeString('en-GB'), title: time.toLocaleString('en-GB') }),
      element('span', { className: tone }, ...text));
  }

  sayIfEmpty() {
    this.list.querySelector('.empty').hidden = this.lines.length > 0;
  }

  read() {
    try {
      return JSON.parse(this.storage.getItem(this.name)) ?? [];
    }
    catch {
      return [];
    }
  }

  write() {
    try {
      this.storage.setItem(this.name, JSON.stringify(this.lines));
    }
    catch {
      // Full or forbidden: the lines live as long as the page.
    }
  }
}
