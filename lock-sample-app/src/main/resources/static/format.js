// How the page writes numbers. Times on the wire are microseconds.
export const duration = (micros) => {
  if (micros < 1000) {
    return `${Math.round(micros)} µs`;
  }
  if (micros < 99_500) {
    return `${(micros / 1000).toFixed(micros < 9_950 ? 1 : 0)} ms`;
  }
  return micros < 995_000 ? `${Math.round(micros / 1000)} ms` : `${(micros / 1e6).toFixed(1)} s`;
};

// The time of day, to the millisecond: what the examples do takes as little as that.
export const clock = (instant) => new Date(instant).toLocaleTimeString('en-GB', {
  hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
});

export const rate = (perSecond) => (perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en'));

export const threadName = (name) => name.replace(/^http-.*-exec-/, 'http-').replace(/^tomcat-handler-/, 'http-');

export const tokenEnd = (token) => `…${String(token).slice(-6)}`;

// Where a table is shown as cards, each cell says what its column is called.
export const labelled = (row, table) => {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  [...row.cells].forEach((cell, i) => { cell.dataset.label = names[i] ?? ''; });
  return row;
};

export const plural = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

export const element = (tag, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
};
