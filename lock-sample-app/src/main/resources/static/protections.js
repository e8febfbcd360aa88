// The six ways to protect a purchase: names, when to choose them, where their source is.
export const PROTECTIONS = [
  {
    id: 'NONE', name: 'No protection', short: 'none', source: 'UnprotectedShop.java', exclusive: true,
    when: 'Only where nothing is lost when two do it at once.',
  },
  {
    id: 'SYNCHRONIZED', name: 'synchronized', short: 'synchronized', source: 'SynchronizedShop.java', exclusive: true,
    when: 'For what lives in this JVM alone. A second instance knows nothing of it.',
  },
  {
    id: 'COUNTER', name: 'One atomic command (DECR)', short: 'DECR', source: 'CounterShop.java', exclusive: false,
    when: 'Whenever a single command says it all: the simplest and the fastest.',
  },
  {
    id: 'SCRIPT', name: 'An atomic Lua script', short: 'script', source: 'ScriptShop.java', exclusive: false,
    when: 'When check and change need a few steps, and all their data is in Redis.',
  },
  {
    id: 'LOCK', name: '@DistributedLock', short: 'lock', source: 'LockedShop.java', exclusive: true, locks: true,
    when: 'When the work spans several systems, or takes its time, and cannot be one atomic step.',
  },
  {
    id: 'FENCE', name: '@DistributedLock + fencing token', short: 'lock + fence', source: 'FencedShop.java',
    exclusive: true, locks: true,
    when: 'When even a holder that was stopped for too long must do no harm.',
  },
];

export const protection = (id) => PROTECTIONS.find((p) => p.id === id);
