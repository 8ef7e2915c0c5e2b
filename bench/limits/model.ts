/**
 * How far one PostgreSQL carries many nodes (SC6): constants that were measured on this machine,
 * scaled by a small simulation. Each shared thing is a queue with one server: work arrives by
 * chance, is done one after the other, and waits. Pure; random numbers come from a seed.
 */

/** Per second, measured. */
export interface Constants {
  /** Appends to different streams, whichever nodes they come from. */
  readonly appends: number
  /** Appends to one stream: they are serial. */
  readonly appendsOfOneStream: number
  /** Notifications handed out, to all who listen together; each node listens. */
  readonly notifications: number
}

/** What one person with a busy agent causes, per second. */
export interface Habit {
  readonly appends: number
  /** Appends to `home`, the busiest stream that is shared: the list of projects and what runs. */
  readonly appendsAtHome: number
}

export interface Waiting {
  /** Share of the capacity; 1 is all of it. */
  readonly load: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** A node gathers its doorbells for 15 ms: it rings at most so often. */
const mostRingsOfANode = 1000 / 15
const arrivals = 200_000
const seedStep = 0x6d2b79f5

/**
 * Lindley's recursion: how long those wait who come at this rate to one who needs `1 / capacity`
 * for each.
 */
export function waitAt(rate: number, capacity: number, seed = 1): Waiting {
  const random = randomFrom(seed)
  const serviceMs = 1000 / capacity
  const betweenMs = 1000 / rate
  const times: number[] = []
  let wait = 0
  for (let n = 0; n < arrivals; n++) {
    times.push(wait + serviceMs)
    // Both by chance: a commit that shares its fsync is quick, one that waits for a checkpoint is
    // not.
    wait = Math.max(
      0,
      wait + serviceMs * -Math.log(1 - random()) - betweenMs * -Math.log(1 - random()),
    )
  }
  times.sort((one, other) => one - other)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
  return { load: rate / capacity, medianMs: at(0.5), p99Ms: at(0.99) }
}

export interface Scaled {
  readonly people: number
  readonly nodes: number
  readonly database: Waiting
  readonly home: Waiting
  /** Share of the notifications that PostgreSQL can deliver. */
  readonly notificationsLoad: number
}

export function scaled(people: number, nodes: number, constants: Constants, habit: Habit): Scaled {
  const rings = nodes * Math.min(mostRingsOfANode, (people * habit.appends) / nodes)
  return {
    people,
    nodes,
    database: waitAt(people * habit.appends, constants.appends),
    home: waitAt(people * habit.appendsAtHome, constants.appendsOfOneStream, 2),
    // Each ring is handed to every node.
    notificationsLoad: (rings * nodes) / constants.notifications,
  }
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + seedStep) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
