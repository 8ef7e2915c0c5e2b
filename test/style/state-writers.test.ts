import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfTheRepository, root } from './source-files.ts'
import { stateWriters, writtenElsewhere } from './state-writers.ts'

test('[HS27] each state has one writer', () => {
  for (const { file } of Object.values(stateWriters))
    expect(existsSync(join(root, file))).toBe(true)
  expect(writtenElsewhere(filesOfTheRepository())).toEqual([])
})

const writing = (row: string, method = 'update') => ({
  path: 'src/services/flows/x.ts',
  text: `await tx.${method}('turns', ${row})`,
})

test.each([
  ['a state', "{ id, state: 'failed' }"],
  ['a whole row', 'row'],
  ['a row spread into another', '{ ...row, primer }'],
])('[HS27] the control: an update with %s outside of the mover is refused', (_what, row) => {
  expect(writtenElsewhere([writing(row)])).toEqual(['src/services/flows/x.ts:1 updates turns'])
})

test('[HS27] the control: a row added outside of the mover is refused', () => {
  const added = writtenElsewhere([writing('row', 'insert')])
  expect(added).toEqual(['src/services/flows/x.ts:1 inserts turns'])
})

test('[HS27] named columns that are no state are written anywhere, and all by the mover', () => {
  const mover = { ...writing('{ ...row, state }'), path: 'src/services/turns/move-turn.ts' }
  expect(writtenElsewhere([writing('{ id: turn.id, primer }'), mover])).toEqual([])
})

test.each([
  ['agent_sessions', 'changesOf(ended)'],
  ['role_agents', '{ ...agent, last_active_at: now }'],
  ['worktrees', '{ id, removed_at: now }'],
])('[HS27] the control: %s updated with %s outside of its writer is refused', (table, row) => {
  const flow = { path: 'src/services/flows/x.ts', text: `await tx.update('${table}', ${row})` }
  expect(writtenElsewhere([flow])).toEqual([`src/services/flows/x.ts:1 updates ${table}`])
})

test('[HS27] a row of the store that holds no state is written anywhere', () => {
  const text = "await tx.update('agent_sessions', activityOf(after))"
  expect(writtenElsewhere([{ path: 'src/services/work/x.ts', text }])).toEqual([])
})

test('[HS27] the control: of some tables no other file writes even a column that is no state', () => {
  const flow = {
    path: 'src/services/flows/x.ts',
    text: "await tx.update('contexts', { id, trouble })",
  }
  expect(writtenElsewhere([flow])).toEqual(['src/services/flows/x.ts:1 updates contexts'])
})

test('[HS27] the control: a statement that writes such a table is run by its writer alone', () => {
  const statement = {
    path: 'src/store/turns/contexts.ts',
    text: "export const updateAsleep = statement()((db) => db.updateTable('contexts').set({}))",
  }
  const flow = { path: 'src/services/flows/x.ts', text: "import { updateAsleep } from './y.ts'" }
  expect(writtenElsewhere([statement, flow])).toEqual([
    'src/services/flows/x.ts:1 runs updateAsleep, which writes contexts',
  ])
})
