/**
 * The reducers' own test cases of the Agent Host Protocol, which are published with it: the fold
 * that snapshots are made with does what every client does.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChatAction, ChatState } from '../../../src/doors/ahp/chat-state.ts'
import { foldChat } from '../../../src/doors/ahp/fold-chat.ts'

interface Case {
  readonly file: string
  readonly case: {
    readonly reducer: string
    readonly initial: ChatState
    readonly actions: readonly ChatAction[]
    readonly expected: ChatState
  }
}

const cases = readFileSync(join(import.meta.dirname, 'reducer-cases.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

/** What is absent, undefined and null are one; of times only what a reader is shown counts. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => each !== null && each !== undefined && name !== 'modifiedAt')
      .map(([name, each]) => [name, plain(each)]),
  )
}

/** Since 0.9 the error of a turn is its last part, where 0.8 had a field. */
function asIn09(state: ChatState): ChatState {
  const turns = state.turns.map((turn) => {
    const { error, ...rest } = turn as typeof turn & { error?: object | null }
    return error
      ? { ...rest, responseParts: [...rest.responseParts, { kind: 'error' as const, error }] }
      : rest
  })
  return { ...state, turns }
}

const actionIn09 = (action: ChatAction): ChatAction =>
  action.type === 'chat/error' && action['error']
    ? { ...action, part: { kind: 'error', error: action['error'] } }
    : action

test('[AH4] the fold of a chat passes the cases of the protocol', () => {
  const ofChats = cases.filter((each) => each.case.reducer === 'chat')
  expect(ofChats).toHaveLength(123)
  for (const { file, case: each } of ofChats) {
    const folded = each.actions.map(actionIn09).reduce(foldChat, asIn09(each.initial))
    expect(plain(folded), file).toEqual(plain(asIn09(each.expected)))
  }
})
