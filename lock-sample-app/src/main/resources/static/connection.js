// Whether what a page shows is of now: whether its instance answers, and whether that one has Redis. It says so in the head
// of the page, and switches off the buttons that cannot work.
const STATES = {
  connecting: { pill: 'connecting…', tone: '', why: '' },
  live: { pill: 'live', tone: 'good', why: '' },
  redis: { pill: 'no Redis', tone: 'bad', why: 'Redis cannot be reached. Purchases and locks fail until it is back, and the instances do not hear of each other. '
    + 'The page goes on by itself then.' },
  gone: { pill: 'no connection', tone: 'bad', why: 'The shop does not answer: the figures are old. The page goes on by itself when it is back.' },
};
const AGAIN = 3_000;

export class Connection {
  constructor(onChange) {
    Object.assign(this, { onChange, state: null, listeners: [] });
    this.become('connecting');
    this.open();
    this.on('sale', ({ redis }) => this.become(redis ? 'live' : 'redis'));
  }

  // A browser opens a stream again that was cut off, but not one that was refused.
  open() {
    this.events = new EventSource('stage/events');
    this.listeners.forEach(([kind, listener]) => this.events.addEventListener(kind, listener));
    this.events.onerror = () => {
      this.become('gone');
      if (this.events.readyState === EventSource.CLOSED) {
        setTimeout(() => this.open(), AGAIN);
      }
    };
  }

  on(kind, action) {
    const listener = (event) => action(JSON.parse(event.data));
    this.listeners.push([kind, listener]);
    this.events.addEventListener(kind, listener);
  }

  get live() {
    return this.state === 'live';
  }

  // Why buttons cannot work; empty if they can.
  get why() {
    return STATES[this.state].why;
  }

  become(state) {
    if (state === this.state) {
      return;
    }
    this.state = state;
    const { pill, tone, why } = STATES[state];
    Object.assign(document.getElementById('connection'), { textContent: pill, className: `pill ${tone}` });
    document.getElementById('outage').textContent = why;
    document.body.dataset.connection = state;
    this.onChange(this);
  }
}

// Switches a button off, and says why; or on.
export function allow(button, why) {
  button.disabled = Boolean(why);
  button.title = why || (button.dataset.hint ?? '');
}
