/**
 * What the server asks for an agent in a sandbox, a host or a folder (SB5, SB9), in the reader's
 * language. What agents say stays. Pure.
 */
import type { Messages } from './en.ts'

type Words = Pick<Messages, 'agents'>

export function askedTitle(title: string, { agents }: Words): string {
  const [, verb, what = ''] = /^(Reach|Read) (.+) from the sandbox$/s.exec(title) ?? []
  if (verb === undefined) return title
  return verb === 'Reach' ? agents.reachesHost(what) : agents.readsFolder(what)
}

export const answerName = (name: string, { agents }: Words): string =>
  agents.sandboxAnswers[name] ?? name
