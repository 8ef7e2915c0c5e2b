/**
 * The reducers' own test cases of the Agent Host Protocol, which are published with it: the fold
 * that snapshots are made with does what every client does.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChatAction, ChatState } from '../../../src/doors/ahp/chat-state.ts'
import { foldChat } from '../../../src/doors/ahp/fold-chat.ts'
import { foldChangeset, foldRoot, foldSession } from '../../support/ahp-session-fold.ts'

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

/** What a host of ours never tells, and so nobody has to fold. */
const leftOut: Readonly<Record<string, string>> = {
  'annotations/': 'comments of a review are on the page',
  'terminal/': 'no terminal is offered',
  'resourceWatch/': 'no files are watched but those of changesets',
  'root/terminalsChanged': 'no terminal is offered',
  'root/configChanged': 'the settings of a server are not its clients’',
  'session/creationFailed': 'what cannot be created is refused at once',
  'session/customization': 'an agent’s own files are its own matter',
  'session/mcpServer': 'servers of tools are set with the agent',
  'session/serverToolsChanged': 'tools of the host are not a client’s to run',
  'session/configChanged': 'where a session works is fixed with its first prompt',
  'session/metaChanged': 'nothing is told in fields that one client understands',
  'changeset/operation': 'what is done with changes is done on the page',
}

const applies = ({ case: { actions } }: Case): boolean =>
  !actions.some(({ type }) => Object.keys(leftOut).some((each) => type.startsWith(each)))

// biome-ignore lint/suspicious/noExplicitAny: states of several reducers
const folds: Readonly<Record<string, (state: any, action: any) => unknown>> = {
  chat: foldChat,
  session: foldSession,
  root: foldRoot,
  changeset: foldChangeset,
}

test('[AH4] the folds pass the cases of the protocol, but for what is not told', () => {
  const ours = cases.filter(applies)
  const counts = Object.groupBy(ours, (each) => each.case.reducer)
  expect(
    Object.fromEntries(Object.entries(counts).map(([name, of]) => [name, of?.length])),
  ).toEqual({ chat: 123, session: 44, root: 3, changeset: 12 })
  for (const [start, reason] of Object.entries(leftOut))
    expect(
      cases.some((each) => each.case.actions.some(({ type }) => type.startsWith(start))),
      reason,
    ).toBe(true)
  for (const { file, case: each } of ours) {
    const isChat = each.reducer === 'chat'
    const [initial, expected] = isChat
      ? [asIn09(each.initial), asIn09(each.expected)]
      : [each.initial, each.expected]
    const fold = folds[each.reducer]
    if (!fold) throw new Error(`${each.reducer} is neither folded nor listed`)
    const folded = each.actions
      .map(actionIn09)
      .reduce((state, one) => fold(state, one) as ChatState, initial)
    expect(plain(folded), file).toEqual(plain(expected))
  }
})
