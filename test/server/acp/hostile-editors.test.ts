/** Editors that send what no editor sends (EC7, SE9): every frame ends in words, or in nothing. */
import { expect, test } from 'vitest'
import { openEditor, text } from '../../support/editor.ts'
import { openEditorRoom } from '../../support/editor-room.ts'
import { amount } from '../../support/extent.ts'
import { malformedFrames } from '../../support/malformed-frames.ts'

test('[EC7] malformed frames are answered in words, and the connection stays', async () => {
  const { server, begin, editor, folder } = await openEditorRoom()
  const hostile = await openEditor(server)
  let sent = 0
  for (const each of malformedFrames(amount(400, 5000))) {
    hostile.socket.send(each)
    // One at a time: a flood is another test's subject.
    const probe = await hostile.call('session/list', { cwd: '/nowhere', _meta: { n: ++sent } })
    expect(probe.result).toEqual({ sessions: [] })
  }
  for (const message of hostile.socket.inbox.all) {
    if (message.error === undefined) continue
    expect(message.error).toMatchObject({ code: expect.any(Number) })
    expect(message.error.message).toMatch(/\S/)
    expect(message.error.message).not.toMatch(/\n| {4}at |node_modules/)
  }
  // Others notice nothing, and nothing unexpected is in the log.
  const key = await begin(folder)
  expect(key).toMatch(/^session:/)
  expect(editor.socket.webSocket.readyState).toBe(1)
  expect(server.log()).not.toContain('unexpected error')
}, 600_000)

test('[EC7] who sends more than is handled is answered so, and is let go on', async () => {
  const { editor, begin, machine, bringUp } = await openEditorRoom()
  const key = await begin()
  const sent = Array.from({ length: 300 }, () =>
    editor.ask('session/prompt', { sessionId: key, prompt: [text('x')] }),
  )
  const { launchId, turnId } = await bringUp()
  expect([launchId, turnId]).toBeDefined()
  const refused = await editor.answerTo(sent.at(-1))
  expect(refused.error).toMatchObject({ code: -32603 })
  editor.notify('session/cancel', { sessionId: key })
  await machine.order('cancel-ordered')
})
