/**
 * Completions of what a person types: the commands of the session's agent, and files of its
 * workplace. Bounded, as each is asked for at every key.
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { WatchedThread } from './watched-thread.ts'

export const Completions = z.object({
  channel: z.string().min(1).max(2000),
  kind: z.string().max(100).optional(),
  text: z.string().max(500_000),
  offset: z.int().min(0),
})

const maxCommands = 50

export const completionTriggers = ['/', '@', '#']

interface Asked {
  readonly who: Who
  readonly deps: Pick<ServerDependencies, 'worktrees'>
  readonly watched: WatchedThread
}

/** A command stands at the beginning; a file is named anywhere. */
export async function completionsOf(
  { who, deps, watched }: Asked,
  { text, offset }: z.output<typeof Completions>,
): Promise<object[]> {
  const typed = text.slice(0, offset)
  const [command] = /^\/[\w.:-]*$/.exec(typed) ?? []
  if (command !== undefined) return commandsFor(watched, command.slice(1))
  const [token] = /(?<![^\s])[@#][^\s@#]{0,200}$/.exec(typed) ?? []
  if (token === undefined) return []
  const files = await deps.worktrees.files(who, watched.key, token.slice(1))
  const { directory, folder } = watched.conversation.workplace ?? {}
  const rangeStart = typed.length - token.length
  return files.map((path) => ({
    insertText: `${token.slice(0, 1)}${path} `,
    rangeStart,
    rangeEnd: typed.length,
    attachment: {
      type: 'resource',
      uri: pathToFileURL(join(directory ?? folder ?? '/', path)).href,
      label: path,
      displayKind: 'document',
    },
  }))
}

function commandsFor({ thread }: WatchedThread, begun: string): object[] {
  const { commands } = thread.state.offers
  const found = commands.filter(({ name }) => name.toLowerCase().startsWith(begun.toLowerCase()))
  return found.slice(0, maxCommands).map(({ name, description, hint }) => {
    const insertText = `/${name} `
    const about = { command: name, description, ...(hint !== null && { argumentHint: hint }) }
    const attachment = { type: 'simple', label: `/${name}`, _meta: about }
    return { insertText, rangeStart: 0, rangeEnd: begun.length + 1, attachment }
  })
}
