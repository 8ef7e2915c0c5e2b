/** What was written to agents and has not arrived, over a reload of the tab. */
import { beforeEach, expect, test, vi } from 'vitest'
import { ProblemError, UnreachableError } from '../../../src/client/client.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { problemOf } from '../../../src/protocol/problem.ts'
import {
  isRefused,
  type Prompt,
  readPrompts,
  storePrompts,
} from '../../../web/src/consoles/stored-prompts.ts'

/** Node has no storage of a tab. */
beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
  return () => vi.unstubAllGlobals()
})

const mine = { personId: 'ada', userSessionId: 'us1' }

const prompt = (requestId: string, error?: unknown): Prompt => ({
  requestId,
  role: 'dev',
  text: 'delete it',
  error,
})

test('[UI3] what the server refused is said again by the person alone, not a reload', () => {
  const refused = new ProblemError(problemOf(new Refusal('agent_not_active', 'dev has ended')))
  storePrompts(mine, [
    prompt('a', refused),
    prompt('b', new UnreachableError('http://x', 'timeout')),
    prompt('c'),
  ])
  const [a, ...others] = readPrompts(mine)
  expect(a).toMatchObject({
    requestId: 'a',
    text: 'delete it',
    error: { problem: { code: 'agent_not_active' } },
  })
  expect(a?.error).toBeInstanceOf(ProblemError)
  expect(others).toEqual([prompt('b'), prompt('c')])
})

test('[UI3] what a server could not take was not refused: it goes out under its id', () => {
  const away = new ProblemError(problemOf(new Refusal('store_unavailable', 'PostgreSQL is away')))
  storePrompts(mine, [prompt('a', away)])
  expect(readPrompts(mine)).toEqual([prompt('a')])
  expect([
    isRefused(away),
    isRefused(new ProblemError(problemOf(new Refusal('role_taken')))),
  ]).toEqual([false, true])
})

test('[CH10] what one person has not sent is not there for the next in the same tab', () => {
  storePrompts(mine, [prompt('a')])
  expect(readPrompts({ ...mine, personId: 'owner' })).toEqual([])
  expect(readPrompts(mine)).toEqual([prompt('a')])
})
