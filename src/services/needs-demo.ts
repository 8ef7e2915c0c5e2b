/**
 * Says whether a store has still to be given the demo: no project and no agent was ever made in it. What else happens in the first
 * moments of a server, such as the token of its coordinator, does not count. One who deletes the demo does not get it again.
 */
import { home } from '../domain/stream/name.ts'
import type { EventType } from '../protocol/events.ts'
import { selectFirstOfTypes } from '../store/event-log.ts'
import { defineQuery, type Reader } from '../store/store.ts'

const made = { one: 'project-created', other: 'agent-created' } satisfies Record<string, EventType>

export const isWithoutProjects = async (reader: Reader): Promise<boolean> =>
  (await reader.first(selectFirstOfTypes, { stream: home, ...made })) === undefined

export const needsDemo = defineQuery({ name: 'needs-demo', run: (reader, _: object) => isWithoutProjects(reader) })
