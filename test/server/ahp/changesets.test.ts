/** What sessions and turns changed, over the Agent Host Protocol; the test is the machine (AH8). */
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { bringUp } from '../../support/acp-chat.ts'
import {
  type AhpRoom,
  actionOf,
  answerMachine,
  begin,
  dispatch,
  openAhpRoom,
  runTurn,
  started,
  uri,
} from '../../support/ahp-room.ts'

const blob = (letter: string): string => letter.repeat(40)

const changed = (path: string, more: object = {}) => ({
  path,
  oldPath: null,
  change: 'modified',
  added: 2,
  removed: 1,
  oldBlob: blob('a'),
  newBlob: blob('b'),
  ...more,
})

const changes = (...files: object[]) => ({
  from: blob('1'),
  to: blob('2'),
  files,
  fileCount: files.length,
  text: '',
  cut: false,
})

async function openWithTurn() {
  const opened = await openAhpRoom()
  const { chat, state } = await begin(opened)
  await dispatch(opened.client, chat, started('t1', 'Change it'))
  const launchId = await bringUp(opened.machine)
  const turnId = await runTurn(opened, launchId, { before: 1, after: 2 })
  await actionOf(opened.client, 'chat/turnComplete')
  return { ...opened, chat, state, launchId, turnId }
}

/** Subscribes to a changeset; the machine says what has changed. */
async function shown(opened: Pick<AhpRoom, 'client' | 'machine'>, channel: string, answer: object) {
  const { snapshot } = await opened.client.result('subscribe', { channel })
  expect(snapshot.state).toEqual({ status: 'computing', files: [] })
  const ask = await answerMachine(opened, answer)
  const { params } = await opened.client.until(
    (each) =>
      each.params?.channel === channel && each.params.action.type === 'changeset/statusChanged',
  )
  expect(params.action).toEqual({ type: 'changeset/statusChanged', status: 'ready' })
  return ask
}

test('[AH8] a session’s changes are a channel: each file, before and after', async () => {
  const opened = await openWithTurn()
  const { client, state, path, chat, launchId } = opened
  const [all] = state.changesets
  expect(all).toMatchObject({ uriTemplate: 'changeset/session', changeKind: 'session' })
  const channel = `${uri}/${all.uriTemplate}`
  const renamed = changed('new name.txt', { oldPath: 'old.txt', change: 'renamed' })
  const added = changed('added.bin', { oldBlob: null, added: null, removed: null })
  const gone = changed('gone.txt', { newBlob: null })
  const ask = await shown(opened, channel, changes(changed('src/a.ts'), renamed, added, gone))
  expect(ask).toMatchObject({ kind: 'review-changes', withText: false, view: { to: null } })
  const { files } = await actionOf(client, 'changeset/contentChanged')
  const uriOf = (name: string) => pathToFileURL(`${path}/${name}`).href
  expect(files).toMatchObject([
    {
      id: uriOf('src/a.ts'),
      edit: { before: { uri: uriOf('src/a.ts') }, diff: { added: 2, removed: 1 } },
    },
    { edit: { before: { uri: uriOf('old.txt') }, after: { uri: uriOf('new name.txt') } } },
    { id: uriOf('added.bin'), edit: { diff: { added: 0, removed: 0 } } },
    { id: uriOf('gone.txt') },
  ])
  expect(['before' in files[2].edit, 'after' in files[3].edit]).toEqual([false, false])
  const content = files[0].edit.after.content.uri
  const reading = client.result('resourceRead', { uri: content, encoding: 'base64' })
  const base64 = Buffer.from('bytes\0').toString('base64')
  expect(await answerMachine(opened, { base64 })).toMatchObject({
    kind: 'review-version',
    blob: blob('b'),
  })
  expect(await reading).toEqual({ data: base64, encoding: 'base64' })
  const unread = client.ask('resourceRead', { uri: content })
  await answerMachine(opened, { base64: null })
  expect(await unread).toMatchObject({ error: { code: -32008 } })
  // The end of the next turn asks again.
  await dispatch(client, chat, started('t2', 'More'))
  await runTurn(opened, launchId, { before: 2, after: 3 })
  await answerMachine(opened, changes(changed('src/b.ts')))
  const later = await actionOf(client, 'changeset/contentChanged', ({ files: f }: never) => {
    return JSON.stringify(f).includes('src/b.ts')
  })
  expect(later.files).toHaveLength(1)
})

test('[AH8] so is what one turn changed, and what is not committed', async () => {
  const opened = await openWithTurn()
  const { client } = opened
  const ask = await shown(opened, `${uri}/changeset/turn/t1`, changes(changed('a.ts')))
  expect(ask.view).toMatchObject({ from: '1'.repeat(40), to: '2'.repeat(40) })
  const uncommitted = await shown(opened, `${uri}/changeset/uncommitted`, changes())
  expect(uncommitted.view).toMatchObject({ from: 'head', to: null })
  await client.result('subscribe', { channel: `${uri}/changeset/turn/none` })
  const { error } = await actionOf(client, 'changeset/statusChanged', ({ status }: never) => {
    return status === 'error'
  })
  expect(error.message).toContain('none')
  await client.result('unsubscribe', { channel: `${uri}/changeset/turn/none` })
  await client.result('unsubscribe', { channel: `${uri}/changeset/uncommitted` })
  expect(await client.ask('subscribe', { channel: `${uri}/changeset/other` })).toMatchObject({
    error: { code: -32001 },
  })
  const nothing = ['file:///etc/passwd', 'holdfast-file:/~x/y', `${uri}/changeset/session`]
  for (const each of nothing)
    expect(await client.ask('resourceRead', { uri: each })).toMatchObject({
      error: { code: -32008 },
    })
})

test('[AH8] what was looked at is marked in its version, by who may write', async () => {
  const opened = await openWithTurn()
  const { client, connect } = opened
  const channel = `${uri}/changeset/session`
  await shown(opened, channel, changes(changed('a.ts'), changed('b.ts')))
  const { files } = await actionOf(client, 'changeset/contentChanged')
  const mark = { type: 'changeset/filesReviewChanged', files: [files[0].id, 'no'], reviewed: true }
  const { params } = await dispatch(client, channel, mark)
  expect(params).toMatchObject({ action: { files: [files[0].id], reviewed: true } })
  const other = await connect(['read'], 'c2')
  const { snapshot } = await other.result('subscribe', { channel })
  expect(snapshot.state.status).toBe('computing')
  // One file has another version since.
  const now = [changed('a.ts'), changed('b.ts', { newBlob: blob('c') })]
  await answerMachine(opened, changes(...now))
  const seen = await actionOf(other, 'changeset/contentChanged')
  expect(seen.files.map(({ reviewed }: { reviewed?: true }) => reviewed)).toEqual([true, undefined])
  const refused = await dispatch(other, channel, mark)
  expect(refused.params.rejectionReason).toMatch(/write/)
  const invented = await dispatch(client, channel, { type: 'changeset/cleared' })
  expect(invented.params.rejectionReason).toBeTruthy()
})
