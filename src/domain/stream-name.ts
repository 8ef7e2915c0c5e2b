/**
 * Names of streams (docs/architecture.md, "Streams"): `home`, `project:ID`, `conversation:KEY`,
 * `user-session:ID`, `coordinator:ID`, `note:DAY`, `turns:KEY`. An event has one owner stream.
 * Pure.
 */
const kindsWithId = [
  'project',
  'conversation',
  'user-session',
  'coordinator',
  'note',
  'turns',
] as const

export const streamKinds = ['home', ...kindsWithId] as const
export type StreamKind = (typeof streamKinds)[number]
export type StreamName = 'home' | `${(typeof kindsWithId)[number]}:${string}`

export const home = 'home' satisfies StreamName
export const projectStream = (id: string): StreamName => `project:${id}`
export const conversationStream = (key: string): StreamName => `conversation:${key}`
/**
 * What agents do in the running turn of a conversation (CH12), as relay bodies; gone when the turn
 * is over.
 */
export const turnsStream = (key: string): StreamName => `turns:${key}`
export const userSessionStream = (id: string): StreamName => `user-session:${id}`
/** The note of a logical day, `note:2026-11-15`. */
export const noteStream = (day: string): StreamName => `note:${day}`
export const coordinatorStream = (id: string): StreamName => `coordinator:${id}`

/** Parses a stream name; undefined when it names no stream. */
export function parseStream(name: string): { kind: StreamKind; id: string } | undefined {
  if (name === home) return { kind: home, id: '' }
  const at = name.indexOf(':')
  const kind = kindsWithId.find((each) => each === name.slice(0, at))
  const id = name.slice(at + 1)
  return kind && id ? { kind, id } : undefined
}
