// The seven ways to protect a purchase: names, when to choose them, where their source is.
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
    id: 'LOCK_ONLY', name: '@DistributedLock alone', short: 'lock alone', source: 'LockOnlyShop.java',
    exclusive: true, locks: true,
    when: 'Keeps all instances apart. A holder that was stopped for too long may still write late.',
  },
  {
    id: 'LOCK', name: '@DistributedLock + transaction', short: 'lock + tx', source: 'LockedShop.java',
    exclusive: true, locks: true,
    when: 'When the work takes its time and ends in a database. No commit after the lock was lost.',
  },
  {
    id: 'FENCE', name: '@DistributedLock + fence', short: 'lock + fence', source: 'FencedShop.java',
    exclusive: true, locks: true,
    when: 'When even a holder that was stopped for too long must do no harm: the database refuses its transactions.',
  },
];

export const protection = (id) => PROTECTIONS.find((p) => p.id === id);
